# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warm pools: instances that wait, stopped, for their autoscaling group to need them."""

from __future__ import annotations

import dataclasses

from ...api.common import WarmPoolSpec
from ...api.instance_group import InstanceGroup
from ..context import ModelContext
from .spec import aws_spec

METRICS = (
    "WarmPoolMinSize",
    "WarmPoolDesiredCapacity",
    "WarmPoolPendingCapacity",
    "WarmPoolTerminatingCapacity",
    "WarmPoolWarmedCapacity",
    "WarmPoolTotalCapacity",
    "GroupAndWarmPoolDesiredCapacity",
    "GroupAndWarmPoolTotalCapacity",
)
DEFAULT_HOOK_TIMEOUT = 600


def of_group(context: ModelContext, group: InstanceGroup) -> WarmPoolSpec:
    """A group's warm pool with what the cluster says for all; one of at most 0 instances is none.

    Source: WarmPoolSpec.ResolveDefaults of kops.
    """
    own, general = group.spec.warm_pool, aws_spec(context).warm_pool
    if general is None or group.spec.role in ("ControlPlane", "Bastion"):
        return own or WarmPoolSpec(max_size=0)
    if own is None:
        return general
    return dataclasses.replace(
        own,
        max_size=general.max_size if own.max_size is None else own.max_size,
        min_size=own.min_size or general.min_size,
        enable_lifecycle_hook=own.enable_lifecycle_hook or general.enable_lifecycle_hook,
    )


def is_enabled(pool: WarmPoolSpec) -> bool:
    """Whether the pool may hold instances."""
    return pool.max_size != 0


def has_hook(context: ModelContext, group: InstanceGroup) -> bool:
    """Whether an instance of the group says itself when it is ready for the pool."""
    pool = of_group(context, group)
    return is_enabled(pool) and bool(pool.enable_lifecycle_hook)


def role_has_hook(context: ModelContext, role: str) -> bool:
    """Whether some group of the role has the hook: they share one IAM role."""
    return any(has_hook(context, group) for group in context.groups_of(role))


def hook_timeout(context: ModelContext, group: InstanceGroup) -> int:
    """Seconds that an instance has to become ready; the group's word goes before the cluster's."""
    for pool in (group.spec.warm_pool, aws_spec(context).warm_pool):
        if pool is not None and pool.lifecycle_hook_timeout is not None:
            return pool.lifecycle_hook_timeout
    return DEFAULT_HOOK_TIMEOUT
