# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the validation of a cluster expects: from its store and the hosts of an inventory, reached or not."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.expectation import expect
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import HostProblems
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
GONE = {"unreachable": True, "msg": "no route to host"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"file://{tmp_path_factory.mktemp('store')}"
    wanted = {"cloud": "metal", "zones": ["main"], "networking": "flannel", "kubernetes_version": "1.34.2"}
    create_cluster({"name": NAME, "state_store": url, **wanted}, check_mode=False)
    update_cluster(UpdateOptions(url, NAME))
    return url


def host(group: str, address: str, observed: dict[str, Any] | None = None) -> dict[str, Any]:
    said = {"facts": {"INTERNAL_IP": address}} if observed is None else observed
    return {"groups": [group], "address": address, "observed": said}


def test_every_host_is_expected(store: str) -> None:
    inventory = {
        "Worker-1": host("nodes-main", "10.0.0.2"),
        "worker-2": host("nodes-main", "10.0.0.3", GONE),
        "first": host("control-plane-main", "10.0.0.1"),
    }
    found = expect(store, NAME, inventory)
    again = "kubeops.kops.hosts applies it again"
    flannel = {
        "addon": "networking.flannel",
        "kind": "DaemonSet",
        "namespace": "kube-flannel",
        "name": "kube-flannel-ds",
    }
    assert {**flannel, "again": again} in found["workloads"]
    assert {each["name"] for each in found.pop("workloads")} == {"kube-flannel-ds", "coredns"}
    assert found == {
        "name": NAME,
        "groups": [
            {"name": "control-plane-main", "role": "ControlPlane", "size": 1, "nodes": ["first"]},
            {"name": "nodes-main", "role": "Node", "size": 2, "nodes": ["worker-1", "worker-2"]},
        ],
        "apiAddresses": ["10.0.0.1"],
        "apiServer": "https://10.0.0.1",
        "dnsDomain": "cluster.local",
        "podImage": "registry.k8s.io/pause:3.10.1",
        "podNetwork": "100.64.0.0/10",
        "controlPlane": ["first"],
        "hostFailures": [],
    }


def test_a_control_plane_that_can_be_reached_comes_first(store: str) -> None:
    inventory = {
        "a": host("control-plane-main", "10.0.0.1", GONE),
        "b": host("control-plane-main", "10.0.0.2"),
        "c": host("control-plane-main", "an-alias", GONE),
        "w": host("nodes-main", "10.0.0.3"),
    }
    found = expect(store, NAME, inventory)
    assert found["controlPlane"] == ["b", "a", "c"]
    assert found["apiAddresses"] == ["10.0.0.1", "10.0.0.2"], "an address that nobody knows cannot be asked"
    assert found["apiServer"] == "https://10.0.0.2"


def test_a_virtual_address_has_to_answer_as_well(store: str) -> None:
    stored = ClusterStore.open(store, NAME)
    cluster = stored.read_cluster()
    cluster.spec.api.public_name = "10.0.0.100"
    stored.write_cluster(cluster)
    inventory = {"a": host("control-plane-main", "10.0.0.1", GONE), "w": host("nodes-main", "10.0.0.3")}
    assert expect(store, NAME, inventory)["apiAddresses"] == ["10.0.0.1", "10.0.0.100"]
    inventory["a"]["address"] = "10.0.0.100"
    assert expect(store, NAME, inventory)["apiAddresses"] == ["10.0.0.100"]
    cluster = stored.read_cluster()
    cluster.spec.api.public_name = None
    stored.write_cluster(cluster)


def test_a_host_without_a_group_is_a_problem(store: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(HostProblems, match="stranger: is in no instance group"):
        expect(store, NAME, {"stranger": host("web", "10.0.0.9"), "a": host("control-plane-main", "10.0.0.1")})


def test_instances_of_clouds_are_none_of_its_business(tmp_path: pathlib.Path) -> None:
    url = f"memfs://{tmp_path.name}"
    wanted = {"cloud": "gce", "project": "my-project", "zones": ["us-test1-a"], "kubernetes_version": "1.34.2"}
    create_cluster({"name": NAME, "state_store": url, **wanted}, check_mode=False)
    with pytest.raises(KopsError, match="is on GCE: its nodes are instances there; run this"):
        expect(url, NAME, {})
