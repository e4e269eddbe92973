# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lifecycle of an instance in its autoscaling group: where it goes, and that it is ready to go there."""

from __future__ import annotations

from ..stores.xml_service import ServiceError
from .api import AWS

# If an instance has no active lifecycle action: it boots again.
_NOT_WAITING = "ValidationError"


def is_prepared(aws: AWS) -> bool:
    """Whether the group wants the instance in its warm pool ("Warmed:Stopped") rather than "InService"."""
    return aws.find("meta-data/autoscaling/target-lifecycle-state").startswith("Warmed:")


def complete(aws: AWS, group: str, hook: str) -> bool:
    """Complete the lifecycle action of the instance. False if the group does not wait, or has no such hook.

    Raises ServiceError.
    """
    named = {"AutoScalingGroupName": group}
    hooks = aws.call("autoscaling", "DescribeLifecycleHooks", {**named, "LifecycleHookNames.member.1": hook})
    if hooks.find(".//LifecycleHooks/member") is None:
        return False
    done = {
        "LifecycleHookName": hook,
        "InstanceId": aws.told("meta-data/instance-id"),
        "LifecycleActionResult": "CONTINUE",
    }
    try:
        aws.call("autoscaling", "CompleteLifecycleAction", {**named, **done})
    except ServiceError as error:
        if error.code == _NOT_WAITING:
            return False
        raise
    return True
