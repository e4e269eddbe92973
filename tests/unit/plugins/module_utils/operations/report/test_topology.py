# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the nodes of a cluster are."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.facts import Cell, GroupFacts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.topology import (
    rows_of,
    with_strangers,
    zones_in,
)
from ansible_collections.kubeops.kops.tests.support.reports import node

NODES = GroupFacts("nodes", "node", ("b", "a"))
CONTROL = GroupFacts("x-control", "control-plane", ("b",))


def test_zones_are_columns_and_groups_are_rows() -> None:
    nodes = [node(1, "nodes", "a", name="one"), node(2, "nodes", "c", name="two"), node(3, "x-control", "b", name="cp")]
    groups = with_strangers([NODES, CONTROL], nodes)
    assert zones_in(groups, nodes) == ["a", "b", "c"]
    rows = rows_of(groups, nodes)
    assert [row.instance_group for row in rows] == ["x-control", "nodes"]
    assert rows[1].cells == [Cell("a", ["one"]), Cell("b", []), Cell("c", ["two"])]
    assert rows[1].expected == ["b", "a"]


def test_nodes_of_groups_that_are_gone_and_of_none() -> None:
    nodes = [node(1, "gone", "a"), node(2, "", "", name="lonely")]
    groups = with_strangers([NODES], nodes)
    assert [(group.name, group.specified) for group in groups] == [("nodes", True), ("", False), ("gone", False)]
    assert zones_in(groups, nodes) == ["a", "b", ""]
    assert rows_of(groups, nodes)[1].cells[2] == Cell("", ["lonely"])


def test_a_cluster_without_zones() -> None:
    groups = [GroupFacts("nodes", "node")]
    assert zones_in(groups, []) == [""]
    assert rows_of(groups, [])[0].cells == [Cell("", [])]
    assert rows_of([], []) == []
