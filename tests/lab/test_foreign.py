# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of other tools: on a host that is to become a node they are refused, on a node validation notices them.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import hosts, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site

CONTROL_PLANE, WORKER, OTHER = "test1", "test2", "test3"
NETWORK = "/etc/cni/net.d/05-foreign.conflist"
# Its plugin does not exist, as that of a network whose tool is gone.
CONTENT = '{"cniVersion": "0.3.1", "name": "foreign", "plugins": [{"type": "foreign"}]}'
STATIC_POD = "/etc/kubernetes/manifests/etcd.yaml"
DROP_IN = "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf"
PRE = "/etc/systemd/system/kubelet.service.d/30-pre.conf"
PROXY = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
FOREIGN = {
    (CONTROL_PLANE, PRE): "[Service]\nExecStartPre=/bin/false\n",
    (WORKER, PROXY): "[Service]\nEnvironment=HTTPS_PROXY=http://192.0.2.1:3128 NO_PROXY=*\n",
    (WORKER, NETWORK): CONTENT,
    (WORKER, STATIC_POD): "{apiVersion: v1, kind: Pod, metadata: {name: etcd}}\n",
    (OTHER, DROP_IN): "[Service]\nExecStart=\nExecStart=/usr/bin/kubelet $KUBELET_KUBEADM_ARGS\n",
}
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and two workers."""
    return new_site(workers=2)


@pytest.fixture(scope="module")
def refused(site: Site) -> running.Run:
    """A run on hosts that other tools have used; they are clean again in its end."""
    for (host, path), content in FOREIGN.items():
        put(host, path, content)
    run = site.create()
    for host, path in FOREIGN:
        hosts.within(host, "rm", path)
    return run


def put(host: str, path: str, content: str) -> None:
    hosts.within(host, "sh", "-c", f"mkdir -p $(dirname {path}) && cat >{path}", stdin=content)


def probes_left() -> str:
    return kubectl("get", "pods", "--all-namespaces", "--selector=kubeops.kops/validation", "--output=name")


def test_hosts_that_other_tools_have_used_are_refused(refused: running.Run) -> None:
    assert refused.code != 0
    for problem in (
        f"test2: has {STATIC_POD}: what kubeadm has left; remove it with kubeadm reset",
        f"test2: has {NETWORK}: pods could get this network instead of the cluster's; remove it with rm",
        f"test3: has {DROP_IN}: what the package kubeadm has left; remove it with apt-get purge kubeadm",
        f"test1: has {PRE}: it changes what kubelet.service runs, or whether it starts (ExecStartPre); remove it with",
    ):
        assert refused.output.count(problem) == 1
    assert "no host was changed" in refused.output
    assert not refused.results("Make the machine equal to its NodeConfig")
    assert hosts.within(CONTROL_PLANE, "ls", "/var/lib/kops", check=False) == ""


def test_clean_hosts_become_nodes(refused: running.Run, created: running.Run, site: Site) -> None:
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER, OTHER]
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_validation_starts_a_pod_on_every_node_and_leaves_none(created: running.Run, site: Site) -> None:
    """In check mode it starts none, and says so; so the runs show what the pods cost."""
    checked = site.run("validate_cluster", "--check")
    assert checked.code == 0, checked.output
    assert "in check mode no pods are started" in checked.output
    events = kubectl("get", "events", "--namespace=kube-system", "--output=name")
    validated = site.run("validate_cluster")
    assert validated.code == 0, validated.output
    assert "in check mode" not in validated.output
    assert kubectl("get", "events", "--namespace=kube-system", "--output=name") != events
    assert probes_left() == ""
    seconds = [
        seconds for run in (checked, validated) for seconds, name in run.slowest(99) if "cluster's state" in name
    ]
    print(f"\nvalidation without and with pods: {seconds} s")


def test_a_foreign_network_on_a_node_is_noticed(created: running.Run, site: Site) -> None:
    put(WORKER, NETWORK, CONTENT)
    broken = site.run("validate_cluster")
    hosts.within(WORKER, "rm", NETWORK)
    assert broken.code != 0
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER, OTHER], "it is Ready all the same"
    (message,) = broken.failures().values()
    assert f"Node {WORKER}: does not run pods with a network: the pod does not run after 30 seconds: " in message
    assert 'plugin type="foreign"' in message
    assert f"Node {OTHER}" not in message
    assert probes_left() == ""
    repaired = site.run("validate_cluster", kops_validate_wait=60)
    assert repaired.code == 0, repaired.output
