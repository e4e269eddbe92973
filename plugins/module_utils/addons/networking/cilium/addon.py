# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cilium, a network of pods (networking.cilium.io of kops)."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ....iam.policy import Policy, actions
from ...conditions import network
from ...context import AddonContext
from ...definition import AddonDefinition
from ...objects.core import kubernetes_object, service_account
from ..selector import NETWORKING
from . import hubble, traffic
from .access import cluster_roles
from .agent import agent
from .config import settings
from .namespace_access import roles
from .operator import operator, operator_budget
from .parts import AGENT, IPSEC_KEYS, NAMESPACE, OPERATOR, uses_hubble

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


def _build(context: AddonContext) -> list[dict[str, Any]]:
    cilium = context.cluster.spec.networking.cilium or CiliumNetworkingSpec()
    watched = uses_hubble(cilium)
    return [
        *_keys(context),
        operator_budget(),
        service_account(AGENT, NAMESPACE),
        service_account(OPERATOR, NAMESPACE),
        *([hubble.relay_account()] if watched else []),
        settings(context, cilium),
        *([hubble.relay_config(cilium)] if watched else []),
        *cluster_roles(cilium),
        *roles(cilium),
        *traffic.agent_service(cilium),
        *traffic.shared_service(cilium),
        *(hubble.hubble_services(cilium) if watched else []),
        agent(context, cilium),
        operator(context, cilium),
        *([hubble.relay(cilium)] if watched else []),
        *traffic.ingress_class(cilium),
        *(hubble.hubble_certificates(cilium) if watched else []),
        *traffic.shared_endpoints(cilium),
        *traffic.gateway_class(cilium),
    ]


def _keys(context: AddonContext) -> list[dict[str, Any]]:
    """The Secret of the keys with which agents encrypt by IPsec, where the cluster has some."""
    if not context.cilium_keys:
        return []
    return [kubernetes_object("v1", "Secret", IPSEC_KEYS, namespace=NAMESPACE, stringData=dict(context.cilium_keys))]


def _needs_authority(context: AddonContext) -> bool:
    cilium = context.cluster.spec.networking.cilium
    return cilium is not None and uses_hubble(cilium)


ADDON = AddonDefinition(
    name="networking.cilium.io",
    condition=network("cilium"),
    build=_build,
    id="k8s-1.16",
    file="k8s-1.16-v1.15.yaml",
    selector=NETWORKING,
    needs_rolling_update="all",
    needs_pki=_needs_authority,
    replaceable=True,
    instance_permissions=_manage_interfaces,
)
