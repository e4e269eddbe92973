# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the AWS load balancer controller may do in the cluster."""

from __future__ import annotations

from typing import Any

from ...objects.core import service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from .parts import LABELS, NAME, NAMESPACE

_READ = "get list watch"
_LEADER_ELECTION, _LEADER = f"{NAME}-leader-election", f"{NAME}-leader"
_AGA, _ELB, _GATEWAY, _KUBERNETES_GATEWAY = (
    "aga.k8s.aws",
    "elbv2.k8s.aws",
    "gateway.k8s.aws",
    "gateway.networking.k8s.io",
)
_INGRESSES = ("extensions", "networking.k8s.io")
_CONFIGURATIONS = ("listenerruleconfigurations", "loadbalancerconfigurations", "targetgroupconfigurations")
_ROUTES = ("grpcroutes", "httproutes", "listenersets", "tcproutes", "tlsroutes", "udproutes")

_LEADER_RULES = (
    rule("", "configmaps", "create"),
    rule("", "configmaps", "get patch update", _LEADER),
    rule("coordination.k8s.io", "leases", "create"),
    rule("coordination.k8s.io", "leases", "get update patch", _LEADER),
)


def _parts(part: str, kinds: tuple[str, ...]) -> list[str]:
    return [f"{kind}/{part}" for kind in kinds]


_RULES = (
    rule("", "configmaps", "create delete get update"),
    rule("", "endpoints namespaces nodes pods", _READ),
    rule("", "events", "create patch"),
    rule("", "pods/status services/status", "patch update"),
    rule("", "services", "get list patch update watch"),
    rule(_AGA, "globalaccelerators", "get list patch watch"),
    rule(_AGA, "globalaccelerators/finalizers globalaccelerators/status", "patch update"),
    rule("discovery.k8s.io", "endpointslices", _READ),
    rule(_ELB, "albtargetcontrolconfigs", "get"),
    rule(_ELB, "ingressclassparams", _READ),
    rule(_ELB, "targetgroupbindings", "create delete get list patch update watch"),
    rule(_ELB, "targetgroupbindings/status", "patch update"),
    rule(_INGRESSES, "ingresses", "get list patch update watch"),
    rule(_INGRESSES, "ingresses/status", "patch update"),
    rule(_GATEWAY, _CONFIGURATIONS, "get list patch watch"),
    rule(_GATEWAY, _parts("finalizers", _CONFIGURATIONS), "patch update"),
    rule(_GATEWAY, _parts("status", _CONFIGURATIONS), "get patch update"),
    rule(_KUBERNETES_GATEWAY, "gatewayclasses gateways referencegrants", "get list patch watch"),
    rule(_KUBERNETES_GATEWAY, "gatewayclasses/finalizers gateways/finalizers", "patch update"),
    rule(_KUBERNETES_GATEWAY, _parts("status", ("gatewayclasses", "gateways", *_ROUTES)), "get patch update"),
    rule(_KUBERNETES_GATEWAY, _ROUTES, _READ),
    rule(_KUBERNETES_GATEWAY, _parts("finalizers", _ROUTES), "update"),
    rule("networking.k8s.io", "ingressclasses", _READ),
)


def account_and_roles() -> list[dict[str, Any]]:
    """Its service account, with its roles and their bindings."""
    account = account_subject(NAME, NAMESPACE)
    leader = f"{_LEADER_ELECTION}-role"
    return [
        service_account(NAME, NAMESPACE, LABELS, automountServiceAccountToken=True),
        role(leader, NAMESPACE, LABELS, _LEADER_RULES),
        cluster_role(f"{NAME}-role", LABELS, _RULES),
        role_binding(f"{_LEADER_ELECTION}-rolebinding", NAMESPACE, leader, account, LABELS),
        cluster_role_binding(f"{NAME}-rolebinding", f"{NAME}-role", account, LABELS),
    ]
