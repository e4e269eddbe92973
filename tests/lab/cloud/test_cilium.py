# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cilium, the network that create_cluster picks: pods reach each other, also after groups changed and all rebooted."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import workloads
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager", "cilium")
SERVICE = "web.default.svc.cluster.local"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """With the network that is picked if none is named."""
    return new_site({"node_count": 2})


@pytest.fixture(scope="module")
def cluster(site: CloudSite) -> CloudSite:
    """The cluster, valid."""
    run = site.create(kops_validate_wait=900)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    return site


def pods_reach_each_other(cluster: CloudSite) -> None:
    """Fail unless a pod of each node reaches those of all others, and the Service by its name."""
    # Pods of a node that is gone stay for about a minute.
    cluster.wait(lambda: sorted(workloads.start(cluster.kubectl)) == sorted(cluster.instances()), 120)
    pods = workloads.start(cluster.kubectl)
    for asking in pods.values():
        dial = functools.partial(workloads.dial, cluster.kubectl, asking["name"])
        for asked in pods.values():
            # A pod that was just started may not be known to all nodes yet.
            assert workloads.eventually(functools.partial(dial, asked["address"], 8080)) == [asked["name"]]
        assert workloads.eventually(functools.partial(dial, SERVICE, 80, 5))


def valid(cluster: CloudSite) -> None:
    """Wait until validate_cluster finds no problem."""
    run = cluster.run("validate_cluster", kops_validate_wait=600)
    assert run.code == 0, f"{run.output}\n{cluster.state()}"


def test_pods_reach_each_other(cluster: CloudSite) -> None:
    pods_reach_each_other(cluster)


@pytest.mark.parametrize("size", [3, 1])
def test_groups_grow_and_shrink(cluster: CloudSite, size: int) -> None:
    run = cluster.change_group("Node", minSize=size, maxSize=size)
    assert run.code == 0, run.output
    seconds = cluster.wait(
        lambda: len(cluster.workers()) == size and [*cluster.nodes()] == cluster.ready() == sorted(cluster.instances()),
        300,
    )
    print(f"\n{size} workers after {seconds:.0f} s")
    pods_reach_each_other(cluster)


def test_all_instances_may_reboot(cluster: CloudSite) -> None:
    cluster.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    before = {name: machines.process(name) for name in cluster.instances()}
    for name in before:
        machines.within(name, "systemctl", "reboot")
    cluster.wait(lambda: all(machines.process(name) not in (0, first) for name, first in before.items()), 120)
    valid(cluster)
    assert cluster.ready() == sorted(before)
    assert cluster.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"
    pods_reach_each_other(cluster)
