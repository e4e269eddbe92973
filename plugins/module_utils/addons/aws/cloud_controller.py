# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of AWS (aws-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from ...api.clouds import AWS
from ...iam.policy import Policy, actions
from ..conditions import always, on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole

_ANYWHERE = (
    *actions("autoscaling", "DescribeAutoScalingGroups DescribeTags"),
    *actions(
        "ec2",
        "DescribeInstances DescribeRegions DescribeAvailabilityZones DescribeRouteTables DescribeSecurityGroups"
        " DescribeSubnets DescribeVpcs DescribeInstanceTopology",
    ),
    *actions(
        "elasticloadbalancing",
        "DescribeLoadBalancers DescribeLoadBalancerAttributes DescribeListeners DescribeLoadBalancerPolicies"
        " DescribeTargetGroups DescribeTargetGroupAttributes DescribeTargetHealth",
    ),
    "iam:CreateServiceLinkedRole",
    "kms:DescribeKey",
)
_ON_OWNED = (
    *actions(
        "ec2",
        "ModifyInstanceAttribute AuthorizeSecurityGroupIngress DeleteSecurityGroup RevokeSecurityGroupIngress",
    ),
    *actions(
        "elasticloadbalancing",
        "AttachLoadBalancerToSubnets ApplySecurityGroupsToLoadBalancer CreateLoadBalancerListeners"
        " CreateLoadBalancerPolicy ConfigureHealthCheck DeleteLoadBalancer DeleteLoadBalancerListeners"
        " DetachLoadBalancerFromSubnets DeregisterInstancesFromLoadBalancer ModifyLoadBalancerAttributes"
        " RegisterInstancesWithLoadBalancer SetLoadBalancerPoliciesForBackendServer AddTags DeleteListener"
        " DeleteTargetGroup ModifyListener ModifyTargetGroup ModifyTargetGroupAttributes RegisterTargets"
        " DeregisterTargets SetLoadBalancerPoliciesOfListener",
    ),
)
_CREATES = actions("elasticloadbalancing", "CreateLoadBalancer CreateListener CreateTargetGroup")


def _manage_load_balancers(context: AddonContext, policy: Policy) -> None:
    """Describe instances, make load balancers of Services, and for kubenet a route to each node's pods."""
    policy.anywhere.update(_ANYWHERE)
    policy.on_owned.update(_ON_OWNED)
    aws = context.cluster.spec.cloud_provider.aws
    if aws is not None and aws.nlb_security_group_mode == "Managed":
        policy.on_owned.add("elasticloadbalancing:SetSecurityGroups")
    policy.creating_owned.update(_CREATES)
    policy.create_ec2(["CreateSecurityGroup"], ["security-group"])
    if context.cluster.spec.networking.kubenet is not None:
        policy.on_owned.update(("ec2:CreateRoute", "ec2:DeleteRoute"))


ADDON = AddonDefinition(
    name="aws-cloud-controller.addons.k8s.io",
    condition=on_cloud(AWS),
    service_accounts=(
        ServiceAccountRole("aws-cloud-controller-manager", _manage_load_balancers, on_control_plane=always),
    ),
)
