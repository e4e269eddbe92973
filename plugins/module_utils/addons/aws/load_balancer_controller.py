# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS load balancer controller (aws-load-balancer-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from ...iam.policy import Policy, actions
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole
from .conditions import enabled_on_aws

_ANYWHERE = (
    "cognito-idp:DescribeUserPoolClient",
    *actions("acm", "DescribeCertificate ListCertificates"),
    *actions(
        "ec2",
        "DescribeAvailabilityZones DescribeInstances DescribeInternetGateways DescribeNetworkInterfaces"
        " DescribeSubnets DescribeSecurityGroups DescribeVpcPeeringConnections DescribeVpcs"
        " DescribeAccountAttributes GetSecurityGroupsForVpc",
    ),
    *actions(
        "elasticloadbalancing",
        "DescribeCapacityReservation DescribeListeners DescribeListenerAttributes DescribeListenerCertificates"
        " DescribeLoadBalancers DescribeLoadBalancerAttributes DescribeRules DescribeTags DescribeTargetGroups"
        " DescribeTargetGroupAttributes DescribeTargetHealth DescribeTrustStores SetRulePriorities",
    ),
)
_ON_OWNED = (
    *actions("ec2", "AuthorizeSecurityGroupIngress DeleteSecurityGroup RevokeSecurityGroupIngress"),
    *actions(
        "elasticloadbalancing",
        "AddListenerCertificates AddTags DeleteListener DeleteLoadBalancer DeleteRule DeleteTargetGroup"
        " DeregisterTargets ModifyCapacityReservation ModifyListener ModifyListenerAttributes"
        " ModifyLoadBalancerAttributes ModifyRule ModifyTargetGroup ModifyTargetGroupAttributes RegisterTargets"
        " RemoveListenerCertificates RemoveTags SetIpAddressType SetSecurityGroups SetSubnets",
    ),
)
_CREATES = actions("elasticloadbalancing", "CreateListener CreateLoadBalancer CreateRule CreateTargetGroup")
_WEB_ACL = "AssociateWebACL DisassociateWebACL GetWebACL GetWebACLForResource"
_SHIELD = actions("shield", "GetSubscriptionState DescribeProtection CreateProtection DeleteProtection")

_runs = enabled_on_aws("load_balancer_controller")


def _manage_load_balancers(context: AddonContext, policy: Policy) -> None:
    """Make load balancers of Ingresses and Services, with the firewalls that the specification enables."""
    aws = context.cluster.spec.cloud_provider.aws
    spec = aws.load_balancer_controller if aws else None
    if spec is None:
        return
    policy.anywhere.update(_ANYWHERE)
    for service, enabled in (("waf-regional", spec.enable_waf), ("wafv2", spec.enable_wafv2)):
        if enabled:
            policy.anywhere.update(("elasticloadbalancing:SetWebACL", *actions(service, _WEB_ACL)))
    if spec.enable_shield:
        policy.anywhere.update(_SHIELD)
    policy.on_owned.update(_ON_OWNED)
    policy.creating_owned.update(_CREATES)
    policy.create_ec2(["CreateSecurityGroup"], ["security-group"])


ADDON = AddonDefinition(
    name="aws-load-balancer-controller.addons.k8s.io",
    condition=_runs,
    service_accounts=(
        ServiceAccountRole("aws-load-balancer-controller", _manage_load_balancers, on_control_plane=_runs),
    ),
)
