# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pod on every node, for a moment: what it shows of the node, and that nothing is left of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.pods import (
    LABEL,
    PodProbe,
    Trial,
    pod_failures,
)
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

NODES = {"cp1": "control-plane", "w1": "nodes", "w2": "nodes"}
PROBE = PodProbe("registry.k8s.io/pause:3.10.1", "100.64.0.0/10", seconds=0.3)
RUNNING = {"phase": "Running", "podIP": "100.96.1.7"}
PODS = "/api/v1/namespaces/kube-system/pods"


@pytest.fixture()
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        fake.kubelet = lambda pod: RUNNING
        yield fake


def on(node: str, status: dict[str, Any] | str) -> Any:
    """A kubelet: all pods run but those of a node."""
    return lambda pod: status if pod["spec"]["nodeName"] == node else RUNNING


def failures(api: FakeKubernetes, probe: PodProbe = PROBE) -> list[tuple[str, str]]:
    """Names and messages; whatever was found, no pod is left."""
    found = pod_failures(api.client(), NODES, probe)
    assert [path for path in api.objects if path.startswith(PODS)] == []
    assert all(failure.kind == "Node" and failure.group == NODES[failure.name] for failure in found)
    return [(failure.name, failure.message.partition(": ")[2]) for failure in found]


def test_a_pod_on_every_node(api: FakeKubernetes) -> None:
    seen: list[dict[str, Any]] = []
    api.kubelet = lambda pod: seen.append(pod) or RUNNING  # type: ignore[func-returns-value]
    assert failures(api) == []
    assert sorted(pod["spec"]["nodeName"] for pod in seen) == sorted(NODES)
    (label,) = {pod["metadata"]["labels"][LABEL] for pod in seen}
    assert label
    assert {pod["spec"]["containers"][0]["image"] for pod in seen} == {PROBE.image}
    assert len([each for each in api.requests if each.startswith("POST ")]) == len(NODES)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ({}, "the pod does not run after 0.3 seconds"),
        ({"phase": "Running"}, "the pod does not run after 0.3 seconds"),
        ({**RUNNING, "podIP": "10.88.0.9"}, "a pod got the address 10.88.0.9, which is not in 100.64.0.0/10"),
        ({"phase": "Failed", "reason": "NodeAffinity", "message": "no"}, "NodeAffinity no"),
        ("not allowed here", "POST /api/v1/namespaces/kube-system/pods: the API server answers 403: not allowed here"),
    ],
)
def test_a_node_that_runs_none(api: FakeKubernetes, status: Any, message: str) -> None:
    api.kubelet = on("w2", status)
    ((name, said),) = failures(api)
    assert name == "w2"
    assert said.startswith(message)


def test_the_reason_is_the_last_warning_of_the_pod(api: FakeKubernetes) -> None:
    def kubelet(pod: dict[str, Any]) -> dict[str, Any]:
        if pod["spec"]["nodeName"] != "w1":
            return RUNNING
        about = {"involvedObject": {"uid": pod["metadata"]["uid"]}}
        for moment, kind, text in (
            (2, "Warning", 'plugin type="calico" failed'),
            (1, "Warning", "x"),
            (3, "Normal", "y"),
        ):
            when = f"2026-05-08T12:00:0{moment}Z"
            api.add("Event", text, "kube-system", type=kind, message=text, lastTimestamp=when, **about)
        return {}

    api.kubelet = kubelet
    assert failures(api) == [("w1", 'the pod does not run after 0.3 seconds: plugin type="calico" failed')]


def test_a_node_that_is_full_runs_pods(api: FakeKubernetes) -> None:
    api.kubelet = on("w1", {"phase": "Failed", "reason": "OutOfpods"})
    assert failures(api) == []


def test_any_address_is_right_if_the_network_is_not_known(api: FakeKubernetes) -> None:
    api.kubelet = lambda pod: {**RUNNING, "podIP": "fd00::7"}
    assert failures(api, PodProbe("pause")) == []
    assert [name for name, _message in failures(api)] == sorted(NODES)


def test_what_a_killed_validation_has_left_goes(api: FakeKubernetes) -> None:
    labels = {LABEL: "another"}
    old = {"labels": labels, "creationTimestamp": "2026-01-01T00:00:00Z"}
    api.add("Pod", "ended", "kube-system", metadata=old, status={"phase": "Failed"})
    running = api.add("Pod", "running", "kube-system", metadata=old, status=RUNNING)
    # Of a validation by another user at this moment, on a node that is full.
    now = {"labels": labels, "creationTimestamp": "2999-01-01T00:00:00Z"}
    other = api.add("Pod", "other", "kube-system", metadata=now, status={"phase": "Failed", "reason": "OutOfpods"})
    pod_failures(api.client(), NODES, PROBE)
    assert [path for path in api.objects if path.startswith(PODS)] == [api.path(running), api.path(other)]


def add_nodes(api: FakeKubernetes, ready: str) -> None:
    for name in NODES:
        status = ready if name == "w2" else "True"
        api.add("Node", name, status={"conditions": [{"type": "Ready", "status": status}]})


def test_pods_that_run_while_something_is_changed(api: FakeKubernetes) -> None:
    """They are started again after it, once all nodes are ready; only these count."""
    add_nodes(api, "True")
    started: list[str] = []

    def start(pod: dict[str, Any]) -> dict[str, Any] | str:
        started.append(pod["spec"]["nodeName"])
        return RUNNING if changed else "refused"

    api.kubelet, changed = start, []
    with Trial(api.client(), PROBE) as trial:
        while len(started) < len(NODES):
            time.sleep(0.01)
        add_nodes(api, "False")
        changed.append("a network")
        trial.begin_again()
        time.sleep(0.3)
        assert len(started) == len(NODES)
        add_nodes(api, "True")
        while len(started) < 2 * len(NODES):
            time.sleep(0.01)
    assert trial.succeeded
    assert sorted(started) == sorted([*NODES, *NODES])
    assert [path for path in api.objects if path.startswith(PODS)] == []


@pytest.mark.parametrize(("ready", "faults"), [("True", []), ("False", []), ("True", [500] * 100)])
def test_pods_of_which_it_is_not_known_whether_they_run(api: FakeKubernetes, ready: str, faults: list[int]) -> None:
    """One that does not run, a node that is not ready until the end, an API server that does not answer."""
    api.kubelet = on("w1", {})
    add_nodes(api, ready)
    client = api.client(deadline=0)
    api.faults = faults
    with Trial(client, PROBE) as trial:
        pass
    assert not trial.succeeded
    assert any(each.startswith("POST ") for each in api.requests) == (ready == "True" and not faults)


def test_without_an_image_nothing_is_tried(api: FakeKubernetes) -> None:
    with Trial(api.client(), PodProbe()) as trial:
        pass
    assert not trial.succeeded
    assert api.requests == []
