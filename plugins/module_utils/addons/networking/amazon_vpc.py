# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Amazon's network, in which pods have addresses of the VPC (networking.amazon-vpc-routed-eni of kops)."""

from __future__ import annotations

from ...iam.policy import Policy, actions, allow
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from .selector import NETWORKING

_ANYWHERE = actions(
    "ec2",
    "AssignPrivateIpAddresses AttachNetworkInterface CreateNetworkInterface DeleteNetworkInterface DescribeInstances"
    " DescribeTags DescribeNetworkInterfaces DescribeInstanceTypes DescribeSecurityGroups DescribeSubnets"
    " DetachNetworkInterface ModifyNetworkInterfaceAttribute UnassignPrivateIpAddresses",
)


def _assign_addresses(context: AddonContext, policy: Policy, role: str) -> None:
    """Give pods addresses of the VPC."""
    policy.anywhere.update(_ANYWHERE)
    policy.statements.append(allow(["ec2:CreateTags"], [policy.arn("ec2:*:*:network-interface/*")]))


ADDON = AddonDefinition(
    name="networking.amazon-vpc-routed-eni",
    condition=network("amazon_vpc"),
    selector=NETWORKING,
    instance_permissions=_assign_addresses,
)
