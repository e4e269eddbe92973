# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is left of instance groups that have been removed (upup/pkg/fi/cloudup/awsup/aws_cloud.go of kops)."""

from __future__ import annotations

from ...cloud.aws.tasks.removed_instance_groups import RemovedInstanceGroups
from ...engine.task import Lifecycle
from ...iam import names
from .. import group_tags
from ..context import ModelContext

# Instances of every role carry this tag, and of no other.
_ROLE_TAGS = {role: f"{group_tags.ROLE_PREFIX}{keys[-1]}" for role, keys in group_tags.ROLES.items()}
# Overriding the lifecycle of one of these is meant for what is left over too.
_KINDS = ("AutoscalingGroup", "LaunchTemplate")
_IDENTITY_KINDS = ("IAMRole", "IAMInstanceProfile")


def build(context: ModelContext) -> None:
    """One task that knows which groups there are; nothing when only some groups are updated."""
    if context.chosen is not None:
        return
    overridden = [context.lifecycle_overrides.get(kind, Lifecycle.SYNC) for kind in _KINDS]
    context.add(
        RemovedInstanceGroups(
            context.name,
            next((lifecycle for lifecycle in overridden if lifecycle is not Lifecycle.SYNC), context.layers.cluster),
            groups=[str(group.metadata.name) for group in context.groups],
            unused_roles=_unused_roles(context),
        )
    )


def _unused_roles(context: ModelContext) -> dict[str, str]:
    security = [context.lifecycle_overrides.get(kind, context.layers.security) for kind in _IDENTITY_KINDS]
    if any(lifecycle is not Lifecycle.SYNC for lifecycle in security):
        return {}
    used = {group.spec.role for group in context.groups}
    return {tag: names.instance_role(role, context.name) for role, tag in _ROLE_TAGS.items() if role not in used}
