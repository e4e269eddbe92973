# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cilium, a network of pods (networking.cilium.io of kops)."""

from __future__ import annotations

from ...iam.policy import Policy, actions
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from .selector import NETWORKING

_ANYWHERE = actions(
    "ec2",
    "DescribeSubnets AttachNetworkInterface AssignPrivateIpAddresses UnassignPrivateIpAddresses CreateNetworkInterface"
    " DescribeNetworkInterfaces DescribeSecurityGroups DeleteNetworkInterface ModifyNetworkInterfaceAttribute"
    " DescribeVpcs CreateTags DescribeRouteTables DescribeTags DescribeInstances",
)


def _manage_interfaces(context: AddonContext, policy: Policy, role: str) -> None:
    """Give pods addresses of the VPC, where Cilium does so: its operator runs on the control plane."""
    cilium = context.cluster.spec.networking.cilium
    if cilium is None or cilium.ipam != "eni":
        return
    policy.anywhere.add("ec2:DescribeInstanceTypes")
    if role != "Node":
        policy.anywhere.update(_ANYWHERE)


ADDON = AddonDefinition(
    name="networking.cilium.io",
    condition=network("cilium"),
    selector=NETWORKING,
    replaceable=True,
    instance_permissions=_manage_interfaces,
)
