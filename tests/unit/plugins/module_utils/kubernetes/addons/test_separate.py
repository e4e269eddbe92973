# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that share no host with others: which of them have none, and what is done about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.pruned import NAME_LABEL
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.rollouts import (
    are_rolled_out,
    await_rollouts,
)
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.room import make_room
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.separate import has_no_host
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import validate
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

LABELS = {"app": "web"}
HOST = "kubernetes.io/hostname"
TAINT = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
SELECTOR = {"matchLabels": LABELS}
SPREAD = {
    "topologySpreadConstraints": [
        {"topologyKey": HOST, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": SELECTOR}
    ]
}
_APART = [{"topologyKey": HOST, "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}]
ANTI_AFFINITY = {
    "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _APART}},
}
DEPLOYMENTS, SETS = (
    "/apis/apps/v1/namespaces/kube-system/deployments",
    "/apis/apps/v1/namespaces/kube-system/replicasets",
)


def node(name: str, *taints: dict[str, str], cordoned: bool = False, **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "labels": {HOST: name, **labels}}
    return {"metadata": metadata, "spec": {"taints": list(taints), "unschedulable": cordoned}}


def pod(name: str, on: str = "", rule: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    spec = {**(SPREAD if rule is None else rule), **({"nodeName": on} if on else {}), **more.pop("spec", {})}
    labels = {**LABELS, **more.pop("labels", {})}
    metadata = {"name": name, "namespace": "kube-system", "labels": labels, **more.pop("metadata", {})}
    return {"metadata": metadata, "spec": spec, "status": {"phase": "Running" if on else "Pending"}, **more}


CONTROL_PLANE = node("cp1", TAINT)
ENDING = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}


@pytest.mark.parametrize("rule", [SPREAD, ANTI_AFFINITY])
@pytest.mark.parametrize(
    ("nodes", "others", "expected"),
    [
        ([CONTROL_PLANE, node("w1")], [pod("web-1", "w1")], True),
        ([CONTROL_PLANE, node("w1")], [], False),
        ([CONTROL_PLANE, node("w1"), node("w2")], [pod("web-1", "w1")], False),
        ([CONTROL_PLANE, node("w1"), node("w2")], [pod("web-1", "w1"), pod("web-2", "w2")], True),
        ([CONTROL_PLANE, node("w1"), node("w2", cordoned=True)], [pod("web-1", "w1")], True),
        # The host that is not ready yet takes the pod soon.
        (
            [CONTROL_PLANE, node("w1"), node("w2", {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"})],
            [pod("web-1", "w1")],
            False,
        ),
        ([CONTROL_PLANE, node("w1")], [pod("web-1", "w1", **ENDING)], False),
        ([CONTROL_PLANE, node("w1")], [{**pod("web-1", "w1"), "status": {"phase": "Failed"}}], False),
        ([CONTROL_PLANE, node("w1")], [pod("other", "w1", labels={"app": None})], False),
        # Without a single host for it, it is not the others that keep it away.
        ([CONTROL_PLANE], [], False),
        ([], [], False),
    ],
)
def test_a_pod_without_host(
    rule: dict[str, Any], nodes: list[dict[str, Any]], others: list[dict[str, Any]], expected: bool
) -> None:
    if rule is ANTI_AFFINITY:
        for other in others:
            other["metadata"]["labels"] = {k: v for k, v in other["metadata"]["labels"].items() if v is not None}
    waiting = pod("web-9", rule=rule)
    assert has_no_host(waiting, [*others, waiting], nodes) is expected


def test_pods_are_spread_evenly_over_hosts_that_all_take_them() -> None:
    """By a spread, a second one may come to a host once every host has one; by an anti-affinity it may not."""
    nodes, others = [node("w1"), node("w2")], [pod("web-1", "w1"), pod("web-2", "w2")]
    assert not has_no_host(pod("web-3"), others, nodes)
    assert has_no_host(pod("web-3", rule=ANTI_AFFINITY), others, nodes)
    assert not has_no_host(pod("web-3", rule={}), others, nodes)


TOLERATION = {"key": TAINT["key"], "operator": "Exists"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"tolerations": [TOLERATION]}, False),
        ({"tolerations": [{**TOLERATION, "effect": "NoExecute"}]}, True),
        ({"tolerations": [{"operator": "Exists"}]}, False),
        ({"tolerations": [{"key": TAINT["key"], "operator": "Equal", "value": "other"}]}, True),
        # Among the hosts that it selects there is none with fewer of them.
        ({"nodeSelector": {"disk": "fast"}}, False),
        ({"nodeSelector": {"disk": "slow"}}, False),
    ],
)
def test_hosts_that_a_pod_may_be_on(spec: dict[str, Any], expected: bool) -> None:
    nodes = [CONTROL_PLANE, node("w1", disk="fast")]
    assert has_no_host(pod("web-2", spec=spec), [pod("web-1", "w1")], nodes) is expected


@pytest.mark.parametrize(
    ("operator", "values", "expected"),
    [
        ("In", ["fast"], True),
        ("In", ["fast", "slow"], False),
        ("NotIn", ["slow"], True),
        ("Exists", [], False),
        ("DoesNotExist", [], False),
    ],
)
def test_hosts_that_an_affinity_chooses(operator: str, values: list[str], expected: bool) -> None:
    nodes = [node("w1", disk="fast"), node("w2", disk="slow")]
    terms = [{"matchExpressions": [{"key": "disk", "operator": operator, "values": values}]}]
    affinity = {
        **ANTI_AFFINITY["affinity"],
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}},
    }
    assert has_no_host(pod("web-2", rule={"affinity": affinity}), [pod("web-1", "w1")], nodes) is expected


# -- in a cluster ---------------------------------------------------------------------------------------------------


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    """A control plane and two workers."""
    with serving() as fake:
        for each in (CONTROL_PLANE, node("w1"), node("w2")):
            fake.add(
                "Node", each["metadata"]["name"], metadata={"labels": each["metadata"]["labels"]}, spec=each["spec"]
            )
        yield fake


def put(api: FakeKubernetes, name: str, version: str, on: str = "") -> None:
    made = pod(name, on, labels={"pod-template-hash": version})
    api.add("Pod", **{"name": name, "namespace": "kube-system", **made})


def replica_set(api: FakeKubernetes, version: str, revision: str, replicas: int, **status: int) -> None:
    metadata = {
        "labels": {"pod-template-hash": version},
        "annotations": {"deployment.kubernetes.io/revision": revision},
        "ownerReferences": [{"uid": "uid-web"}],
    }
    status = {"replicas": replicas, **status}
    spec = {"replicas": replicas}
    api.add("ReplicaSet", f"web-{version}", "kube-system", "apps/v1", metadata=metadata, spec=spec, status=status)


def deployment(api: FakeKubernetes, **status: int) -> dict[str, Any]:
    spec = {"replicas": 2, "selector": SELECTOR, "template": {"spec": SPREAD}}
    metadata = {
        "annotations": {"deployment.kubernetes.io/revision": "2"},
        "labels": {NAME_LABEL: "web.example.com"},
    }
    return api.add("Deployment", "web", "kube-system", "apps/v1", metadata=metadata, spec=spec, status=status)


def left(api: FakeKubernetes) -> int:
    return int(api.objects[f"{SETS}/web-old"]["spec"]["replicas"])


def make(api: FakeKubernetes, found: dict[str, Any]) -> bool:
    client = api.client()
    pods, nodes = (list(client.list(client.kind("v1", kind).path())) for kind in ("Pod", "Node"))
    return make_room(client, found, pods, nodes)


def test_fewer_hosts_than_pods_are_told_but_not_waited_for(api: FakeKubernetes) -> None:
    del api.objects["/api/v1/nodes/w2"]
    put(api, "web-1", "new", "w1")
    put(api, "web-2", "new")
    found = deployment(api, replicas=2, updatedReplicas=2, availableReplicas=1)
    assert are_rolled_out(api.client(), [found])
    (note,) = await_rollouts(api.client(), [found], 0)
    assert note.startswith("Deployment kube-system/web runs 1 of 2 pods: no two of them share a host")
    validated = validate(api.client(), [])
    assert not [each for each in validated.failures if each.kind in ("Pod", "Addon")]
    assert validated.warnings == [
        "pod kube-system/web-2 waits for another host, as it shares none with others of its kind"
    ]


@pytest.mark.parametrize(
    ("on", "status"),
    [
        # There is a host for it.
        ("", {"availableReplicas": 1}),
        # It is not the host that is missing.
        ("w2", {"availableReplicas": 1}),
        # Not one of them is ready.
        ("", {"availableReplicas": 0}),
    ],
)
def test_pods_that_have_a_host_are_waited_for(api: FakeKubernetes, on: str, status: dict[str, int]) -> None:
    put(api, "web-1", "new", "w1")
    put(api, "web-2", "new", on)
    found = deployment(api, replicas=2, updatedReplicas=2, **status)
    assert not are_rolled_out(api.client(), [found])
    with pytest.raises(KopsError, match="of 2 pods ready"):
        await_rollouts(api.client(), [found], 0)


def test_old_pods_are_not_taken_for_new_ones(api: FakeKubernetes) -> None:
    """A Deployment counts the ready pods of all versions."""
    found = deployment(api, replicas=3, updatedReplicas=2, availableReplicas=2)
    with pytest.raises(KopsError, match="Deployment kube-system/web has 1 old pods left"):
        await_rollouts(api.client(), [found], 0)


def test_an_old_pod_makes_room_for_a_new_one(api: FakeKubernetes) -> None:
    put(api, "old-1", "old", "w1")
    put(api, "old-2", "old", "w2")
    put(api, "new-1", "new")
    replica_set(api, "old", "1", 2, availableReplicas=2)
    replica_set(api, "new", "2", 1)
    found = deployment(api, replicas=3, updatedReplicas=1, availableReplicas=2)
    assert make(api, found)
    assert left(api) == 1
    # Until that has had its effect, no other one goes.
    assert not make(api, found)
    assert left(api) == 1


def test_old_pods_stay_until_new_ones_are_ready(api: FakeKubernetes) -> None:
    put(api, "old-1", "old", "w1")
    put(api, "new-1", "new", "w2")
    put(api, "new-2", "new")
    replica_set(api, "old", "1", 1, availableReplicas=1)
    replica_set(api, "new", "2", 2, availableReplicas=0)
    found = deployment(api, replicas=3, updatedReplicas=2, availableReplicas=1)
    assert not make(api, found)
    assert left(api) == 1
    api.objects[f"{SETS}/web-new"]["status"]["availableReplicas"] = 1
    assert make(api, found)
    assert left(api) == 0


def test_old_pods_stay_where_there_is_a_host_for_new_ones(api: FakeKubernetes) -> None:
    put(api, "old-1", "old", "w1")
    put(api, "new-1", "new")
    replica_set(api, "old", "1", 1, availableReplicas=1)
    replica_set(api, "new", "2", 1)
    assert not make(api, deployment(api, replicas=2, updatedReplicas=1))
    assert left(api) == 1


@pytest.mark.parametrize(("labels", "kept"), [({NAME_LABEL: "web.example.com"}, 1), ({}, 2), (None, 2)])
def test_waiting_makes_room(api: FakeKubernetes, labels: dict[str, str] | None, kept: int) -> None:
    """But not for Deployments of users and of channels, whose strategy may be to keep all pods."""
    put(api, "old-1", "old", "w1")
    put(api, "old-2", "old", "w2")
    put(api, "new-1", "new")
    replica_set(api, "old", "1", 2, availableReplicas=2)
    replica_set(api, "new", "2", 1)
    found = deployment(api, replicas=3, updatedReplicas=1, availableReplicas=2)
    found["metadata"]["labels"] = labels

    def tell(_line: str) -> None:
        """Nothing has been done when the waiting begins."""
        assert left(api) == 2

    with pytest.raises(KopsError, match="has 1 of 2 pods updated"):
        await_rollouts(api.client(), [found], 3, tell)
    assert left(api) == kept
