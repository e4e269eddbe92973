# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is left of instance groups that have been removed, and of the zones that groups have left."""

from __future__ import annotations

from ...cloud.gce.tasks.instance_group_manager import InstanceGroupManager
from ...cloud.gce.tasks.removed_instance_groups import RemovedInstanceGroups
from ...engine.task import Lifecycle
from ..context import ModelContext

# Overriding the lifecycle of one of these is meant for what is left over too.
_KINDS = ("InstanceGroupManager", "InstanceTemplate")


def build(context: ModelContext) -> None:
    """One task that knows which managed groups there are; nothing when only some groups are updated."""
    if context.chosen is not None:
        return
    overridden = [context.lifecycle_overrides.get(kind, Lifecycle.SYNC) for kind in _KINDS]
    managers: dict[str, list[str]] = {str(group.metadata.name): [] for group in context.groups}
    for task in context.tasks.values():
        if isinstance(task, InstanceGroupManager):
            managers[str(task.base_instance_name)].append(task.name)
    context.add(
        RemovedInstanceGroups(
            context.name,
            next((lifecycle for lifecycle in overridden if lifecycle is not Lifecycle.SYNC), context.layers.cluster),
            managers=managers,
        )
    )
