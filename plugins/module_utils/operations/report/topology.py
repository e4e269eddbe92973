# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology of a cluster: zones are columns, instance groups are rows."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Cell, GroupFacts, NodeFacts, Row

_ROLES = ("control-plane", "apiserver", "node", "bastion", "")


def zones_in(groups: Sequence[GroupFacts], nodes: Sequence[NodeFacts]) -> list[str]:
    """Zones, sorted; the last one is "" if there are nodes without a zone."""
    found = {node.zone for node in nodes}.union(*(group.zones for group in groups))
    # A specification may have no zones, and no nodes yet.
    return sorted(filter(None, found)) + ([""] if "" in found or not found else [])


def rows_of(groups: Sequence[GroupFacts], nodes: Sequence[NodeFacts]) -> list[Row]:
    """A row for each instance group, control planes first."""
    zones = zones_in(groups, nodes)
    return [
        Row(
            group.name,
            group.role,
            [
                Cell(zone, [node.name for node in nodes if (node.instance_group, node.zone) == (group.name, zone)])
                for zone in zones
            ],
            list(group.zones),
        )
        for group in in_order(groups)
    ]


def in_order(groups: Sequence[GroupFacts]) -> list[GroupFacts]:
    """Groups by role and name; groups that are not in the specification come last."""
    return sorted(groups, key=lambda each: (not each.specified, _ROLES.index(each.role), each.name))


def with_strangers(groups: Sequence[GroupFacts], nodes: Sequence[NodeFacts]) -> list[GroupFacts]:
    """The groups, and groups of nodes that the specification no longer has; "" for nodes without a group."""
    known = {group.name for group in groups}
    strangers = {node.instance_group: node.role for node in nodes if node.instance_group not in known}
    return in_order([*groups, *(GroupFacts(name, role, specified=False) for name, role in strangers.items())])
