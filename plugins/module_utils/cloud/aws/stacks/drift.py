# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CloudFormation's own detection of drift."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....base.errors import KopsError
from ....engine.targets.template_parts import STACK
from ...stacks import Drifted, Stack
from ..cloud import AWSCloud
from .parts import parts
from .polling import ask_until

_BUSY, _FAILED = "DETECTION_IN_PROGRESS", "DETECTION_FAILED"
_DELETED = "DELETED"
_WANTED = ["MODIFIED", _DELETED]


def drifted(cloud: AWSCloud, stack: Stack) -> Iterator[Drifted]:
    """What of a stack, and of the stacks nested in it, was changed or deleted by others.

    Raises KopsError if CloudFormation could not look at all of it.
    """
    client = cloud.client("cloudformation")
    nested = parts(cloud, stack.id).values() if stack.parts else ()
    # They are looked at at the same time.
    asked = {each: client.detect_stack_drift(StackName=each)["StackDriftDetectionId"] for each in (stack.id, *nested)}
    for identifier in asked.values():
        _wait(cloud, stack, identifier)
    for each in asked:
        yield from _found(cloud, each)


def _wait(cloud: AWSCloud, stack: Stack, identifier: str) -> None:
    client = cloud.client("cloudformation")
    found = ask_until(
        lambda: client.describe_stack_drift_detection_status(StackDriftDetectionId=identifier),
        lambda said: said["DetectionStatus"] != _BUSY,
    )
    if found["DetectionStatus"] == _FAILED:
        why = found.get("DetectionStatusReason", "it does not say why")
        raise KopsError(f"CloudFormation could not look at all of the stack {stack.name}: {why}")


def _found(cloud: AWSCloud, stack_id: str) -> Iterator[Drifted]:
    for each in _described(cloud, stack_id):
        differences = each.get("PropertyDifferences") or ()
        yield Drifted(
            each["ResourceType"].rpartition("::")[2],
            each.get("PhysicalResourceId") or each["LogicalResourceId"],
            each["StackResourceDriftStatus"] == _DELETED,
            {_path(difference): difference.get("ActualValue", "") for difference in differences},
            {_path(difference): difference.get("ExpectedValue", "") for difference in differences},
        )


def _described(cloud: AWSCloud, stack_id: str) -> Iterator[dict[str, Any]]:
    client = cloud.client("cloudformation")
    token: dict[str, str] = {}
    while True:
        page = client.describe_stack_resource_drifts(
            StackName=stack_id, StackResourceDriftStatusFilters=_WANTED, **token
        )
        # What is in a nested stack is found there.
        yield from (each for each in page["StackResourceDrifts"] if each["ResourceType"] != STACK)
        if not page.get("NextToken"):
            return
        token = {"NextToken": page["NextToken"]}


def _path(difference: dict[str, str]) -> str:
    """/Tags/0/Value -> Tags.0.Value"""
    return difference["PropertyPath"].strip("/").replace("/", ".")
