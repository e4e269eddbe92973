# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that their DaemonSet leaves as they were (OnDelete): validation tells them, a rolling update replaces them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.drain import DrainOptions, set_node_state
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import validate
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

UPDATE = DrainOptions(timeout=0.3, settle=0, pause=0.02, for_update=True)
ADDON = {"addon.kops.k8s.io/name": "networking.cilium.io"}
OLD, NEW = "old", "new"


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    """Two nodes with agents of before, and one with a present one."""
    with serving() as fake:
        daemon_set(fake, "agent")
        for index, template in enumerate((OLD, OLD, NEW), 1):
            fake.add("Node", f"n{index}", spec={}, status={"conditions": [{"type": "Ready", "status": "True"}]})
            pod(fake, "agent", f"n{index}", template)
        yield fake


def daemon_set(api: FakeKubernetes, name: str, strategy: str = "OnDelete", **labels: str) -> None:
    """A DaemonSet that has had two templates: of an addon, unless labels say otherwise."""
    metadata = {"labels": labels or ADDON, "generation": 2}
    status = {"observedGeneration": 2, "currentNumberScheduled": 3, "updatedNumberScheduled": 1}
    spec = {"updateStrategy": {"type": strategy}}
    api.add("DaemonSet", name, "kube-system", "apps/v1", metadata=metadata, spec=spec, status=status)
    for revision, template in ((9, OLD), (10, NEW)):
        metadata = {"labels": {"controller-revision-hash": template}, **owned_by(name)}
        api.add(
            "ControllerRevision", f"{name}-{template}", "kube-system", "apps/v1", metadata=metadata, revision=revision
        )


def owned_by(name: str) -> dict[str, Any]:
    return {"ownerReferences": [{"kind": "DaemonSet", "controller": True, "name": name, "uid": f"uid-{name}"}]}


def pod(api: FakeKubernetes, name: str, node: str, template: str) -> None:
    metadata = {"labels": {"controller-revision-hash": template}, **owned_by(name)}
    spec, status = {"nodeName": node}, {"phase": "Running"}
    api.add("Pod", f"{name}-{node}-{template}", "kube-system", metadata=metadata, spec=spec, status=status)


def told(api: FakeKubernetes) -> dict[str, list[str]]:
    return {row["name"]: row["old_pods"] for row in validate(api.client(), []).nodes}


def deleted(api: FakeKubernetes) -> list[str]:
    return [each.rpartition("/")[2] for each in api.requests if each.startswith("DELETE ")]


def test_the_validation_tells_them_by_node(api: FakeKubernetes) -> None:
    assert told(api) == {"n1": ["kube-system/agent-n1-old"], "n2": ["kube-system/agent-n2-old"], "n3": []}
    api.objects["/apis/apps/v1/namespaces/kube-system/daemonsets/agent"]["status"]["updatedNumberScheduled"] = 3
    assert told(api) == {"n1": [], "n2": [], "n3": []}


def test_before_the_controller_has_looked_its_counts_say_nothing(api: FakeKubernetes) -> None:
    status = api.objects["/apis/apps/v1/namespaces/kube-system/daemonsets/agent"]["status"]
    status.update(observedGeneration=1, updatedNumberScheduled=3)
    assert told(api)["n1"] == ["kube-system/agent-n1-old"]


@pytest.mark.parametrize(("strategy", "labels"), [("RollingUpdate", {}), ("OnDelete", {"app": "of-a-user"})])
def test_others_are_no_concern_of_a_rolling_update(api: FakeKubernetes, strategy: str, labels: dict[str, str]) -> None:
    daemon_set(api, "other", strategy, **labels)
    pod(api, "other", "n3", OLD)
    assert told(api)["n3"] == []


def test_a_drain_for_an_update_replaces_those_of_its_node(api: FakeKubernetes) -> None:
    made = threading.Timer(0.1, pod, (api, "agent", "n1", NEW))
    made.start()
    report = set_node_state(api.client(), "n1", "drained", UPDATE)
    made.join()
    assert [step.item for step in report.steps] == ["Node n1", "Pod kube-system/agent-n1-old"]
    assert deleted(api) == ["agent-n1-old"]
    assert told(api) == {"n1": [], "n2": ["kube-system/agent-n2-old"], "n3": []}


def test_any_other_drain_leaves_them(api: FakeKubernetes) -> None:
    set_node_state(api.client(), "n1", "drained", DrainOptions(timeout=0.3, settle=0, pause=0.02))
    set_node_state(api.client(check=True), "n1", "drained", UPDATE)
    assert deleted(api) == []


def test_a_pod_that_does_not_come_again_is_named(api: FakeKubernetes) -> None:
    with pytest.raises(KopsError, match="n1 has no pods in place of these after 0.3 seconds: kube-system/agent-n1-old"):
        set_node_state(api.client(), "n1", "drained", UPDATE)
