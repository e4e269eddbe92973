# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates of stacks, and of the nested stacks in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ....engine.targets.template_parts import STACK
from ..cloud import AWSCloud

_GONE = "DELETE_COMPLETE"


def texts_of_parts(cloud: AWSCloud, stack_id: str) -> dict[str, str]:
    """Ids of a stack's nested stacks in its template -> their own templates."""
    client = cloud.client("cloudformation")
    return {name: text_of(client.get_template(StackName=part)) for name, part in parts(cloud, stack_id).items()}


def parts(cloud: AWSCloud, stack_id: str) -> dict[str, str]:
    """Ids of a stack's nested stacks in its template -> the ids of these stacks."""
    found = cloud.paged("cloudformation", "list_stack_resources", "StackResourceSummaries", StackName=stack_id)
    nested = [each for each in found if each["ResourceType"] == STACK and each["ResourceStatus"] != _GONE]
    there = {str(each["LogicalResourceId"]): str(each.get("PhysicalResourceId") or "") for each in nested}
    return {name: part for name, part in there.items() if part}


def text_of(answer: Mapping[str, Any]) -> str:
    """A template as text; boto3 reads those in JSON."""
    body = answer["TemplateBody"]
    return body if isinstance(body, str) else json.dumps(body)
