# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster autoscaler, which resizes instance groups to what pods need (cluster-autoscaler.addons.k8s.io)."""

from __future__ import annotations

from typing import Any

from ....api.clouds import HETZNER
from ....api.components import ClusterAutoscalerConfig
from ....iam.policy import Policy, actions
from ...conditions import always, enabled
from ...context import AddonContext
from ...definition import AddonDefinition, ServiceAccountRole
from ...hetzner.autoscaled_groups import cluster_config_map
from ...objects.core import config_map, service_account
from ...objects.policy import disruption_budget
from ...objects.services import port, service
from .deployment import autoscaler
from .groups import priorities
from .names import ADDON_NAME, LABELS, NAME, NAMESPACE, PORT, SERVICE
from .rbac import permissions

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


def _build(context: AddonContext) -> list[dict[str, Any]]:
    config = context.cluster.spec.cluster_autoscaler or ClusterAutoscalerConfig()
    ports = [port(PORT, PORT, "http", "TCP")]
    return [
        disruption_budget(NAME, NAMESPACE, {"k8s-app": NAME}, LABELS, maxUnavailable=1),
        service_account(NAME, NAMESPACE, LABELS, automountServiceAccountToken=True),
        *permissions(),
        service(NAME, NAMESPACE, ports, SERVICE, LABELS, type="ClusterIP"),
        *_config_maps(context, config),
        autoscaler(context, config),
    ]


def _config_maps(context: AddonContext, config: ClusterAutoscalerConfig) -> list[dict[str, Any]]:
    maps = []
    if config.expander == "priority" and config.create_priority_expander_config:
        data = {"priorities": priorities(context, config)}
        maps.append(config_map("cluster-autoscaler-priority-expander", NAMESPACE, LABELS, data))
    if context.cloud is HETZNER:
        maps.append(cluster_config_map(context, NAMESPACE, LABELS))
    return maps


ADDON = AddonDefinition(
    name=ADDON_NAME,
    condition=enabled("cluster_autoscaler"),
    build=_build,
    id="k8s-1.15",
    service_accounts=(ServiceAccountRole(NAME, _resize_groups, on_control_plane=always),),
)
