# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Autoscaling groups, warm pools and their hooks (pkg/model/awsmodel/autoscalinggroup.go of kops)."""

from __future__ import annotations

import math

from ...api.instance_group import InstanceGroup, InstanceRequirementsSpec, MinMaxSpec
from ...cloud.aws.tasks.autoscaling_group import AutoscalingGroup
from ...cloud.aws.tasks.autoscaling_lifecycle_hook import AutoscalingLifecycleHook
from ...cloud.aws.tasks.instance_requirements import InstanceRequirements
from ...cloud.aws.tasks.launch_template import LaunchTemplate
from ...cloud.aws.tasks.target_group import TargetGroup
from ...cloud.aws.tasks.warm_pool import WarmPool
from ...completion.group_defaults import sizes
from ..context import ModelContext, runs_api_server
from . import launch_template, load_balancers, names, subnets, warm_pools
from . import tags as tagging

METRICS = (
    "GroupDesiredCapacity",
    "GroupInServiceInstances",
    "GroupMaxSize",
    "GroupMinSize",
    "GroupPendingInstances",
    "GroupStandbyInstances",
    "GroupTerminatingInstances",
    "GroupTotalInstances",
)
MEGABYTE = 10**6


def build(context: ModelContext) -> None:
    """What launches the instances of each group. Karpenter launches its own."""
    for group in context.updated_groups:
        if group.spec.manager != "Karpenter":
            autoscaling_group = _autoscaling_group(context, group, launch_template.build(context, group))
            _warm_pool(context, group, autoscaling_group)


def _autoscaling_group(context: ModelContext, group: InstanceGroup, template: LaunchTemplate) -> AutoscalingGroup:
    name, spec = names.autoscaling_group(group, context.name), group.spec
    smallest, largest = sizes(group)
    lifetime = spec.max_instance_lifetime
    task = AutoscalingGroup(
        name,
        context.layers.cluster,
        granularity="1Minute",
        metrics=list(METRICS),
        instance_protection=bool(spec.instance_protection),
        launch_template=template,
        min_size=smallest,
        max_size=largest,
        max_instance_lifetime=int(lifetime.seconds) if lifetime else 0,
        subnets=[subnets.task_of(context, subnet) for subnet in context.subnets_of(group)],
        suspend_processes=list(spec.suspend_processes),
        tags=tagging.of_instance_group(context.cluster, group, name, context.features),
        load_balancers=sorted(
            balancer.load_balancer_name for balancer in spec.external_load_balancers if balancer.load_balancer_name
        ),
        target_groups=sorted(_target_groups(context, group), key=lambda target: target.name),
        capacity_rebalance=spec.capacity_rebalance,
    )
    _mix(task, group)
    return context.add(task)


def _target_groups(context: ModelContext, group: InstanceGroup) -> list[TargetGroup]:
    prefixes = []
    balancer = context.cluster.spec.api.load_balancer
    if balancer is not None and runs_api_server(group):
        prefixes.append("tcp")
        if context.nodes_join_through_load_balancer and group.spec.role == "ControlPlane":
            prefixes += ["kops-controller", *(["etcd-cilium"] if context.uses_cilium_etcd else [])]
        if balancer.ssl_certificate:
            prefixes.append("tls")
    if group.spec.role == "Bastion":
        prefixes.append("bastion")
    arns = [external.target_group_arn for external in group.spec.external_load_balancers if external.target_group_arn]
    external = [
        context.ensure(TargetGroup(names.external_target_group(arn), context.layers.cluster, arn=arn, shared=True))
        for arn in arns
    ]
    return [*(load_balancers.target_group(context, prefix) for prefix in prefixes), *external]


def _mix(task: AutoscalingGroup, group: InstanceGroup) -> None:
    """The mixed instances policy: other machine types, and how many of them on demand."""
    policy = group.spec.mixed_instances_policy
    if policy is None or group.spec.manager != "CloudGroup":
        return
    if policy.instance_requirements is not None:
        task.instance_requirements = _requirements(policy.instance_requirements)
    task.mixed_instance_overrides = list(policy.instances)
    task.mixed_on_demand_above_base = policy.on_demand_above_base
    task.mixed_on_demand_allocation_strategy = policy.on_demand_allocation_strategy
    task.mixed_on_demand_base = policy.on_demand_base
    task.mixed_spot_allocation_strategy = policy.spot_allocation_strategy
    task.mixed_spot_instance_pools = policy.spot_instance_pools
    # AWS unsets a price only when it is given as nothing.
    task.mixed_spot_max_price = group.spec.max_price or ""


def _requirements(spec: InstanceRequirementsSpec) -> InstanceRequirements:
    cpu_min, cpu_max = _bounds(spec.cpu, 1)
    memory_min, memory_max = _bounds(spec.memory, MEGABYTE)
    return InstanceRequirements(
        cpu_min=cpu_min,
        cpu_max=cpu_max,
        memory_min=memory_min,
        memory_max=memory_max,
        excluded_instance_types=list(spec.excluded_instance_types) or None,
    )


def _bounds(spec: MinMaxSpec | None, unit: int) -> tuple[int | None, int | None]:
    """Least and most in units; AWS demands a least amount where nothing is said."""
    if spec is None:
        return 0, None
    least, most = (None if value is None else math.ceil(value.value / unit) for value in (spec.min, spec.max))
    return least, most


def _warm_pool(context: ModelContext, group: InstanceGroup, autoscaling_group: AutoscalingGroup) -> None:
    layer, pool = context.layers.cluster, warm_pools.of_group(context, group)
    enabled = warm_pools.is_enabled(pool)
    task = WarmPool(autoscaling_group.name, layer, enabled=enabled, autoscaling_group=autoscaling_group)
    if enabled:
        task.min_size, task.max_size = pool.min_size or 0, pool.max_size
        autoscaling_group.warm_pool = task
        autoscaling_group.metrics = [*METRICS, *warm_pools.METRICS]
    context.add(task)
    context.add(
        AutoscalingLifecycleHook(
            f"{warm_pools.HOOK}-{group.metadata.name}",
            layer,
            hook_name=warm_pools.HOOK,
            autoscaling_group=autoscaling_group,
            default_result="ABANDON",
            heartbeat_timeout=warm_pools.hook_timeout(context, group),
            lifecycle_transition="autoscaling:EC2_INSTANCE_LAUNCHING",
            enabled=warm_pools.has_hook(context, group),
        )
    )
