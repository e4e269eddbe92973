# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes have failed for too long, and how many may."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.unready import (
    Members,
    Patience,
    duration,
    failed_nodes,
    held_back,
    seconds_unready,
    why_unready,
)
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Group
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import serving

NOW = datetime.datetime(2026, 5, 8, 12, 0, 0, tzinfo=datetime.timezone.utc)


def node(status: str = "Unknown", since: str = "2026-05-08T11:50:00Z", message: str = "Gone.") -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": status, "lastTransitionTime": since, "message": message}]
    return {
        "metadata": {"name": "a", "creationTimestamp": "2026-05-08T11:00:00Z"},
        "status": {"conditions": conditions},
    }


def test_for_how_long_a_node_has_not_been_ready() -> None:
    assert seconds_unready(node("True"), NOW) is None
    assert seconds_unready(node("False"), NOW) == 600
    assert seconds_unready(node(since="2026-05-08T12:00:30Z"), NOW) == 0, "clocks differ"
    created = {"metadata": {"name": "a", "creationTimestamp": "2026-05-08T11:00:00Z"}}
    assert seconds_unready(created, NOW) == 3600
    assert seconds_unready({"metadata": {"name": "a"}}, NOW) == 0
    assert why_unready(node(), 600) == "its node has not been ready for 10 min: Gone"
    assert why_unready(created, 90) == "its node has not been ready for 90 s"
    assert duration(float("inf")) == "an unknown time"


@pytest.mark.parametrize(
    ("most", "count", "allowed"),
    [
        ("40%", 10, 4),
        ("40%", 9, 3),
        ("40%", 2, 1),
        ("40%", 1, 1),
        ("0%", 9, 0),
        ("2", 9, 2),
        ("0", 9, 0),
        ("100%", 3, 3),
    ],
)
def test_how_many_may_fail(most: str, count: int, allowed: int) -> None:
    assert Patience(most=most).allowed(count) == allowed


def test_all_that_is_wrong_with_limits() -> None:
    with pytest.raises(KopsError, match="after is -1; give a number of seconds; max_unhealthy is 'half'"):
        Patience(-1, "half")


def test_a_role_counts_as_well_as_a_group() -> None:
    """kops makes a group for each zone, so a group may have a single node."""
    zones = [Members(f"nodes-{zone}", "Node", [f"{zone}1"], 1) for zone in "ab"]
    well = Members("nodes-c", "Node", [], 1)
    assert held_back([zones[0], well], Patience()) == {}
    found = held_back([*zones, well], Patience())
    assert set(found) == {"nodes-a", "nodes-b"}
    assert found["nodes-a"].startswith("2 of 3 nodes of role Node fail at the same time, and 1 may (a1, b1); that is")
    servers = Members("servers", "ControlPlane", ["s"], 3)
    assert held_back([*zones, well, servers], Patience(most="2")) == {}
    large = Members("large", "Node", ["l1", "l2"], 2)
    found = held_back([large, Members("idle", "Node", [], 10)], Patience())
    assert set(found) == {"large"}
    assert found["large"].startswith("2 of 2 nodes of instance group large fail at the same time, and 1 may (l1, l2)")


def test_failed_nodes_of_a_cluster() -> None:
    with serving() as fake:
        for name, status in (("a", "Unknown"), ("b", "True"), ("c", "Unknown")):
            fake.add("Node", name, metadata={"labels": {}}, status=node(status)["status"])
        young = fake.objects["/api/v1/nodes/c"]["status"]["conditions"][0]
        young["lastTransitionTime"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        groups = [Group("nodes", nodes=("a", "b", "missing")), Group("others", nodes=("c",))]
        found = failed_nodes(fake.client(), groups, Patience(most="2"))
        assert [(each["name"], each["instance_group"]) for each in found.nodes] == [("a", "nodes")]
        assert [each["name"] for each in found.watched] == ["c"]
        assert found.held_back == {}
        # Together they are half of their role.
        assert set(failed_nodes(fake.client(), groups, Patience()).held_back) == {"nodes", "others"}
