# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taints that registered nodes get: those of others stay, those that are not wanted any more go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.taints import add_taint, taint_nodes
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

DEDICATED = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
ROLE = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
OF_OTHERS = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


def taints(api: FakeKubernetes, name: str = "n1") -> list[dict[str, str]]:
    return api.objects[f"/api/v1/nodes/{name}"]["spec"].get("taints", [])


def test_a_running_node_gets_its_taints_once(api: FakeKubernetes) -> None:
    api.add("Node", "n1", spec={"taints": [OF_OTHERS]})
    (step,) = taint_nodes(api.client(check=True), {"n1": [DEDICATED]})
    assert (step.changed, api.writes()) == (True, [])
    (step,) = taint_nodes(api.client(), {"n1": [DEDICATED]})
    assert step.item == "Taints of node n1"
    assert step.before == ["node.kubernetes.io/unreachable:NoExecute"]
    assert step.after == ["node.kubernetes.io/unreachable:NoExecute", "dedicated=gpu:NoSchedule"]
    assert taints(api) == [OF_OTHERS, DEDICATED]
    writes = len(api.writes())
    (step,) = taint_nodes(api.client(), {"n1": [DEDICATED]})
    assert (step.changed, len(api.writes())) == (False, writes)


def test_taints_of_before_go_and_those_of_others_stay(api: FakeKubernetes) -> None:
    api.add("Node", "n1", spec={"taints": [ROLE]})
    taint_nodes(api.client(), {"n1": [ROLE, DEDICATED]})
    api.objects["/api/v1/nodes/n1"]["spec"]["taints"].append(OF_OTHERS)
    (step,) = taint_nodes(api.client(), {"n1": [ROLE]})
    assert step.changed
    assert taints(api) == [ROLE, OF_OTHERS]
    taint_nodes(api.client(), {"n1": []})
    assert taints(api) == [OF_OTHERS]
    assert not taint_nodes(api.client(), {"n1": []})[0].changed


def test_a_value_changes_in_place(api: FakeKubernetes) -> None:
    api.add("Node", "n1", spec={"taints": [DEDICATED, OF_OTHERS]})
    taint_nodes(api.client(), {"n1": [{**DEDICATED, "value": "cpu"}]})
    assert taints(api) == [{**DEDICATED, "value": "cpu"}, OF_OTHERS]


def test_nodes_without_taints_and_unknown_nodes_are_left_alone(api: FakeKubernetes) -> None:
    api.add("Node", "n1", spec={"taints": [OF_OTHERS]})
    (step,) = taint_nodes(api.client(), {"n1": [], "n2": [DEDICATED]})
    assert not step.changed
    assert api.writes() == []
    assert taint_nodes(api.client(), {}) == []


def test_a_taint_that_comes_at_the_same_time_is_not_lost(api: FakeKubernetes) -> None:
    node = api.add("Node", "n1", spec={})
    client = api.client()
    listed = client.list

    def list_and_taint(path: str, **query: str):
        found = list(listed(path, **query))
        node["spec"] = {"taints": [OF_OTHERS]}
        node["metadata"]["resourceVersion"] = "later"
        return iter([{**each, "spec": {}} for each in found])

    client.list = list_and_taint
    (step,) = taint_nodes(client, {"n1": [DEDICATED]})
    assert step.changed
    assert taints(api) == [OF_OTHERS, DEDICATED]


def test_a_taint_is_added_once_and_nothing_else_is_touched(api: FakeKubernetes) -> None:
    api.add("Node", "n1", spec={"taints": [OF_OTHERS]})
    client = api.client()
    add_taint(client, "gone", DEDICATED)
    assert api.writes() == []
    for _time in range(2):
        add_taint(client, "n1", DEDICATED)
    assert (taints(api), len(api.writes())) == ([OF_OTHERS, DEDICATED], 1)


def test_what_is_refused_is_an_error(api: FakeKubernetes) -> None:
    api.add("Node", "n1", spec={})
    client = api.client()
    taint_nodes(client, {"n1": []})

    def refuse(*_args: Any) -> None:
        raise KubernetesError("PATCH", 403, b'{"message": "forbidden"}')

    client.patch = refuse
    with pytest.raises(KubernetesError, match="forbidden"):
        taint_nodes(client, {"n1": [DEDICATED]})
