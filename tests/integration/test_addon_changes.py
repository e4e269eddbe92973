# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of a real API server that change: another network, what is pruned beside objects of others, marked nodes."""

from __future__ import annotations

import json
import pathlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.object_names import title
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.pruned import MANAGER_LABEL, NAME_LABEL
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.drain import DrainOptions, set_node_state
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import validate
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
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


ROLES = {"cp": "control-plane", "w1": "node", "w2": "node"}
AGENT = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "agent", "namespace": "default"}}
MARK = "kops.k8s.io/needs-update"


def marked(client: KubernetesClient) -> set[str]:
    found = client.list("/api/v1/nodes")
    return {each["metadata"]["name"] for each in found if MARK in (each["metadata"].get("annotations") or {})}


def test_nodes_are_marked_when_an_addon_changes_that_needs_it(running: ControlPlane) -> None:
    client = running.client()
    for name, role in ROLES.items():
        client.post("/api/v1/nodes", {"metadata": {"name": name, "labels": {f"node-role.kubernetes.io/{role}": ""}}})

    def apply(value: str, needs: str, *, check: bool = False, **more: Any) -> list[str]:
        addon = {"name": "agent", "id": "v1", "objects": [{**AGENT, "data": {"a": value}}], **more}
        report = apply_addons(running.client(check=check), [{**addon, "needs_rolling_update": needs}])
        return [step.item for step in report.steps if step.changed and step.item.startswith("Node ")]

    def record() -> dict[str, Any] | None:
        annotations = client.get("/api/v1/namespaces/kube-system")["metadata"].get("annotations") or {}
        return json.loads(annotations["addons.k8s.io/agent"]) if "addons.k8s.io/agent" in annotations else None

    # A new addon marks nothing.
    assert apply("1", "all") == []
    first = record()
    assert first is not None
    assert (first["id"], first["systemGeneration"], len(first["manifestHash"])) == ("v1", 1, 64)
    for value, needs, expected in (
        ("1", "all", set()),
        ("2", "", set()),
        ("3", "control-plane", {"cp"}),
        ("4", "workers", {"w1", "w2"}),
        ("5", "all", {"cp", "w1", "w2"}),
    ):
        items = [f"Node {name}" for name in sorted(expected)]
        assert apply(value, needs, check=True) == items
        assert marked(client) == set()
        assert apply(value, needs) == items
        assert marked(client) == expected
        assert apply(value, needs) == []
        # As a rolling update does it at the end of a node.
        for name in ROLES:
            done = set_node_state(running.client(), name, "schedulable", DrainOptions(for_update=True))
            assert done.changed == (name in expected)
        assert marked(client) == set()
    # Another id is another version, too.
    assert apply("5", "workers", id="v2") == ["Node w1", "Node w2"]
    rows = {row["name"]: row["needs_update"] for row in validate(client, []).nodes}
    assert rows == {"cp": False, "w1": True, "w2": True}
    # What kops has recorded is known; without an entry, the addon is a new one.
    changed = {"addons.k8s.io/agent": json.dumps({**first, "channel": "s3://store/addons"})}
    client.patch("/api/v1/namespaces/kube-system", {"metadata": {"annotations": changed}})
    assert apply("1", "control-plane", id="v1") == []
    apply_addons(client, [], ["agent"])
    assert record() is None
    assert apply("9", "control-plane") == []


def test_a_refused_addon_marks_and_records_nothing(running: ControlPlane) -> None:
    client = running.client()
    good = {"name": "odd", "objects": [{**AGENT, "data": {"a": "1"}}], "needs_rolling_update": "all"}
    apply_addons(client, [good])
    before = marked(client)
    path = "/api/v1/namespaces/kube-system"
    recorded = client.get(path)["metadata"]["annotations"]["addons.k8s.io/odd"]
    with pytest.raises(KopsError):
        apply_addons(client, [{**good, "objects": [{**AGENT, "metadata": {"name": "Bad_Name"}}]}])
    assert client.get(path)["metadata"]["annotations"]["addons.k8s.io/odd"] == recorded
    assert marked(client) == before


def test_the_validation_names_addons_without_their_pods(running: ControlPlane) -> None:
    client = running.client()
    labels = {NAME_LABEL: "web.example.com", MANAGER_LABEL: "kops"}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "none"}]}}
    for name, own in (("web", labels), ("of-a-user", {})):
        template = {**template, "metadata": {"labels": {"app": name}}}
        spec = {"replicas": 2, "selector": {"matchLabels": {"app": name}}, "template": template}
        metadata = {"name": name, "namespace": "default", "labels": own}
        client.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    pods, end = "/api/v1/namespaces/default/pods", time.monotonic() + 30
    while len(found := list(client.list(pods, labelSelector="app=web"))) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    waiting = {"reason": "ImagePullBackOff", "message": "no such image"}
    status = {
        "containerStatuses": [{"name": "main", "image": "none", "imageID": "", "ready": False, "restartCount": 0}]
    }
    status["containerStatuses"][0]["state"] = {"waiting": waiting}
    name = found[0]["metadata"]["name"]
    client.patch(f"{pods}/{name}/status", {"status": status})
    [failure] = [each for each in validate(client, []).failures if each.name == "web.example.com"]
    assert failure.kind == "Addon"
    assert failure.message.startswith("Deployment default/web has 0 of 2 pods ready: ")
    assert f"pod {name}, container main: ImagePullBackOff no such image" in failure.message
    assert not any("of-a-user" in each.message for each in validate(client, []).failures)
