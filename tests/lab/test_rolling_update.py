# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling updates that are held up: what has changed before, what they leave, and how the next one goes on.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, hosts, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

CONTROL_PLANE, FIRST, SECOND = "test1", "test2", "test3"
MARK = "kops.k8s.io/cordoned-for-update"
NOTE = "/etc/kops-note"
# CoreDNS would not tolerate others.
TAINT = {"key": "lab.example.com/kept", "effect": "PreferNoSchedule"}
TAINTED = {"taints": [f"{TAINT['key']}:{TAINT['effect']}"]}
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)
kubectl_json = functools.partial(running.kubectl_json, host=CONTROL_PLANE)
# A pod on the first worker that a budget keeps there.
KEPT: list[dict[str, Any]] = [
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "kept", "labels": {"app": "kept"}},
        "spec": {
            "nodeName": FIRST,
            "terminationGracePeriodSeconds": 1,
            "containers": [
                {
                    "name": "main",
                    "image": f"registry.k8s.io/e2e-test-images/agnhost:{binaries.VERSIONS['agnhost']}",
                    "args": ["pause"],
                }
            ],
        },
    },
    {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "kept"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}},
    },
]


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and two workers."""
    return new_site(1, 2)


def nodes() -> dict[str, dict[str, Any]]:
    return {node["metadata"]["name"]: node for node in kubectl_json("get", "nodes")["items"]}


def max_pods() -> list[str]:
    """How many pods the control plane and the workers take."""
    found = nodes()
    return [found[name]["status"]["capacity"]["pods"] for name in (CONTROL_PLANE, FIRST, SECOND)]


def tainted() -> list[str]:
    return [name for name, node in nodes().items() if TAINT in node["spec"].get("taints", ())]


def cordoned() -> list[str]:
    return [name for name, node in nodes().items() if node["spec"].get("unschedulable")]


def marked() -> list[str]:
    return [name for name, node in nodes().items() if MARK in node["metadata"].get("annotations", {})]


def test_what_interrupts_nothing_does_not_wait_for_the_rolling_update(created: running.Run, site: Site) -> None:
    site.write(
        spec={
            "kubelet": {"anonymousAuth": False, "maxPods": 60},
            "fileAssets": [{"name": "note", "path": NOTE, "content": "at once"}],
        },
        nodes={"minSize": 2, "maxSize": 2, **TAINTED},
    )
    run = site.create()
    assert run.code == 0, run.output
    assert "changes that restart programs were not made" in run.output
    assert {hosts.within(host, "/bin/cat", NOTE).strip() for host in site.nodes} == {"at once"}
    assert (max_pods(), tainted()) == (["110"] * 3, [])
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_a_rolling_update_that_is_held_up_says_so_and_leaves_a_mark(created: running.Run, site: Site) -> None:
    kubectl("apply", "--filename=-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": KEPT}))
    kubectl("wait", "--for=condition=Ready", "pod/kept", "--timeout=60s")
    kubectl("cordon", CONTROL_PLANE)
    stopped = site.run("rolling_update", kops_drain_timeout="10")
    assert stopped.code != 0
    assert f"node {FIRST} is cordoned but not drained after 10 seconds" in stopped.failures()[FIRST]
    assert "pod default/kept" in stopped.failures()[FIRST]
    assert (max_pods(), tainted()) == (["60", "110", "110"], [])
    # The control plane was cordoned by hand.
    assert (cordoned(), marked()) == ([CONTROL_PLANE, FIRST], [FIRST])
    invalid = site.run("validate_cluster")
    assert invalid.code != 0
    assert f"{FIRST}: was cordoned at" in invalid.output
    assert f"node {CONTROL_PLANE} was cordoned" not in invalid.output


def test_the_next_one_finishes_that_node_first(created: running.Run, site: Site) -> None:
    kubectl("delete", "poddisruptionbudget/kept")
    ahead = site.run("rolling_update", "--check")
    assert (ahead.code, ahead.changed) == (0, 3), ahead.output
    assert f"has left these hosts cordoned: {FIRST}" in ahead.output
    run = site.run("rolling_update")
    assert run.code == 0, run.output
    changed = [host for task in run.tasks if task["name"].endswith("Drain the node") for host in task["hosts"]]
    assert changed == [FIRST, SECOND]
    assert (max_pods(), tainted()) == (["60"] * 3, [FIRST, SECOND])
    assert (cordoned(), marked()) == ([CONTROL_PLANE], [])
    again = site.run("rolling_update")
    assert (again.code, again.changed) == (0, 0), again.output
    kubectl("uncordon", CONTROL_PLANE)
    assert site.run("validate_cluster").code == 0


def test_a_group_whose_updates_are_disabled_is_left_alone(created: running.Run, site: Site) -> None:
    disabled = {"rollingUpdate": {"drainAndTerminate": False}, "kubelet": {"maxPods": 70}}
    site.write(spec={"kubelet": {"anonymousAuth": False, "maxPods": 60}}, nodes=disabled)
    waiting = site.create()
    assert waiting.code == 0, waiting.output
    assert "rolling updates are disabled" in waiting.output
    run = site.run("rolling_update")
    assert run.code == 0, run.output
    assert "Rolling updates are disabled for these hosts" in run.output
    assert max_pods() == ["60"] * 3
    assert cordoned() == []
    forced = site.run("hosts", kops_interrupt="true")
    assert forced.code == 0, forced.output
    # The group of this test has no taint.
    assert (max_pods(), tainted()) == (["60", "70", "70"], [])
