# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of a cluster may do in AWS: tables of actions, and the few that need more than a table.

Source: pkg/model/iam/iam_builder.go and pkg/model/components/addonmanifests/*/iam.go of kops.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import names
from .policy import Policy, allow, ec2_service, one_or_all


def _prefixed(service: str, actions: str) -> tuple[str, ...]:
    return tuple(f"{service}:{action}" for action in actions.split())


CONTAINER_REGISTRY = _prefixed(
    "ecr",
    "GetAuthorizationToken BatchCheckLayerAvailability GetDownloadUrlForLayer GetRepositoryPolicy"
    " DescribeRepositories ListImages BatchGetImage",
)
CONTAINER_REGISTRY_PULL_THROUGH = _prefixed(
    "ecr", "ReplicateImage BatchImportUpstreamImage CreateRepository TagResource"
)
CALICO = _prefixed("ec2", "DescribeInstances ModifyNetworkInterfaceAttribute")
SOURCE_DESTINATION_CHECK = ("ec2:ModifyInstanceAttribute",)
CILIUM_ENI = _prefixed(
    "ec2",
    "DescribeSubnets AttachNetworkInterface AssignPrivateIpAddresses UnassignPrivateIpAddresses CreateNetworkInterface"
    " DescribeNetworkInterfaces DescribeSecurityGroups DeleteNetworkInterface ModifyNetworkInterfaceAttribute"
    " DescribeVpcs CreateTags DescribeRouteTables DescribeTags DescribeInstances",
)
AMAZON_VPC = _prefixed(
    "ec2",
    "AssignPrivateIpAddresses AttachNetworkInterface CreateNetworkInterface DeleteNetworkInterface DescribeInstances"
    " DescribeTags DescribeNetworkInterfaces DescribeInstanceTypes DescribeSecurityGroups DescribeSubnets"
    " DetachNetworkInterface ModifyNetworkInterfaceAttribute UnassignPrivateIpAddresses",
)

_CLOUD_CONTROLLER_ANYWHERE = (
    *_prefixed("autoscaling", "DescribeAutoScalingGroups DescribeTags"),
    *_prefixed(
        "ec2",
        "DescribeInstances DescribeRegions DescribeAvailabilityZones DescribeRouteTables DescribeSecurityGroups"
        " DescribeSubnets DescribeVpcs DescribeInstanceTopology",
    ),
    *_prefixed(
        "elasticloadbalancing",
        "DescribeLoadBalancers DescribeLoadBalancerAttributes DescribeListeners DescribeLoadBalancerPolicies"
        " DescribeTargetGroups DescribeTargetGroupAttributes DescribeTargetHealth",
    ),
    "iam:CreateServiceLinkedRole",
    "kms:DescribeKey",
)
_CLOUD_CONTROLLER_ON_OWNED = (
    *_prefixed(
        "ec2",
        "ModifyInstanceAttribute AuthorizeSecurityGroupIngress DeleteSecurityGroup RevokeSecurityGroupIngress",
    ),
    *_prefixed(
        "elasticloadbalancing",
        "AttachLoadBalancerToSubnets ApplySecurityGroupsToLoadBalancer CreateLoadBalancerListeners"
        " CreateLoadBalancerPolicy ConfigureHealthCheck DeleteLoadBalancer DeleteLoadBalancerListeners"
        " DetachLoadBalancerFromSubnets DeregisterInstancesFromLoadBalancer ModifyLoadBalancerAttributes"
        " RegisterInstancesWithLoadBalancer SetLoadBalancerPoliciesForBackendServer AddTags DeleteListener"
        " DeleteTargetGroup ModifyListener ModifyTargetGroup ModifyTargetGroupAttributes RegisterTargets"
        " DeregisterTargets SetLoadBalancerPoliciesOfListener",
    ),
)
_CLOUD_CONTROLLER_CREATES = _prefixed("elasticloadbalancing", "CreateLoadBalancer CreateListener CreateTargetGroup")

_LOAD_BALANCER_CONTROLLER_ANYWHERE = (
    "cognito-idp:DescribeUserPoolClient",
    *_prefixed("acm", "DescribeCertificate ListCertificates"),
    *_prefixed(
        "ec2",
        "DescribeAvailabilityZones DescribeInstances DescribeInternetGateways DescribeNetworkInterfaces"
        " DescribeSubnets DescribeSecurityGroups DescribeVpcPeeringConnections DescribeVpcs"
        " DescribeAccountAttributes GetSecurityGroupsForVpc",
    ),
    *_prefixed(
        "elasticloadbalancing",
        "DescribeCapacityReservation DescribeListeners DescribeListenerAttributes DescribeListenerCertificates"
        " DescribeLoadBalancers DescribeLoadBalancerAttributes DescribeRules DescribeTags DescribeTargetGroups"
        " DescribeTargetGroupAttributes DescribeTargetHealth DescribeTrustStores SetRulePriorities",
    ),
)
_LOAD_BALANCER_CONTROLLER_ON_OWNED = (
    *_prefixed("ec2", "AuthorizeSecurityGroupIngress DeleteSecurityGroup RevokeSecurityGroupIngress"),
    *_prefixed(
        "elasticloadbalancing",
        "AddListenerCertificates AddTags DeleteListener DeleteLoadBalancer DeleteRule DeleteTargetGroup"
        " DeregisterTargets ModifyCapacityReservation ModifyListener ModifyListenerAttributes"
        " ModifyLoadBalancerAttributes ModifyRule ModifyTargetGroup ModifyTargetGroupAttributes RegisterTargets"
        " RemoveListenerCertificates RemoveTags SetIpAddressType SetSecurityGroups SetSubnets",
    ),
)
_LOAD_BALANCER_CONTROLLER_CREATES = _prefixed(
    "elasticloadbalancing", "CreateListener CreateLoadBalancer CreateRule CreateTargetGroup"
)
_WEB_ACL = "AssociateWebACL DisassociateWebACL GetWebACL GetWebACLForResource"
_SHIELD = _prefixed("shield", "GetSubscriptionState DescribeProtection CreateProtection DeleteProtection")

_AUTOSCALER_ANYWHERE = (
    *_prefixed(
        "autoscaling",
        "DescribeAutoScalingGroups DescribeAutoScalingInstances DescribeLaunchConfigurations DescribeScalingActivities",
    ),
    *_prefixed("ec2", "DescribeImages DescribeLaunchTemplateVersions GetInstanceTypesFromInstanceRequirements"),
)
_AUTOSCALER_ON_OWNED = _prefixed("autoscaling", "SetDesiredCapacity TerminateInstanceInAutoScalingGroup")

_TERMINATION_HANDLER_ANYWHERE = (
    *_prefixed("autoscaling", "DescribeAutoScalingInstances DescribeTags"),
    "ec2:DescribeInstances",
    *_prefixed("sqs", "DeleteMessage ReceiveMessage"),
)

_EBS_DRIVER_ANYWHERE = _prefixed(
    "ec2",
    "DescribeAvailabilityZones DescribeInstances DescribeInstanceTypes DescribeTags DescribeVolumes"
    " DescribeVolumesModifications DescribeVolumeStatus",
)
_EBS_DRIVER_ON_OWNED = _prefixed("ec2", "AttachVolume DeleteVolume DetachVolume ModifyVolume")
_SNAPSHOTS_ANYWHERE = _prefixed("ec2", "CreateSnapshot DescribeAvailabilityZones DescribeSnapshots")
_SNAPSHOTS_ON_OWNED = _prefixed("ec2", "DeleteSnapshot EnableFastSnapshotRestores")

_KARPENTER_ANYWHERE = (
    *_prefixed(
        "ec2",
        "DescribeCapacityReservations DescribeImages DescribeInstanceStatus DescribeInstanceTypeOfferings"
        " DescribeInstanceTypes DescribeInstances DescribeLaunchTemplates DescribePlacementGroups"
        " DescribeSecurityGroups DescribeSpotPriceHistory DescribeSubnets",
    ),
    *_prefixed("iam", "GetInstanceProfile ListInstanceProfiles"),
    "pricing:GetProducts",
    "ssm:GetParameter",
)


def etcd_manager(policy: Policy) -> None:
    """Find the volumes of etcd members and attach them."""
    policy.anywhere.update(("ec2:DescribeInstances", "ec2:DescribeVolumes"))
    mine = {"aws:ResourceTag/k8s.io/role/master": "1", "aws:ResourceTag/KubernetesCluster": policy.cluster}
    policy.statements.append(allow("ec2:AttachVolume", ["*"], {"StringEquals": mine}))


def lifecycle_hook(policy: Policy) -> None:
    """Say that an instance of a warm pool is ready."""
    policy.on_owned.add("autoscaling:CompleteLifecycleAction")
    policy.anywhere.add("autoscaling:DescribeLifecycleHooks")


def amazon_vpc(policy: Policy) -> None:
    """Give pods addresses of the VPC."""
    policy.anywhere.update(AMAZON_VPC)
    policy.statements.append(allow(["ec2:CreateTags"], [policy.arn("ec2:*:*:network-interface/*")]))


def cloud_controller_manager(policy: Policy, *, routes: bool, manages_load_balancer_groups: bool) -> None:
    """Describe instances, make load balancers of services; routes: also a route to each node's pods."""
    policy.anywhere.update(_CLOUD_CONTROLLER_ANYWHERE)
    policy.on_owned.update(_CLOUD_CONTROLLER_ON_OWNED)
    if manages_load_balancer_groups:
        policy.on_owned.add("elasticloadbalancing:SetSecurityGroups")
    policy.creating_owned.update(_CLOUD_CONTROLLER_CREATES)
    policy.create_ec2(["CreateSecurityGroup"], ["security-group"])
    if routes:
        policy.on_owned.update(("ec2:CreateRoute", "ec2:DeleteRoute"))


def load_balancer_controller(policy: Policy, *, waf: bool, wafv2: bool, shield: bool) -> None:
    """Make load balancers of ingresses and services."""
    policy.anywhere.update(_LOAD_BALANCER_CONTROLLER_ANYWHERE)
    for service, enabled in (("waf-regional", waf), ("wafv2", wafv2)):
        if enabled:
            policy.anywhere.update(("elasticloadbalancing:SetWebACL", *_prefixed(service, _WEB_ACL)))
    if shield:
        policy.anywhere.update(_SHIELD)
    policy.on_owned.update(_LOAD_BALANCER_CONTROLLER_ON_OWNED)
    policy.creating_owned.update(_LOAD_BALANCER_CONTROLLER_CREATES)
    policy.create_ec2(["CreateSecurityGroup"], ["security-group"])


def cluster_autoscaler(policy: Policy, *, knows_instance_types: bool) -> None:
    """Resize autoscaling groups; it asks for instance types unless it has a list of its own."""
    policy.on_owned.update(_AUTOSCALER_ON_OWNED)
    policy.anywhere.update(_AUTOSCALER_ANYWHERE)
    if not knows_instance_types:
        policy.anywhere.add("ec2:DescribeInstanceTypes")


def termination_handler(policy: Policy) -> None:
    """Read the queue of terminations and let them go on."""
    policy.anywhere.update(_TERMINATION_HANDLER_ANYWHERE)
    policy.on_owned.add("autoscaling:CompleteLifecycleAction")


def ebs_driver(policy: Policy, *, snapshots: bool) -> None:
    """Make and attach volumes of persistent volume claims."""
    policy.use_keys()
    if snapshots:
        policy.anywhere.update(_SNAPSHOTS_ANYWHERE)
        policy.on_owned.update(_SNAPSHOTS_ON_OWNED)
        policy.create_ec2(["CreateSnapshot"], ["volume", "snapshot"])
        owned = {"StringEquals": {"aws:ResourceTag/KubernetesCluster": policy.cluster}}
        policy.statements.append(allow("ec2:CreateVolume", [policy.arn("ec2:*:*:snapshot/*")], owned))
    policy.anywhere.update(_EBS_DRIVER_ANYWHERE)
    policy.on_owned.update(_EBS_DRIVER_ON_OWNED)
    policy.create_ec2(["CopyVolumes", "CreateVolume"], ["volume", "snapshot"])


def dns_records(policy: Policy, zone_id: str) -> None:
    """Change the records of one hosted zone; nothing when there is no zone."""
    if not zone_id:
        return
    zone = zone_id.lstrip("/")
    zone = zone[len("hostedzone/") :] if zone.startswith("hostedzone/") else zone
    policy.statements += [
        allow(
            ["route53:ChangeResourceRecordSets", "route53:GetHostedZone", "route53:ListResourceRecordSets"],
            [policy.arn(f"route53:::hostedzone/{zone}")],
        ),
        allow(["route53:GetChange"], [policy.arn("route53:::change/*")]),
        allow(["route53:ListHostedZones", "route53:ListTagsForResource"], ["*"]),
    ]


def cert_manager(policy: Policy, zone_ids: Iterable[str]) -> None:
    """Answer ACME challenges in hosted zones."""
    zones = sorted({policy.arn(f"route53:::hostedzone/{zone}") for zone in zone_ids})
    challenges = {
        "ForAllValues:StringEquals": {"route53:ChangeResourceRecordSetsRecordTypes": ["TXT"]},
        "ForAllValues:StringLike": {
            "route53:ChangeResourceRecordSetsNormalizedRecordNames": ["_acme-challenge.*"],
        },
    }
    policy.statements += [
        allow("route53:ListResourceRecordSets", zones),
        allow("route53:ChangeResourceRecordSets", zones, challenges),
        allow(["route53:GetChange"], [policy.arn("route53:::change/*")]),
        allow(["route53:ListHostedZonesByName"], ["*"]),
    ]


def karpenter(policy: Policy, *, custom_profiles: bool, customer_keys: bool) -> None:
    """Launch and end instances, each tagged as the cluster's and as Karpenter's.

    custom_profiles: some group brings an instance profile, whose role can have any name.
    customer_keys: some group's root volume is encrypted with a customer managed key.
    """
    if customer_keys:
        policy.use_keys()
    policy.anywhere.update(_KARPENTER_ANYWHERE)
    instance, template = (policy.arn(f"ec2:*:*:{kind}/*") for kind in ("instance", "launch-template"))
    taggable = sorted(
        policy.arn(f"ec2:*:*:{kind}/*")
        for kind in (
            "fleet",
            "instance",
            "launch-template",
            "network-interface",
            "spot-instances-request",
            "volume",
        )
    )
    launched_into = sorted(
        [
            policy.arn("ec2:*::image/*"),
            policy.arn("ec2:*::snapshot/*"),
            *(policy.arn(f"ec2:*:*:{kind}/*") for kind in ("capacity-reservation", "security-group", "subnet")),
        ]
    )
    launch = one_or_all("ec2:CreateFleet", "ec2:RunInstances")
    creations = ["CreateFleet", "CreateLaunchTemplate", "RunInstances"]
    retagged = {"Null": {"aws:RequestTag/KubernetesCluster": "true"}, **_karpenters(policy, "Resource")}
    role = "*" if custom_profiles else names.iam("Node", policy.cluster)
    policy.statements += [
        allow(launch, launched_into),
        allow(launch, [template], _karpenters(policy, "Resource")),
        allow(one_or_all(*(f"ec2:{action}" for action in creations)), taggable, _karpenters(policy, "Request")),
        allow("ec2:CreateTags", taggable, _karpenters(policy, "Request", {"ec2:CreateAction": creations})),
        allow(one_or_all("ec2:CreateTags", "ec2:DeleteTags"), taggable, retagged),
        allow(
            one_or_all("ec2:DeleteLaunchTemplate", "ec2:TerminateInstances"),
            [instance, template],
            _karpenters(policy, "Resource"),
        ),
        allow(
            "iam:PassRole",
            policy.arn(f"iam::*:role/{role}"),
            {"StringEquals": {"iam:PassedToService": ec2_service(policy.region)}},
        ),
    ]


def _karpenters(policy: Policy, side: str, more: dict[str, Any] | None = None) -> dict[str, Any]:
    """The condition that an object (side Resource) or a call (side Request) carries both owners' tags."""
    return {
        "StringEquals": {f"aws:{side}Tag/KubernetesCluster": policy.cluster, **(more or {})},
        "StringLike": {f"aws:{side}Tag/karpenter.sh/nodepool": "*"},
    }
