# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others do to hosts and to a cluster: it is refused, noticed or explained, and what is theirs stays as it is.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, hosts, running, workloads
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.turn(2)

CONTROL_PLANE, WORKER, OTHER = "test1", "test2", "test3"
NETWORK = "/etc/cni/net.d/05-foreign.conflist"
# Its plugin does not exist, as that of a network whose tool is gone.
CONTENT = '{"cniVersion": "0.3.1", "name": "foreign", "plugins": [{"type": "foreign"}]}'
STATIC_POD = "/etc/kubernetes/manifests/etcd.yaml"
DROP_IN = "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf"
PRE = "/etc/systemd/system/kubelet.service.d/30-pre.conf"
# It stays, and does no harm here.
PROXY = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
DIRECT = "[Service]\nEnvironment=HTTPS_PROXY=http://192.0.2.1:3128 NO_PROXY=*\n"
AUDIT_LOG = "/var/log/kube-apiserver-audit.log"
FLANNEL = "DaemonSet kube-flannel/kube-flannel-ds"
FOREIGN = {
    (CONTROL_PLANE, PRE): "[Service]\nExecStartPre=/bin/false\n",
    (WORKER, NETWORK): CONTENT,
    (WORKER, STATIC_POD): "{apiVersion: v1, kind: Pod, metadata: {name: etcd}}\n",
    (OTHER, DROP_IN): "[Service]\nExecStart=\nExecStart=/usr/bin/kubelet $KUBELET_KUBEADM_ARGS\n",
}
# A pod that only runs on one host, and a budget by which it must not be evicted.
HELD = json.dumps(
    {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "held"},
                "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "held"}}},
            },
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "held"},
                "spec": {
                    "replicas": 1,
                    "selector": {"matchLabels": {"app": "held"}},
                    "template": {
                        "metadata": {"labels": {"app": "held"}},
                        "spec": {
                            "nodeSelector": {"kubernetes.io/hostname": OTHER},
                            "containers": [
                                {
                                    "name": "held",
                                    "image": f"registry.k8s.io/e2e-test-images/agnhost:{binaries.VERSIONS['agnhost']}",
                                    "args": ["pause"],
                                }
                            ],
                        },
                    },
                },
            },
        ],
    }
)
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and two workers, with a log in a directory that is not of kops."""
    return new_site(workers=2, spec={"kubeAPIServer": {"auditLogPath": AUDIT_LOG}})


@pytest.fixture(scope="module")
def refused(site: Site) -> running.Run:
    """A run on hosts that other tools have used; they are clean again in its end."""
    for (host, path), content in FOREIGN.items():
        put(host, path, content)
    run = site.create()
    for host, path in FOREIGN:
        hosts.within(host, "rm", path)
    put(WORKER, PROXY, DIRECT)
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
    named = f"{WORKER}: {PROXY} stays, and sets Environment of containerd.service; its downloads go through that proxy"
    assert named in " ".join(created.output.split())
    assert "hosts: 3 are nodes now (test1, test2, test3)" in created.output
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output
    assert "hosts: 3 as they should be" in again.output


def test_directories_of_others_keep_their_modes(created: running.Run) -> None:
    assert "audit-log-path=" + AUDIT_LOG in hosts.within(CONTROL_PLANE, "pgrep", "--full", "--list-full", "audit-log")
    modes = hosts.within(CONTROL_PLANE, "stat", "--format=%a %U %n", "/var/log", "/etc", "/root", "/tmp", "/var/lib")
    assert modes.splitlines() == [
        "755 root /var/log",
        "755 root /etc",
        "700 root /root",
        "1777 root /tmp",
        "755 root /var/lib",
    ]


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


def test_a_network_that_is_gone_is_missed_and_made_again(created: running.Run, site: Site) -> None:
    kubectl("delete", "daemonset", "kube-flannel-ds", "--namespace=kube-flannel")
    broken = site.run("validate_cluster")
    assert broken.code != 0
    (message,) = broken.failures().values()
    assert f"Addon networking.flannel: {FLANNEL} does not exist; kubeops.kops.hosts applies it again" in message
    mended = site.run("hosts")
    assert mended.code == 0, mended.output
    valid = site.run("validate_cluster")
    assert valid.code == 0, valid.output


def test_a_unit_that_does_not_start_is_explained_by_the_files_of_others(created: running.Run, site: Site) -> None:
    put(OTHER, PRE, FOREIGN[CONTROL_PLANE, PRE])
    hosts.within(OTHER, "systemctl", "daemon-reload")
    hosts.within(OTHER, "systemctl", "stop", "kubelet")
    broken = site.run("hosts")
    hosts.within(OTHER, "rm", PRE)
    assert broken.code != 0
    assert f"these files of others change kubelet.service: {PRE} (ExecStartPre)" in broken.failures()[OTHER]
    mended = site.run("hosts")
    assert mended.code == 0, mended.output
    assert f"hosts: 1 are nodes now ({OTHER}), 2 as they should be" in mended.output


def test_a_dead_host_ends_no_run_and_leaves_at_once(created: running.Run, site: Site) -> None:
    """Its pods can neither be evicted nor be waited for: a budget that they must not break holds nobody up."""
    kubectl("apply", "--filename=-", stdin=HELD)
    workloads.eventually(lambda: kubectl("get", "pods", "--selector=app=held", "--output=name") != "", 60)
    hosts.kill(OTHER)
    workloads.eventually(lambda: OTHER not in running.ready_nodes(CONTROL_PLANE), 120)
    others = site.run("hosts", kops_leave_out_unreachable=True)
    assert others.code == 0, others.output
    assert f"1 left out, because they cannot be reached ({OTHER})" in others.output
    removed = site.run("remove_hosts", kops_remove=OTHER)
    assert removed.code == 0, removed.output
    print(f"\nremoved a dead host in {removed.seconds:.0f} s")
    assert removed.seconds < 90, removed.slowest()
    assert running.kubectl_json("get", "nodes", host=CONTROL_PLANE)["items"]
    assert kubectl("get", "node", OTHER, "--ignore-not-found", "--output=name") == ""
