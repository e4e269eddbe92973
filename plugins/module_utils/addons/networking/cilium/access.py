# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent and the operator of Cilium may do in the whole cluster."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from .parts import AGENT, CONFIG, NAMESPACE, OPERATOR, PART_OF, uses_gateway_api, uses_ingress

_CILIUM, _DEFINITIONS, _NETWORK, _GATEWAY = (
    "cilium.io",
    "apiextensions.k8s.io",
    "networking.k8s.io",
    "gateway.networking.k8s.io",
)
_READ, _FOLLOW = "get list watch", "list watch"

_AGENT_RULES = (
    rule(_NETWORK, "networkpolicies", _READ),
    rule("discovery.k8s.io", "endpointslices", _READ),
    rule("", "namespaces services pods endpoints nodes secrets", _READ),
    rule(_DEFINITIONS, "customresourcedefinitions", "list watch get"),
    rule(
        _CILIUM,
        "ciliumloadbalancerippools ciliumbgppeeringpolicies ciliumbgpnodeconfigs ciliumbgpadvertisements"
        " ciliumbgppeerconfigs ciliumclusterwideenvoyconfigs ciliumclusterwidenetworkpolicies"
        " ciliumegressgatewaypolicies ciliumendpoints ciliumendpointslices ciliumenvoyconfigs ciliumidentities"
        " ciliumlocalredirectpolicies ciliumnetworkpolicies ciliumnodes ciliumnodeconfigs ciliumcidrgroups"
        " ciliuml2announcementpolicies ciliumpodippools",
        _FOLLOW,
    ),
    rule(_CILIUM, "ciliumidentities ciliumendpoints ciliumnodes", "create"),
    rule(_CILIUM, "ciliumidentities", "update"),
    rule(_CILIUM, "ciliumendpoints", "delete get"),
    rule(_CILIUM, "ciliumnodes ciliumnodes/status", "get update"),
    rule(
        _CILIUM,
        "ciliumendpoints/status ciliumendpoints ciliuml2announcementpolicies/status ciliumbgpnodeconfigs/status",
        "patch",
    ),
)
# The operator makes these definitions of kinds itself, so that they need no file of their own.
_KINDS = (
    "ciliumloadbalancerippools ciliumbgppeeringpolicies ciliumbgpclusterconfigs ciliumbgppeerconfigs"
    " ciliumbgpadvertisements ciliumbgpnodeconfigs ciliumbgpnodeconfigoverrides ciliumclusterwideenvoyconfigs"
    " ciliumclusterwidenetworkpolicies ciliumegressgatewaypolicies ciliumendpoints ciliumendpointslices"
    " ciliumenvoyconfigs ciliumidentities ciliumlocalredirectpolicies ciliumnetworkpolicies ciliumnodes"
    " ciliumnodeconfigs ciliumcidrgroups ciliuml2announcementpolicies ciliumpodippools ciliumgatewayclassconfigs"
)
_OPERATOR_RULES = (
    # It deletes pods of the cluster's DNS that have started without Cilium.
    rule("", "pods", "get list watch delete"),
    rule("", "configmaps", "patch", CONFIG),
    rule("", "nodes", _FOLLOW),
    rule("", "nodes nodes/status", "patch"),
    rule("discovery.k8s.io", "endpointslices", _READ),
    rule("", "services/status", "update patch"),
    rule("", "namespaces secrets", _READ),
    rule("", "services endpoints", "get list watch create update delete patch"),
    rule(
        _CILIUM,
        "ciliumnetworkpolicies ciliumclusterwidenetworkpolicies",
        "create update deletecollection patch get list watch",
    ),
    rule(_CILIUM, "ciliumnetworkpolicies/status ciliumclusterwidenetworkpolicies/status", "patch update"),
    rule(_CILIUM, "ciliumendpoints ciliumidentities", "delete list watch"),
    rule(_CILIUM, "ciliumidentities", "update"),
    rule(_CILIUM, "ciliumnodes", "create update get list watch delete"),
    rule(_CILIUM, "ciliumnodes/status", "update"),
    rule(
        _CILIUM,
        "ciliumendpointslices ciliumenvoyconfigs ciliumbgppeerconfigs ciliumbgpadvertisements ciliumbgpnodeconfigs",
        "create update get list watch delete patch",
    ),
    rule(_CILIUM, "ciliumbgpclusterconfigs/status ciliumbgppeerconfigs/status", "update"),
    rule(_DEFINITIONS, "customresourcedefinitions", "create get list watch"),
    rule(_DEFINITIONS, "customresourcedefinitions", "update", [f"{kind}.{_CILIUM}" for kind in _KINDS.split()]),
    rule(
        _CILIUM,
        "ciliumloadbalancerippools ciliumpodippools ciliumbgppeeringpolicies ciliumbgpclusterconfigs"
        " ciliumbgpnodeconfigoverrides ciliumbgppeerconfigs",
        _READ,
    ),
    rule(_CILIUM, "ciliumpodippools", "create"),
    rule(_CILIUM, "ciliumloadbalancerippools/status", "patch"),
    rule("coordination.k8s.io", "leases", "create get update"),
)
_INGRESS_RULES = (
    rule(_NETWORK, "ingresses ingressclasses", _READ),
    rule(_NETWORK, "ingresses/status ingresses/finalizers", "update"),
)
_GATEWAY_RULES = (
    rule(_GATEWAY, "gatewayclasses gateways tlsroutes httproutes grpcroutes referencegrants referencepolicies", _READ),
    rule(_GATEWAY, "gatewayclasses", "patch"),
    rule(
        _GATEWAY,
        "gatewayclasses/status gateways/status httproutes/status grpcroutes/status tlsroutes/status",
        "update patch",
    ),
    rule(_CILIUM, "ciliumgatewayclassconfigs", _READ),
    rule(_CILIUM, "ciliumgatewayclassconfigs/status", "update patch"),
    rule("multicluster.x-k8s.io", "serviceimports", _READ),
)


def cluster_roles(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The ClusterRoles of both, then their bindings."""
    rules = [
        *_OPERATOR_RULES,
        *(_INGRESS_RULES if uses_ingress(cilium) else ()),
        *(_GATEWAY_RULES if uses_gateway_api(cilium) else ()),
    ]
    return [
        cluster_role(AGENT, PART_OF, _AGENT_RULES),
        cluster_role(OPERATOR, PART_OF, rules),
        *(cluster_role_binding(name, name, account_subject(name, NAMESPACE), PART_OF) for name in (AGENT, OPERATOR)),
    ]
