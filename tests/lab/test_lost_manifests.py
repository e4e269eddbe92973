# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane has lost the manifest of a static pod: whatever playbook the tools name mends it.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import hosts, network, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site
from ansible_collections.kubeops.kops.tests.lab.workloads import eventually

pytestmark = pytest.mark.long

ASKING, SECOND, BROKEN, WORKER = "test1", "test2", "test3", "test4"
MANIFESTS = "/etc/kubernetes/manifests"
# Of somebody else: no playbook of ours removes it from a node. Masking would not do, since our unit file comes first.
DROP_IN = "/run/systemd/system/kubelet.service.d/50-broken.conf"
BREAKS = "[Service]\nExecStartPre=/bin/sh -c 'echo Error: no licence for this kubelet >&2; exit 1'\n"
QUICK = {"kops_repair_after": 1, "kops_validate_wait": 200}
kubectl_json = functools.partial(running.kubectl_json, host=ASKING)


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """Three control planes and a worker."""
    return new_site(3, 1)


def pods_of(host: str) -> list[str]:
    """The static pods of a host, without its name."""
    found = kubectl_json("get", "pods", "--namespace=kube-system")["items"]
    return sorted(
        pod["metadata"]["name"].removesuffix(f"-{host}")
        for pod in found
        if pod["spec"].get("nodeName") == host and pod["metadata"]["name"].endswith(f"-{host}")
    )


def lose(host: str, pod: str) -> None:
    hosts.within(host, "rm", f"{MANIFESTS}/{pod}.manifest")
    eventually(lambda: pod not in pods_of(host), 120)


def answers(host: str) -> bool:
    """Whether the API server of a host does."""
    server = f"--server=https://{network.address(host)}"
    asked = ("get", "--raw", "/readyz", server, "--request-timeout=2s")
    return running.kubectl(*asked, host=SECOND, check=False) == "ok"


def test_an_update_writes_it(created: running.Run, site: Site) -> None:
    lose(BROKEN, "kube-scheduler")
    drift = site.run("drift")
    assert "kube-scheduler" in drift.output
    assert "kubeops.kops.update_cluster" in drift.output
    done = site.run("update_cluster", kops_validate_wait=200)
    assert done.code == 0, done.output
    assert "kube-scheduler" in pods_of(BROKEN)


def test_a_rolling_update_begins_with_it(created: running.Run, site: Site) -> None:
    lose(BROKEN, "kube-scheduler")
    done = site.run("rolling_update", kops_validate_wait=300)
    assert done.code == 0, done.output
    assert f"These hosts are changed first, because their nodes fail: {BROKEN}" in done.output
    assert "kube-scheduler" in pods_of(BROKEN)


def test_a_rolling_update_mends_the_control_plane_that_would_be_asked(created: running.Run, site: Site) -> None:
    # Its kubelet asks this one only, so that the API keeps the image of the pod.
    hosts.within(ASKING, "rm", f"{MANIFESTS}/kube-apiserver.manifest")
    eventually(lambda: not answers(ASKING), 120)
    done = site.run("rolling_update", kops_validate_wait=300)
    assert done.code == 0, done.output
    assert f"These hosts are changed first, because their nodes fail: {ASKING}" in done.output
    assert answers(ASKING)


def test_a_repair_mends_it_and_what_cannot_be_mended_is_left(created: running.Run, site: Site) -> None:
    lose(BROKEN, "kube-scheduler")
    breaks = f"install -D /dev/stdin {DROP_IN}; systemctl daemon-reload; systemctl stop kubelet"
    hosts.within(WORKER, "sh", "-c", breaks, stdin=BREAKS)
    try:
        eventually(lambda: WORKER not in running.ready_nodes(ASKING), 120)
        lose(SECOND, "kube-controller-manager")
        done = site.run("repair", kops_repair_max_unhealthy=2, **QUICK)
        assert done.code != 0, done.output
        table = done.output.partition("INSTANCE GROUP  ")[2].splitlines()[1:4]
        results = {line.split()[0]: line.split()[2] for line in table}
        assert results == {BROKEN: "repaired", SECOND: "repaired", WORKER: "left"}, done.output
        (row,) = (line for line in table if line.startswith(WORKER))
        assert "Error: no licence for this kubelet" in row, done.output
    finally:
        hosts.within(WORKER, "sh", "-c", f"rm {DROP_IN}; systemctl daemon-reload")
    done = site.run("repair", **QUICK)
    assert done.code == 0, done.output
    assert running.ready_nodes(ASKING) == site.nodes
    again = site.run("repair", **QUICK)
    assert (again.code, again.changed) == (0, 0), again.output
