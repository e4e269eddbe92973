# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Karpenter, which launches the instances that pods need (karpenter.sh of kops)."""

from __future__ import annotations

from typing import Any

from ....iam import names
from ....iam.policy import Policy, actions, allow, ec2_service, one_or_all
from ...conditions import enabled
from ...context import AddonContext
from ...definition import AddonDefinition, ServiceAccountRole
from ...objects.policy import disruption_budget
from ...objects.services import port, service
from ...upstream import files_in_repository
from .controller import METRICS, controller
from .instance_groups import node_class, node_pool
from .parts import APP, AWS, CORE, LABELS, NAME, NAMESPACE, VERSION
from .rbac import account_and_roles

_KINDS = (
    f"{AWS}_ec2nodeclasses.yaml",
    f"{CORE}_nodeclaims.yaml",
    f"{CORE}_nodeoverlays.yaml",
    f"{CORE}_nodepools.yaml",
)

_ANYWHERE = (
    *actions(
        "ec2",
        "DescribeCapacityReservations DescribeImages DescribeInstanceStatus DescribeInstanceTypeOfferings"
        " DescribeInstanceTypes DescribeInstances DescribeLaunchTemplates DescribePlacementGroups"
        " DescribeSecurityGroups DescribeSpotPriceHistory DescribeSubnets",
    ),
    *actions("iam", "GetInstanceProfile ListInstanceProfiles"),
    "pricing:GetProducts",
    "ssm:GetParameter",
)


def _launch_instances(context: AddonContext, policy: Policy) -> None:
    """Launch and end instances, each tagged as the cluster's and as Karpenter's."""
    groups = [group.spec for group in context.groups_of("Node") if group.spec.manager == "Karpenter"]
    volumes = [group.root_volume for group in groups if group.root_volume is not None]
    if any(volume.encryption and volume.encryption_key for volume in volumes):
        policy.use_keys()
    policy.anywhere.update(_ANYWHERE)
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
    # The role of an instance profile that a group names can have any name.
    custom_profiles = any(group.iam is not None and group.iam.profile for group in groups)
    role = "*" if custom_profiles else names.instance_role("Node", policy.cluster)
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


def _build(context: AddonContext) -> list[dict[str, Any]]:
    metrics = port(METRICS, "http-metrics", "http-metrics", "TCP")
    return [
        *account_and_roles(),
        service(NAME, NAMESPACE, [metrics], APP, LABELS, type="ClusterIP"),
        controller(context),
        disruption_budget(NAME, NAMESPACE, APP, LABELS, maxUnavailable=1),
        *(make(launch) for launch in context.launches() for make in (node_class, node_pool)),
    ]


def _definitions(context: AddonContext) -> list[str]:
    return files_in_repository("aws/karpenter-provider-aws", f"v{VERSION}", "pkg/apis/crds", _KINDS)


ADDON = AddonDefinition(
    name="karpenter.sh",
    condition=enabled("karpenter"),
    build=_build,
    upstream=_definitions,
    id="k8s-1.19",
    pruned=True,
    pruned_kinds=((f"{AWS}/v1", "EC2NodeClass"), (f"{CORE}/v1", "NodePool")),
    service_accounts=(ServiceAccountRole(NAME, _launch_instances),),
)
