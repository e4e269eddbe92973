# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS load balancer controller (aws-load-balancer-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ....iam.policy import Policy, actions
from ...conditions import Condition, always
from ...context import AddonContext
from ...definition import AddonDefinition, ServiceAccountRole
from ...objects.core import kubernetes_object
from ...upstream import files_in_repository
from ..conditions import enabled_on_aws
from .controller import controller
from .parts import LABELS, NAME, VERSION
from .rbac import account_and_roles
from .webhooks import certificates, webhook_service, webhooks

_KINDS = (
    "aga/aga.k8s.aws_globalaccelerators.yaml",
    "bases/elbv2.k8s.aws_ingressclassparams.yaml",
    "bases/elbv2.k8s.aws_targetgroupbindings.yaml",
    "gateway/gateway.k8s.aws_listenerruleconfigurations.yaml",
    "gateway/gateway.k8s.aws_loadbalancerconfigurations.yaml",
    "gateway/gateway.k8s.aws_targetgroupconfigurations.yaml",
)
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


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [
        *account_and_roles(),
        webhook_service(),
        controller(context),
        *certificates(),
        kubernetes_object("elbv2.k8s.aws/v1beta1", "IngressClassParams", "alb", labels=LABELS),
        kubernetes_object(
            "networking.k8s.io/v1", "IngressClass", "alb", labels=LABELS, spec={"controller": "ingress.k8s.aws/alb"}
        ),
        *webhooks(),
    ]


def _definitions(context: AddonContext) -> list[str]:
    """All but that of albtargetcontrolconfigs, which kops leaves out."""
    return files_in_repository(f"kubernetes-sigs/{NAME}", VERSION, "config/crd", _KINDS)


def _definition(form: str, condition: Condition, account: ServiceAccountRole) -> AddonDefinition:
    return AddonDefinition(
        name="aws-load-balancer-controller.addons.k8s.io",
        condition=condition,
        build=_build,
        upstream=_definitions,
        id=form,
        pruned=True,
        needs_pki=always,
        service_accounts=(account,),
    )


# With the role of the control plane, where it runs then.
ADDON = _definition(
    "k8s-1.19",
    lambda context: _runs(context) and not context.uses_service_account_roles,
    ServiceAccountRole(NAME, _manage_load_balancers, on_control_plane=_runs),
)
# With a role of its own, on any node.
WITH_OWN_ROLE = _definition(
    "k8s-1.19-irsa",
    lambda context: _runs(context) and context.uses_service_account_roles,
    ServiceAccountRole(NAME, _manage_load_balancers),
)
