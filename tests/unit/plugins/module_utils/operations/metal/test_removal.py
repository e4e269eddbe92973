# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How hosts leave a cluster: in which order, by whom it is told, and what speaks against it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import HostProblems
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.removal import (
    RemovalOptions,
    plan_end,
    plan_removal,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
GONE = {"unreachable": True, "msg": "no route to host"}
ADDRESSES = {"cp1": "10.0.0.1", "cp2": "10.0.0.2", "cp3": "10.0.0.3", "w1": "10.0.0.4", "w2": "10.0.0.5"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"file://{tmp_path_factory.mktemp('store')}"
    wanted = {"cloud": "metal", "zones": ["main"], "networking": "flannel", "kubernetes_version": "1.34.2"}
    create_cluster({"name": NAME, "state_store": url, "control_plane_count": 3, **wanted}, check_mode=False)
    return url


def said(host: str, **more: Any) -> dict[str, Any]:
    """What a node of the cluster says of itself."""
    etcd = [
        {"etcd": etcd, "cluster": NAME, "member": host, "data": True, "manifest": True} for etcd in ("main", "events")
    ]
    facts = {"INTERNAL_IP": ADDRESSES[host]}
    return {"facts": facts, "cluster": NAME, "hash": "x", "etcd": etcd if host.startswith("cp") else [], **more}


def wiped(host: str) -> dict[str, Any]:
    return said(host, cluster="", hash="", etcd=[])


def inventory(**observed: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Three control planes and two workers; observed: of a host, what it says."""
    return {
        host: {
            "groups": [f"control-plane-main-{host[2]}" if host.startswith("cp") else "nodes-main"],
            "address": address,
            "observed": observed.get(host, said(host)),
        }
        for host, address in ADDRESSES.items()
    }


def plan(store: str, *remove: str, **observed: dict[str, Any]) -> dict[str, Any]:
    return plan_removal(RemovalOptions(store, NAME, inventory(**observed), remove))


def problems(store: str, *remove: str, **observed: dict[str, Any]) -> list[str]:
    with pytest.raises(HostProblems) as raised:
        plan(store, *remove, **observed)
    return raised.value.problems


def test_a_worker(store: str) -> None:
    known = {"node": "w2", "instanceGroup": "nodes-main", "role": "Node"}
    assert plan(store, "w2") == {
        "name": NAME,
        "hosts": ["w2"],
        "removals": {"w2": {**known, "reachable": True, "members": []}},
        "via": "cp1",
        "leftAlone": [],
    }


def test_a_control_plane_has_members_of_etcd(store: str) -> None:
    found = plan(store, "cp1")
    assert found["via"] == "cp2"
    assert found["removals"]["cp1"]["members"] == [
        {"etcd": "main", "peerUrl": "https://10.0.0.1:2380"},
        {"etcd": "events", "peerUrl": "https://10.0.0.1:2381"},
    ]


def test_the_dead_go_before_the_living_and_control_planes_last(store: str) -> None:
    found = plan(store, "cp2", "w1", "cp3", "w2", cp3=GONE, w2=GONE)
    assert found["hosts"] == ["w2", "w1", "cp3", "cp2"]
    assert [found["removals"][name]["reachable"] for name in found["hosts"]] == [False, True, False, True]


def test_a_host_that_has_left_already_leaves_again(store: str) -> None:
    found = plan(store, "cp3", cp3=wiped("cp3"))
    assert found["removals"]["cp3"]["members"][0]["peerUrl"] == "https://10.0.0.3:2380"


def test_some_control_plane_has_to_stay(store: str) -> None:
    nobody = ["no control plane would be left; kubeops.kops.delete_cluster deletes a whole cluster"]
    assert problems(store, "cp1", "cp2", "cp3", "w1") == nobody
    assert problems(store, "cp3", cp1=GONE, cp2=wiped("cp2")) == [
        "no control plane that stays works and can be reached (cp1, cp2); repair one first"
    ]


def test_a_majority_of_the_members_has_to_stay(store: str) -> None:
    assert problems(store, "cp1", cp3=GONE) == [
        f"etcd cluster {etcd}: 2 of the 2 members that stay have to be there, and 1 would be;"
        " repair, or remove as well: cp3"
        for etcd in ("main", "events")
    ]
    assert plan(store, "cp1", "cp3", cp3=GONE)["hosts"] == ["cp3", "cp1"]


def test_without_a_majority_etcd_forgets_nobody(store: str) -> None:
    assert problems(store, "cp2", "cp3", cp2=GONE, cp3=GONE) == [
        f"etcd cluster {etcd}: has lost its majority, so that no member can be removed; repair one of cp2, cp3,"
        " or restore a backup with kubeops.kops.etcd_restore"
        for etcd in ("main", "events")
    ]


def test_what_is_wrong_with_hosts_is_told_together(store: str) -> None:
    hosts = inventory(w1=said("w1", cluster="other.example.com"), cp3=GONE)
    hosts["cp3"]["address"] = "an-alias"
    with pytest.raises(HostProblems) as raised:
        plan_removal(RemovalOptions(store, NAME, hosts, ("w1", "cp3", "w9")))
    assert raised.value.problems == [
        "w9: is not among the hosts of the inventory that make up the cluster",
        "w1: is a node of cluster other.example.com",
        "cp3: has no address, by which etcd knows it; set its variable kops_address",
    ]
    assert problems(store) == ["kops_remove names no host of the inventory"]


def test_the_end_takes_only_nodes_of_this_cluster(store: str) -> None:
    hosts = inventory(w1=said("w1", cluster="other.example.com"), w2=wiped("w2"))
    found = plan_end(RemovalOptions(store, NAME, hosts))
    assert (found["hosts"], found["leftAlone"]) == (["cp1", "cp2", "cp3"], ["w1", "w2"])
    assert found["via"] == "cp1"


def test_at_the_end_a_control_plane_of_the_cluster_knows_its_nodes(store: str) -> None:
    foreign = said("cp1", cluster="other.example.com")
    assert plan_end(RemovalOptions(store, NAME, inventory(cp1=foreign)))["via"] == "cp2"
    workers = {name: host for name, host in inventory().items() if name.startswith("w")}
    assert plan_end(RemovalOptions(store, NAME, workers))["via"] == ""


def test_the_end_wants_every_host_unless_told_otherwise(store: str) -> None:
    with pytest.raises(
        HostProblems, match=r"1 problem .*\n- cp3: cannot be reached: no route to host; with kops_leave_out_"
    ):
        plan_end(RemovalOptions(store, NAME, inventory(cp3=GONE)))
    found = plan_end(RemovalOptions(store, NAME, inventory(cp3=GONE), without=True))
    assert (found["hosts"], found["leftAlone"]) == (["cp1", "cp2", "w1", "w2"], ["cp3"])


def test_the_store_is_deleted_once_no_host_is_a_node(store: str) -> None:
    for check in (True, False):
        with pytest.raises(KopsError, match=r"-i hosts\.yml.*kops_unregister=true in a playbook"):
            delete_cluster(DeleteOptions(store, NAME), check=check)
    assert ClusterStore.open(store, NAME).find_cluster() is not None
    for options in (DeleteOptions(store, NAME, unregister=True), DeleteOptions(store, NAME, hosts_cleared=True)):
        assert delete_cluster(options, check=True).store_files > 0


def test_instances_of_clouds_are_none_of_its_business(tmp_path: Any) -> None:
    url = f"memfs://{tmp_path.name}"
    wanted = {"cloud": "gce", "project": "my-project", "zones": ["us-test1-a"], "kubernetes_version": "1.34.2"}
    create_cluster({"name": NAME, "state_store": url, **wanted}, check_mode=False)
    with pytest.raises(KopsError, match="is on GCE: its nodes are instances there; run this"):
        plan_removal(RemovalOptions(url, NAME, {}, ("a",)))
