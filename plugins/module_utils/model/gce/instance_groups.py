# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Managed instance groups: one for each zone of each instance group.

Source: pkg/model/gcemodel/autoscalinggroup.go of kops.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...api.instance_group import InstanceGroup
from ...api.zones import split, zonal_group_name
from ...base.errors import KopsError
from ...cloud.gce.tasks.instance_group_manager import InstanceGroupManager, UpdatePolicy
from ...cloud.gce.tasks.instance_template import InstanceTemplate
from ...cloud.gce.tasks.target_pool import TargetPool
from ...completion.group_defaults import sizes
from ...engine.task import Lifecycle
from ..context import ModelContext
from . import instance_template, labels, public_load_balancer


def build(context: ModelContext) -> None:
    """What launches the instances of each group. Groups that are not updated are only looked up: backends name them."""
    updated = {group.metadata.name for group in context.updated_groups}
    for group in context.groups:
        subnets = context.subnets_of(group)
        if len(subnets) != 1:
            raise KopsError(
                f"instance group {group.metadata.name}: on GCE it is in one subnet, which spans all of its zones;"
                f" it names {', '.join(str(subnet.name) for subnet in subnets)}"
            )
        zones = context.zones_of(group)
        if not zones:
            raise KopsError(f"instance group {group.metadata.name}: it names no zones")
        if group.metadata.name in updated:
            _managers(context, group, zones, instance_template.build(context, group, subnets[0]))
        else:
            for zone in zones:
                name = zonal_group_name(str(group.metadata.name), zone, context.name)
                context.add(InstanceGroupManager(name, Lifecycle.IGNORE, zone=zone))


def _managers(context: ModelContext, group: InstanceGroup, zones: Sequence[str], template: InstanceTemplate) -> None:
    smallest, largest = (split(size, len(zones)) for size in sizes(group))
    for zone, fewest, most in zip(zones, smallest, largest):
        context.add(
            InstanceGroupManager(
                zonal_group_name(str(group.metadata.name), zone, context.name),
                context.layers.cluster,
                zone=zone,
                base_instance_name=group.metadata.name,
                instance_template=template,
                list_managed_instances_results="PAGINATED",
                target_size=fewest,
                bounds=(fewest, most),
                update_policy=UpdatePolicy(minimal_action="REPLACE", type="OPPORTUNISTIC"),
                target_pools=_target_pools(context, group),
            )
        )


def _target_pools(context: ModelContext, group: InstanceGroup) -> list[TargetPool]:
    """API servers serve the public; where there are such of their own, the control plane does not."""
    front = "APIServer" if labels.has_api_servers(context) else "ControlPlane"
    return public_load_balancer.pools_of_api(context) if group.spec.role == front else []
