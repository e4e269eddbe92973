# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of instances, for rolling updates.

Source: upup/pkg/fi/cloudup/awsup/aws_cloud.go of kops (detachInstance, deregisterInstance, deleteInstance).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

from ...base.errors import KopsError
from ..instances import CloudInstance
from ..replacing import Replacing
from .cloud import AWSCloud, to_tags
from .errors import error_code
from .tasks.autoscaling_group import describe_groups
from .tasks.removed_instance_groups import DETACHED_TAG


class AWSReplacing(Replacing[AWSCloud]):
    """Instances of autoscaling groups: whichever is taken away, its group starts another one.

    pause: seconds between two looks at a load balancer.
    """

    pause: float = 5.0

    def detach(self, cloud: AWSCloud, machine: CloudInstance) -> None:
        """Take an instance out of its group, which starts another one. With the tag first, nobody loses sight of it."""
        cloud.client("ec2").create_tags(Resources=[machine.name], Tags=to_tags({DETACHED_TAG: machine.within}))
        cloud.client("autoscaling").detach_instances(
            AutoScalingGroupName=machine.within, InstanceIds=[machine.name], ShouldDecrementDesiredCapacity=False
        )

    def deregister(self, cloud: AWSCloud, machine: CloudInstance, seconds: float) -> None:
        """Take an instance out of its group's load balancers, and wait until none of them sends to it any more.

        Raises KopsError when the time is over.
        """
        group = cloud.once(describe_groups).get(machine.within) or {}
        end = time.monotonic() + seconds
        for arn in group.get("TargetGroupARNs") or ():
            leaves = functools.partial(_leaves_target_group, cloud, arn, machine.name)
            _await(leaves, f"target group {arn}", machine, end, self.pause)
        for name in group.get("LoadBalancerNames") or ():
            leaves = functools.partial(_leaves_classic, cloud, name, machine.name)
            _await(leaves, f"load balancer {name}", machine, end, self.pause)

    def terminate(self, cloud: AWSCloud, machine: CloudInstance) -> None:
        """End an instance; its group starts another one, unless it was detached. One that is gone is no error."""
        try:
            cloud.client("ec2").terminate_instances(InstanceIds=[machine.name])
        except Exception as error:
            if error_code(error) != "InvalidInstanceID.NotFound":
                raise

    def replenish(self, cloud: AWSCloud, group: str) -> None:
        """Autoscaling groups keep their numbers by themselves."""

    def remove(self, cloud: AWSCloud, machine: CloudInstance, wanted: int, fixed: bool) -> None:
        """End an instance, and let its group want only so many, or with fixed never more. One that is gone is no error.

        The smallest size is lowered before, or AWS would refuse; the largest one after it, or AWS would choose an
        instance to end by itself.
        """
        client = cloud.client("autoscaling")
        cloud.forget(describe_groups)
        group = cloud.once(describe_groups).get(machine.within) or {}
        if wanted < group.get("MinSize", 0):
            client.update_auto_scaling_group(AutoScalingGroupName=machine.within, MinSize=wanted)
        try:
            client.terminate_instance_in_auto_scaling_group(
                InstanceId=machine.name, ShouldDecrementDesiredCapacity=True
            )
        except Exception as error:
            # AWS has no code of its own for an instance that is in no group.
            if error_code(error) != "ValidationError" or "not found" not in str(error).lower():
                raise
        if fixed and wanted < group.get("MaxSize", 0):
            client.update_auto_scaling_group(AutoScalingGroupName=machine.within, MaxSize=wanted)


def _await(left: Callable[[], bool], where: str, machine: CloudInstance, end: float, pause: float) -> None:
    while not left():
        if time.monotonic() + pause > end:
            raise KopsError(f"{machine.name} is still in {where}")
        time.sleep(pause)


def _leaves_target_group(cloud: AWSCloud, arn: str, name: str) -> bool:
    client, targets = cloud.client("elbv2"), [{"Id": name}]
    try:
        health = client.describe_target_health(TargetGroupArn=arn, Targets=targets)["TargetHealthDescriptions"]
    except Exception as error:
        if error_code(error) in ("InvalidTarget", "TargetGroupNotFound"):
            return True
        raise
    states = {each["TargetHealth"]["State"] for each in health}
    if states <= {"unused"}:
        return True
    if states != {"draining"}:
        client.deregister_targets(TargetGroupArn=arn, Targets=targets)
    return False


def _leaves_classic(cloud: AWSCloud, name: str, instance: str) -> bool:
    client, instances = cloud.client("elb"), [{"InstanceId": instance}]
    states = client.describe_instance_health(LoadBalancerName=name)["InstanceStates"]
    if not any(each["InstanceId"] == instance and each["State"] == "InService" for each in states):
        return True
    client.deregister_instances_from_load_balancer(LoadBalancerName=name, Instances=instances)
    return False
