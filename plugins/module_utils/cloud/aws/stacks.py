# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks of CloudFormation, as they are seen from the objects that they have made."""

from __future__ import annotations

from .cloud import AWSCloud
from .errors import error_code

# CloudFormation says so of an object that no stack has.
_NONE = "ValidationError"


def stack_of(cloud: AWSCloud, identifier: str) -> str:
    """The name of the stack that an object belongs to, by the object's id; "" for none."""
    try:
        found = cloud.client("cloudformation").describe_stack_resources(PhysicalResourceId=identifier)
    except Exception as error:
        if error_code(error) == _NONE:
            return ""
        raise
    return next((str(each["StackName"]) for each in found["StackResources"]), "")
