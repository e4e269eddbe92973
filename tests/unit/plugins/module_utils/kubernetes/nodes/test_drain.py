# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes out of use and back: which pods leave, what holds them, what a second run does."""

from __future__ import annotations

import dataclasses
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes import drain
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.drain import (
    DrainOptions,
    NotDrained,
    cordoned_for_update,
    set_node_state,
)
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

FAST = DrainOptions(timeout=0.3, settle=0, pause=0.02)
NODE = "/api/v1/nodes/n1"
MARK = "kops.k8s.io/cordoned-for-update"
DAEMON_SET = {"ownerReferences": [{"kind": "DaemonSet", "controller": True, "name": "agent"}]}
MIRROR = {"annotations": {"kubernetes.io/config.mirror": "hash"}}


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        node(fake)
        yield fake


def node(api: FakeKubernetes, ready: str = "True") -> None:
    api.add("Node", "n1", spec={}, status={"conditions": [{"type": "Ready", "status": ready}]})


def pod(api: FakeKubernetes, name: str, on: str = "n1", phase: str = "Running", **metadata: Any) -> None:
    api.add("Pod", name, "web", metadata=metadata, spec={"nodeName": on}, status={"phase": phase})


def pods(api: FakeKubernetes) -> list[str]:
    return sorted(path.rpartition("/")[2] for path in api.objects if "/pods/" in path)


def changes(report: Report) -> list[tuple[str, Any, Any]]:
    return [(step.item, step.before, step.after) for step in report.steps if step.changed]


def test_pods_leave_but_those_that_belong_to_the_node(api: FakeKubernetes) -> None:
    pod(api, "web-1")
    pod(api, "elsewhere", on="n2")
    pod(api, "agent", **DAEMON_SET)
    pod(api, "static", **MIRROR)
    pod(api, "done", phase="Succeeded", **DAEMON_SET)
    report = set_node_state(api.client(), "n1", "drained", FAST)
    assert changes(report) == [
        ("Node n1", "schedulable", "cordoned"),
        ("Pod web/web-1", "n1", None),
        ("Pod web/done", "n1", None),
    ]
    assert pods(api) == ["agent", "elsewhere", "static"]
    assert api.objects[NODE]["spec"]["unschedulable"] is True
    assert not set_node_state(api.client(), "n1", "drained", FAST).changed


def test_checking_evicts_nobody(api: FakeKubernetes) -> None:
    pod(api, "web-1")
    report = set_node_state(api.client(check=True), "n1", "drained", FAST)
    assert (len(changes(report)), pods(api), api.writes()) == (2, ["web-1"], [])


def test_what_a_budget_holds_is_told(api: FakeKubernetes) -> None:
    pod(api, "web-1")
    pod(api, "web-2")
    pod(api, "slow")
    api.blocked, api.stubborn = {"web-1"}, {"slow"}
    with pytest.raises(KopsError) as caught:
        set_node_state(api.client(), "n1", "drained", FAST)
    message = str(caught.value)
    assert "node n1 is cordoned but not drained after 0.3 seconds" in message
    assert "- pod web/web-1: would violate the pod's disruption budget" in message
    assert "- pod web/slow: it was evicted but has not ended yet" in message
    assert pods(api) == ["slow", "web-1"]


def test_a_drain_that_takes_long_says_what_holds_it(api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "_REMINDER", 0.1)
    pod(api, "web-1")
    api.blocked = {"web-1"}
    lines: list[str] = []
    with pytest.raises(KopsError):
        set_node_state(api.client(), "n1", "drained", FAST, lines.append)
    assert lines[0].startswith("n1: not drained after 0 s; pod web/web-1: would violate the pod's disruption budget")


def test_a_node_that_leaves_gets_no_traffic_and_no_new_pods_of_daemon_sets(api: FakeKubernetes) -> None:
    leaves = dataclasses.replace(FAST, for_update=True, leaves=True)
    label = "node.kubernetes.io/exclude-from-external-load-balancers"
    set_node_state(api.client(check=True), "n1", "cordoned", leaves)
    assert label not in api.objects[NODE]["metadata"].get("labels", {})
    set_node_state(api.client(), "n1", "cordoned", leaves)
    assert label in api.objects[NODE]["metadata"]["labels"]
    assert MARK in api.objects[NODE]["metadata"]["annotations"]
    api.requests.clear()
    set_node_state(api.client(), "n1", "drained", leaves)
    assert not any("daemonsets" in each for each in api.requests)


def test_a_budget_that_gives_way_is_waited_for(api: FakeKubernetes) -> None:
    pod(api, "web-1")
    api.blocked = {"web-1"}
    later = threading.Timer(0.3, api.blocked.clear)
    later.start()
    set_node_state(api.client(), "n1", "drained", DrainOptions(timeout=30, settle=0, pause=0.05))
    later.join()
    assert pods(api) == []


def test_pods_of_a_dead_node_are_not_waited_for(api: FakeKubernetes) -> None:
    node(api, ready="Unknown")
    pod(api, "web-1")
    api.stubborn = {"web-1"}
    set_node_state(api.client(), "n1", "drained", FAST)
    assert pods(api) == ["web-1"]
    assert not set_node_state(api.client(), "n1", "drained", FAST).changed


def test_nobody_waits_for_a_budget_on_a_machine_that_is_gone(api: FakeKubernetes) -> None:
    """A host that is removed and does not answer: its Node object goes next, and the pods with it."""
    node(api, ready="Unknown")
    pod(api, "web-1")
    api.blocked = {"web-1"}
    with pytest.raises(NotDrained):
        set_node_state(api.client(), "n1", "drained", FAST)
    lines: list[str] = []
    gone = DrainOptions(timeout=60, settle=0, pause=30, unreachable=True)
    set_node_state(api.client(), "n1", "drained", gone, lines.append)
    assert lines == ["n1: its kubelet is silent, so these pods are not waited for: web/web-1"]


def test_a_machine_that_only_nobody_reaches_is_drained(api: FakeKubernetes) -> None:
    """Its kubelet speaks: what runs there is kept by budgets. When it falls silent, the drain ends."""
    pod(api, "web-1")
    api.blocked = {"web-1"}
    with pytest.raises(NotDrained):
        set_node_state(api.client(), "n1", "drained", dataclasses.replace(FAST, unreachable=True))
    later = threading.Timer(0.2, node, (api, "Unknown"))
    later.start()
    set_node_state(api.client(), "n1", "drained", DrainOptions(timeout=30, settle=0, pause=0.05, unreachable=True))
    later.join()
    assert pods(api) == ["web-1"]


def test_evictions_name_the_very_pod_and_its_time(api: FakeKubernetes) -> None:
    """A new pod of the same name is another pod: the server refuses by the uid, and the next look tells."""
    pod(api, "web-1")
    set_node_state(api.client(), "n1", "drained", DrainOptions(timeout=1, settle=0, pause=0.02, grace=7))
    assert pods(api) == []


def test_back_into_use(api: FakeKubernetes) -> None:
    set_node_state(api.client(), "n1", "cordoned", FAST)
    report = set_node_state(api.client(), "n1", "schedulable", FAST)
    assert changes(report) == [("Node n1", "cordoned", "schedulable")]
    assert "unschedulable" not in api.objects[NODE]["spec"]
    assert not set_node_state(api.client(), "n1", "schedulable", FAST).changed


def test_a_rolling_update_marks_what_it_cordons_and_uncordons_nothing_else(api: FakeKubernetes) -> None:
    update = dataclasses.replace(FAST, for_update=True)
    for state in ("cordoned", "drained"):
        set_node_state(api.client(check=True), "n1", state, update)
    assert api.writes() == []
    assert set_node_state(api.client(), "n1", "drained", update).changed
    (write,) = api.writes()
    assert write == f"PATCH {NODE}"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", api.objects[NODE]["metadata"]["annotations"][MARK])
    assert cordoned_for_update(api.objects[NODE]) == api.objects[NODE]["metadata"]["annotations"][MARK]
    assert not set_node_state(api.client(), "n1", "drained", update).changed
    assert changes(set_node_state(api.client(), "n1", "schedulable", update)) == [
        ("Node n1", "cordoned", "schedulable")
    ]
    assert MARK not in api.objects[NODE]["metadata"]["annotations"]
    assert cordoned_for_update(api.objects[NODE]) == ""

    # By hand: it has no mark, and stays as it is.
    set_node_state(api.client(), "n1", "cordoned", FAST)
    for state in ("drained", "schedulable"):
        assert not set_node_state(api.client(), "n1", state, update).changed
    assert api.objects[NODE]["spec"]["unschedulable"] is True
    assert cordoned_for_update(api.objects[NODE]) == ""
    assert set_node_state(api.client(), "n1", "schedulable", FAST).changed


def test_uncordoning_by_hand_makes_a_mark_meaningless(api: FakeKubernetes) -> None:
    update = dataclasses.replace(FAST, for_update=True)
    set_node_state(api.client(), "n1", "cordoned", update)
    del api.objects[NODE]["spec"]["unschedulable"]
    assert cordoned_for_update(api.objects[NODE]) == ""
    set_node_state(api.client(), "n1", "schedulable", update)
    assert MARK not in api.objects[NODE]["metadata"]["annotations"]


def test_gone(api: FakeKubernetes) -> None:
    assert changes(set_node_state(api.client(check=True), "n1", "absent", FAST)) == [("Node n1", "present", None)]
    assert NODE in api.objects
    set_node_state(api.client(), "n1", "absent", FAST)
    assert NODE not in api.objects
    for state in ("absent", "drained"):
        assert not set_node_state(api.client(), "n1", state, FAST).changed
    for state in ("cordoned", "schedulable"):
        with pytest.raises(KopsError, match="node n1 does not exist"):
            set_node_state(api.client(), "n1", state, FAST)


def test_states_are_known(api: FakeKubernetes) -> None:
    with pytest.raises(KopsError, match="gone is not a state of a node"):
        set_node_state(api.client(), "n1", "gone", FAST)
