# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts are removed from a cluster, and the cluster is deleted: nothing of kops is left on any host."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import hosts, running, workloads
from ansible_collections.kubeops.kops.tests.lab.look import look
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

CONTROL_PLANE, WORKER = "test1", "test2"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker."""
    return new_site()


@pytest.fixture(scope="module")
def before(site: Site) -> dict[str, set[str]]:
    """The hosts as they are at first."""
    return {host: look(host) for host in site.nodes}


@pytest.fixture(scope="module")
def run(before: dict[str, set[str]], created: running.Run, site: Site) -> Callable[..., running.Run]:
    """Function: run a playbook for the cluster, which runs already."""
    return site.run


def pods_on(host: str) -> list[str]:
    """The names of a node's pods."""
    selector = f"--field-selector=spec.nodeName={host}"
    return running.kubectl("get", "pods", "--all-namespaces", selector, "--output=name", host=CONTROL_PLANE).split()


def sandboxes(host: str) -> int:
    """How many pods a host keeps something of: the kubelet removes that of pods that are gone within a minute."""
    return len(hosts.within(host, "ls", "/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes").split())


def test_the_last_control_plane_does_not_leave(run: Callable[..., running.Run]) -> None:
    refused = run("remove_hosts", kops_remove=CONTROL_PLANE)
    assert refused.code != 0
    assert refused.changed == 0
    assert "no control plane would be left" in refused.output


def test_a_host_that_leaves_is_what_it_was(run: Callable[..., running.Run], before: dict[str, set[str]]) -> None:
    # There is no other node that its pods could go to.
    options = {"kops_remove": WORKER, "kops_drain_timeout": "10", "kops_fail_on_drain_error": "false"}
    workloads.eventually(lambda: sandboxes(WORKER) == len(pods_on(WORKER)), 120)
    here = look(WORKER)
    assert run("remove_hosts", "--check", **options).changed > 0
    assert look(WORKER) == here
    done = run("remove_hosts", **options)
    assert done.code == 0, done.output
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE]
    assert look(WORKER) ^ before[WORKER] == set()
    again = run("remove_hosts", **options)
    assert (again.code, again.changed) == (0, 0), again.output


def test_it_may_come_again_and_all_goes(run: Callable[..., running.Run], before: dict[str, set[str]]) -> None:
    back = run("hosts")
    assert back.code == 0, back.output
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER]
    refused = run("delete_cluster", kops_hosts=CONTROL_PLANE)
    assert refused.code != 0
    assert refused.changed == 0
    assert f"would run on without the keys of their cluster: {WORKER};" in refused.output
    hosts.kill(WORKER)
    refused = run("delete_cluster")
    assert refused.code != 0
    assert refused.changed == 0
    assert f"{WORKER}: cannot be reached" in refused.output
    hosts.start(WORKER)
    deleted = run("delete_cluster")
    assert deleted.code == 0, deleted.output
    assert look(CONTROL_PLANE) ^ before[CONTROL_PLANE] == set()
    again = run("delete_cluster")
    assert (again.code, again.changed) == (0, 0), again.output
