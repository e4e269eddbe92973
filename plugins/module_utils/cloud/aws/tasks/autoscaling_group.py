# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: autoscaling group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.task import Task

if TYPE_CHECKING:
    from .instance_requirements import InstanceRequirements
    from .launch_template import LaunchTemplate
    from .subnet import Subnet
    from .target_group import TargetGroup
    from .warm_pool import WarmPool


@dataclass(eq=False)
class AutoscalingGroup(Task):
    """TODO."""

    granularity: str | None = None
    instance_protection: bool | None = None
    launch_template: LaunchTemplate | None = None
    load_balancers: list[Any] | None = None
    max_instance_lifetime: int | None = None
    max_size: int | None = None
    metrics: list[str] | None = None
    min_size: int | None = None
    mixed_instance_overrides: list[str] | None = None
    instance_requirements: InstanceRequirements | None = None
    mixed_on_demand_allocation_strategy: str | None = None
    mixed_on_demand_base: int | None = None
    mixed_on_demand_above_base: int | None = None
    mixed_spot_allocation_strategy: str | None = None
    mixed_spot_instance_pools: int | None = None
    mixed_spot_max_price: str | None = None
    subnets: list[Subnet] | None = None
    suspend_processes: list[str] | None = None
    tags: dict[str, str] | None = None
    target_groups: list[TargetGroup] | None = None
    capacity_rebalance: bool | None = None
    warm_pool: WarmPool | None = None
