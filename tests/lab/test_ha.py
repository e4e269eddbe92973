# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three control planes and two workers: a control plane may be lost and replaced, and all data of etcd may be lost.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import etcd, hosts, network, running, workloads
from ansible_collections.kubeops.kops.tests.lab.probe import PER_SECOND, Probe
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.turn(1)

FIRST, SECOND, THIRD, ASKING = "test1", "test2", "test3", "test4"
# Takes the place of the second control plane, with another name and another address.
ANOTHER = "test6"
kubectl = functools.partial(running.kubectl, host=FIRST)
# Requests that fail when a control plane dies: one that asked it at that moment, and those that try its address first.
FEW = 5


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """Three control planes and two workers."""
    return new_site(3, 2)


def is_whole(site: Site) -> None:
    """Assert that all nodes and all members of etcd are there, and that there is nothing left to do."""
    assert running.ready_nodes(FIRST) == site.nodes
    for name in ("main", "events"):
        assert etcd.voters(name, FIRST) == ["a", "b", "c"]
        assert etcd.healthy(name, FIRST) == 3
    again = site.run("hosts")
    assert (again.code, again.changed) == (0, 0), again.output


def test_all_are_ready(created: running.Run, site: Site) -> None:
    print(f"\nmade in {created.seconds:.0f} s")
    assert running.ready_nodes(FIRST) == site.nodes
    for name in ("main", "events"):
        assert etcd.voters(name, FIRST) == ["a", "b", "c"]
    for host in site.control_planes:
        assert kubectl("get", "--raw", "/readyz", f"--server=https://{network.address(host)}") == "ok"


def test_pods_of_all_nodes_talk(created: running.Run, site: Site) -> None:
    pods = workloads.start(kubectl)
    assert sorted(pods) == site.nodes
    for asking in pods.values():
        for asked in pods.values():
            assert workloads.dial(kubectl, asking["name"], asked["address"], 8080) == [asked["name"]]
    answers = workloads.eventually(
        lambda: workloads.dial(kubectl, pods[ASKING]["name"], "web.default.svc.cluster.local", 80, tries=20)
    )
    assert set(answers) <= {pod["name"] for pod in pods.values()}


def test_a_second_run_changes_nothing(created: running.Run, site: Site) -> None:
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output
    print(f"\nunchanged in {again.seconds:.0f} s")


def test_a_lost_control_plane_is_replaced_under_its_own_name(created: running.Run, site: Site) -> None:
    with Probe(ASKING) as probe:
        time.sleep(1)
        hosts.kill(THIRD)
        # Longer than it takes until the others have noticed.
        time.sleep(30)
        kubectl("create", "configmap", "written-meanwhile", "--from-literal=by=two")
    print(f"\nwithout a control plane: {probe.seen}")
    assert probe.seen.asked > 15 * PER_SECOND / 2
    assert len(probe.seen.failed) <= FEW

    hosts.remove(THIRD)
    hosts.start(THIRD)
    run = site.run("hosts")
    assert run.code == 0, run.output
    print(f"replaced in {run.seconds:.0f} s")
    is_whole(site)
    there = f"--server=https://{network.address(THIRD)}"
    assert "two" in kubectl("get", "configmap", "written-meanwhile", there, "--output=yaml")


@pytest.mark.long
def test_a_lost_control_plane_is_replaced_by_another_host(created: running.Run, site: Site) -> None:
    hosts.kill(SECOND)
    hosts.remove(SECOND)
    hosts.start(ANOTHER)
    site.control_planes[1] = ANOTHER
    run = site.run("hosts")
    assert run.code == 0, run.output
    is_whole(site)
    assert SECOND not in kubectl("get", "nodes", "--output=name")


def test_all_data_of_etcd_may_be_lost(created: running.Run, site: Site) -> None:
    kubectl("create", "configmap", "marker", "--from-literal=from=backup")
    backup = site.run("etcd_backup")
    assert backup.code == 0, backup.output
    kubectl("create", "configmap", "too-late", "--from-literal=after=backup")

    for host in site.control_planes:
        # As when disks are lost, and empty ones are put into their places.
        hosts.within(host, "sh", "-c", "pkill -KILL -x etcd; rm -rf /mnt/disks/*/data/*")
    assert "from: backup" not in _said_of_marker()

    restored = site.run("etcd_restore")
    assert restored.code == 0, restored.output
    print(f"\nrestored in {restored.seconds:.0f} s")
    assert "from: backup" in kubectl("get", "configmap", "marker", "--output=yaml")
    assert kubectl("get", "configmap", "too-late", "--ignore-not-found") == ""
    validated = site.run("validate_cluster", kops_validate_wait=300)
    assert validated.code == 0, validated.output
    is_whole(site)


def _said_of_marker() -> str:
    try:
        return kubectl("get", "configmap", "marker", "--output=yaml", "--request-timeout=5s")
    except RuntimeError as error:
        return str(error)


@pytest.mark.long
def test_all_control_planes_may_be_lost(created: running.Run, site: Site) -> None:
    """Other machines take their places; the cluster is that of the state store's keys, with the backup's objects."""
    hosts.remove(*site.control_planes)
    for host in site.control_planes:
        hosts.start(host)
    begun = site.run("hosts", kops_validate_wait=0)
    assert begun.code == 0, begun.output
    restored = site.run("etcd_restore")
    assert restored.code == 0, restored.output
    assert "from: backup" in kubectl("get", "configmap", "marker", "--output=yaml")
    rest = site.run("hosts")
    assert rest.code == 0, rest.output
    # Kubelets take a while to tell of their static pods again, which the restored API knows from hosts that are gone.
    workloads.eventually(lambda: etcd.voters("main", FIRST) and etcd.voters("events", FIRST), 120)
    is_whole(site)
