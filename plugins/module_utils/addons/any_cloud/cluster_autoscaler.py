# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster autoscaler, which resizes instance groups to what pods need (cluster-autoscaler.addons.k8s.io)."""

from __future__ import annotations

from ...iam.policy import Policy, actions
from ..conditions import always, enabled
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole

_ANYWHERE = (
    *actions(
        "autoscaling",
        "DescribeAutoScalingGroups DescribeAutoScalingInstances DescribeLaunchConfigurations DescribeScalingActivities",
    ),
    *actions("ec2", "DescribeImages DescribeLaunchTemplateVersions GetInstanceTypesFromInstanceRequirements"),
)
_ON_OWNED = actions("autoscaling", "SetDesiredCapacity TerminateInstanceInAutoScalingGroup")


def _resize_groups(context: AddonContext, policy: Policy) -> None:
    """Resize autoscaling groups; it asks for instance types unless it has a list of its own."""
    spec = context.cluster.spec.cluster_autoscaler
    policy.on_owned.update(_ON_OWNED)
    policy.anywhere.update(_ANYWHERE)
    if not (spec and spec.aws_use_static_instance_list):
        policy.anywhere.add("ec2:DescribeInstanceTypes")


ADDON = AddonDefinition(
    name="cluster-autoscaler.addons.k8s.io",
    condition=enabled("cluster_autoscaler"),
    service_accounts=(ServiceAccountRole("cluster-autoscaler", _resize_groups, on_control_plane=always),),
)
