# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster on AWS, activities of its groups, and health of its targets, for a dump.

No user data is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .cloud import AWSCloud, parts
from .ownership import owned, owned_instances
from .resources.discovery import discover
from .tasks.autoscaling_group import describe_groups
from .tasks.launch_template import describe_launch_templates

# The last activities of a group tell why it starts and ends instances.
_ACTIVITIES = 50
# AWS describes the status of as many instances in one call.
_INSTANCES = 100


def described(cloud: AWSCloud) -> Mapping[str, Callable[[], Any]]:
    """Name -> a function that reads it. Each is read on its own, so that one that fails keeps no other away."""
    return {
        "autoscaling-groups": lambda: list(cloud.once(describe_groups).values()),
        "scaling-activities": lambda: _activities(cloud),
        # Those that have ended lately, too: EC2 says why.
        "instances": lambda: owned_instances(cloud),
        "instance-status": lambda: _status(cloud),
        "launch-templates": lambda: list(cloud.once(describe_launch_templates).values()),
        "volumes": lambda: owned(cloud, "describe_volumes", "Volumes"),
        "security-groups": lambda: owned(cloud, "describe_security_groups", "SecurityGroups"),
        "subnets": lambda: owned(cloud, "describe_subnets", "Subnets"),
        "route-tables": lambda: owned(cloud, "describe_route_tables", "RouteTables"),
        "target-health": lambda: _target_health(cloud),
        "resources": lambda: sorted((each.as_data() for each in discover(cloud).values()), key=_by_kind),
    }


def _by_kind(resource: Mapping[str, str]) -> tuple[str, str]:
    return resource["kind"], resource["id"]


def _status(cloud: AWSCloud) -> list[Any]:
    """Whether AWS can reach machines, and what it has planned for them."""
    names = [each["InstanceId"] for each in owned_instances(cloud)]
    asked = {"service": "ec2", "operation": "describe_instance_status", "result_key": "InstanceStatuses"}
    return [
        status
        for part in parts(names, _INSTANCES)
        for status in cloud.paged(**asked, InstanceIds=list(part), IncludeAllInstances=True)
    ]


def _activities(cloud: AWSCloud) -> dict[str, Any]:
    client = cloud.client("autoscaling")
    return {
        name: client.describe_scaling_activities(AutoScalingGroupName=name, MaxRecords=_ACTIVITIES)["Activities"]
        for name in cloud.once(describe_groups)
    }


def _target_health(cloud: AWSCloud) -> dict[str, Any]:
    """Target group, or classic load balancer -> its instances."""
    groups = cloud.once(describe_groups).values()
    arns = sorted({arn for group in groups for arn in group.get("TargetGroupARNs") or ()})
    names = sorted({name for group in groups for name in group.get("LoadBalancerNames") or ()})
    elbv2, elb = cloud.client("elbv2"), cloud.client("elb")
    found = {arn: elbv2.describe_target_health(TargetGroupArn=arn)["TargetHealthDescriptions"] for arn in arns}
    return {
        **found,
        **{name: elb.describe_instance_health(LoadBalancerName=name)["InstanceStates"] for name in names},
    }
