# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three control planes and three workers in three zones, without DNS: what fails when one of the former is replaced."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import etcd
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite
from ansible_collections.kubeops.kops.tests.lab.probe import Probe

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)


@pytest.fixture(scope="module")
def cluster(new_site: Callable[..., CloudSite]) -> CloudSite:
    """The cluster, valid."""
    site = new_site(
        {"networking": "flannel", "zones": [*clusters.ZONES], "control_plane_count": 3, "node_count": 3},
    )
    run = site.create(kops_validate_wait=900)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    return site


def valid(cluster: CloudSite) -> None:
    """Wait until validate_cluster finds no problem."""
    run = cluster.run("validate_cluster", kops_validate_wait=300)
    assert run.code == 0, run.output
    print(f"valid after {run.seconds:.0f} s")


def test_there_is_a_control_plane_in_each_zone(cluster: CloudSite) -> None:
    zones = {each["zone"] for each in cluster.instances(control_planes=True).values()}
    assert len(zones) == len(clusters.ZONES)
    assert len(cluster.workers()) == 3


def test_a_control_plane_that_is_terminated_comes_back_as_the_same_member(cluster: CloudSite) -> None:
    cluster.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    gone, left, _third = cluster.control_planes()
    members = etcd.members("main", left, cluster.kubectl)
    assert len(members) == 3
    with Probe(cluster.workers()[0], clusters.NAME, machines.PREFIX) as probe:
        seconds = cluster.replaced(gone, 600)
    print(f"\nreplaced in {seconds:.0f} s; {probe.seen}")
    assert probe.seen.asked > seconds
    assert len(probe.seen.failed) < probe.seen.asked / 10, probe.seen
    assert etcd.members("main", left, cluster.kubectl) == members
    valid(cluster)


def test_all_control_planes_one_after_the_other_lose_nothing(cluster: CloudSite) -> None:
    for gone in cluster.control_planes():
        cluster.replaced(gone, 600)
        valid(cluster)
    assert cluster.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"
