# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of a real API server that change: another network, and what is pruned beside objects of others."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.object_names import title
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.pruned import MANAGER_LABEL, NAME_LABEL
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import UpdateOptions, update_cluster
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]
NAME, FLANNEL = "metal.example.com", "networking.flannel"
SAID = {
    "hash": "",
    "cluster": "",
    "architecture": "amd64",
    "certificates": {},
    "etcd": [],
    "kernel": "6.1.0",
    "ready": {"memoryMiB": 4096, "swap": [], "ports": [22], "python": "3.11.2", "clockSkew": 0.3, "cgroups": 2},
}
KEPT = ("Namespace", "CustomResourceDefinition")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with control_plane(tmp_path_factory.mktemp("control-plane"), "--allow-privileged") as started:
        yield started


def addons(network: str, store: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The addons of a new cluster with a network, and the names of those that it does not have."""
    arguments = {"name": NAME, "state_store": store, "cloud": "metal", "zones": ["main"], "networking": network}
    create_cluster(arguments, check_mode=False)
    update_cluster(UpdateOptions(store, NAME))
    hosts = {
        name: {"groups": [f"{name}-main"], "observed": {**SAID, "facts": {"INTERNAL_IP": f"10.0.0.{number}"}}}
        for number, name in enumerate(("control-plane", "nodes"), 1)
    }
    plan = plan_hosts(HostOptions(store, NAME, hosts))
    return plan["addons"], plan["retired"]


def config_map(name: str, namespace: str, labels: dict[str, str]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}


def test_the_objects_of_the_former_network_go_and_those_of_others_stay(
    running: ControlPlane, tmp_path: pathlib.Path
) -> None:
    client = running.client()
    wanted, retired = addons("flannel", f"file://{tmp_path}/first")
    apply_addons(client, wanted, retired)
    flannel = next(addon["objects"] for addon in wanted if addon["name"] == FLANNEL)
    others = [
        config_map("one-label", "kube-flannel", {NAME_LABEL: FLANNEL}),
        config_map("other-manager", "kube-flannel", {NAME_LABEL: FLANNEL, MANAGER_LABEL: "Helm"}),
        config_map("other-addon", "kube-flannel", {NAME_LABEL: f"{FLANNEL}.example.com", MANAGER_LABEL: "kops"}),
        config_map("no-label", "default", {}),
        # Not of a kind that is pruned.
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "stringData": {"a": "1"},
            "metadata": {
                "name": "labels-of-the-addon",
                "namespace": "default",
                "labels": {NAME_LABEL: FLANNEL, MANAGER_LABEL: "kops"},
            },
        },
    ]
    for obj in others:
        client.apply(obj, "somebody-else")
    for network in ("kindnet", "cilium", "flannel"):
        wanted, retired = addons(network, f"file://{tmp_path}/{network}")
        ahead = apply_addons(running.client(check=True), wanted, retired)
        done = apply_addons(client, wanted, retired)
        assert [step.item for step in ahead.steps if step.changed] == [step.item for step in done.steps if step.changed]
        if network == "kindnet":
            gone = sorted(step.item for step in done.steps if step.changed and step.after is None)
            assert gone == sorted(title(obj) for obj in flannel if obj["kind"] not in KEPT)
        for obj in others:
            assert client.find(client.path_of(obj)) is not None, title(obj)
        assert not apply_addons(client, wanted, retired).changed
        agents = {found["metadata"]["name"] for found in client.list("/apis/apps/v1/daemonsets")}
        assert agents == {{"flannel": "kube-flannel-ds"}.get(network, network)}
