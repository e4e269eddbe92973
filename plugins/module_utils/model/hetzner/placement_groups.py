# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps the control planes of a location on different hosts, so that one host cannot take etcd's quorum with it.

kops has nothing of the kind. Workers are not kept apart: a location has only so many hosts with room, and Hetzner
refuses a server that would have to share one.
"""

from __future__ import annotations

import collections

from ...api.instance_group import InstanceGroup
from ...cloud.hetzner import names
from ...cloud.hetzner.tasks.placement_group import MOST, PlacementGroup
from ..context import ModelContext
from ..pools import greatest_sizes
from .locations import location_of

_CONTROL_PLANE = "ControlPlane"


def build(context: ModelContext) -> None:
    """One for each location that has several control planes, and not more than a group takes."""
    sizes, control_planes = greatest_sizes(context), collections.Counter[str]()
    for group in context.groups_of(_CONTROL_PLANE):
        control_planes[location_of(context, group)] += sizes[str(group.metadata.name)]
    for location, number in sorted(control_planes.items()):
        if 1 < number <= MOST:
            name, labels = names.placement_group(location, context.name), names.of_cluster(context.name)
            context.add(PlacementGroup(name, context.layers.cluster, labels=labels))


def of_group(context: ModelContext, group: InstanceGroup) -> PlacementGroup | None:
    """That of an instance group's servers; None if nothing keeps them apart."""
    name = names.placement_group(location_of(context, group), context.name)
    found = (each for each in context.tasks.values() if isinstance(each, PlacementGroup) and each.name == name)
    return next(found, None) if group.spec.role == _CONTROL_PLANE else None
