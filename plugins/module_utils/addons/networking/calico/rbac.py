# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service accounts of Calico, and what they may do."""

from __future__ import annotations

from typing import Any

from ...objects.core import service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, rule, user_subject
from .settings import CONTROLLERS, NAMESPACE, NODE, PLUGIN

_OWN = "crd.projectcalico.org"
_TIERS = "calico-tier-getter"
_ALL = "get list create update delete"

_CONTROLLER_RULES = (
    rule("", "nodes", "watch list get"),
    rule("", "pods", "get list watch"),
    rule("", "namespaces", "get list watch"),
    rule("", "services services/status", "get list update watch"),
    rule(_OWN, "ipreservations", "list"),
    rule(_OWN, "blockaffinities ipamblocks ipamhandles ipamconfigs tiers", f"{_ALL} watch"),
    rule(_OWN, "ippools", "list watch"),
    rule(_OWN, "hostendpoints", f"{_ALL} watch"),
    rule(_OWN, "clusterinformations", "get list create update watch"),
    rule(_OWN, "kubecontrollersconfigurations", "get list create update watch"),
)
_NODE_RULES = (
    # The plugin's own token.
    rule("", "serviceaccounts/token", "create", PLUGIN),
    rule("", "pods nodes namespaces", "get"),
    rule("discovery.k8s.io", "endpointslices", "watch list"),
    rule("", "endpoints services", "watch list get"),
    rule("", "configmaps", "get"),
    rule("", "nodes/status", "patch update"),
    rule("networking.k8s.io", "networkpolicies", "watch list"),
    rule("policy.networking.k8s.io", "adminnetworkpolicies baselineadminnetworkpolicies", "watch list"),
    rule("", "pods namespaces serviceaccounts", "list watch"),
    rule("", "pods/status", "patch"),
    rule(
        _OWN,
        "globalfelixconfigs felixconfigurations bgppeers bgpfilters globalbgpconfigs bgpconfigurations ippools"
        " ipreservations ipamblocks globalnetworkpolicies stagedglobalnetworkpolicies networkpolicies"
        " stagednetworkpolicies stagedkubernetesnetworkpolicies globalnetworksets networksets clusterinformations"
        " hostendpoints blockaffinities caliconodestatuses tiers",
        "get list watch",
    ),
    rule(_OWN, "tiers", "create"),
    rule(_OWN, "ippools felixconfigurations clusterinformations", "create update"),
    rule(_OWN, "caliconodestatuses", "update"),
    rule("", "nodes", "get list watch"),
    rule(_OWN, "bgpconfigurations bgppeers", "create update"),
    rule(_OWN, "blockaffinities ipamblocks ipamhandles", _ALL),
    rule(_OWN, "ipamconfigs", "get create"),
    rule(_OWN, "blockaffinities", "watch"),
    rule("apps", "daemonsets", "get"),
)
_PLUGIN_RULES = (
    rule("", "pods nodes namespaces", "get"),
    rule("", "pods/status", "patch"),
    rule(
        _OWN,
        "blockaffinities ipamblocks ipamhandles clusterinformations ippools ipreservations ipamconfigs",
        _ALL,
    ),
)
# kube-controller-manager collects policies whose tier is gone.
_TIER_RULES = (rule("projectcalico.org", "tiers", "get"),)


def service_accounts() -> list[dict[str, Any]]:
    """Of the controllers, of the nodes and of the CNI plugin."""
    return [service_account(name, NAMESPACE) for name in (CONTROLLERS, NODE, PLUGIN)]


def roles() -> list[dict[str, Any]]:
    """The roles and their bindings."""
    rules = {CONTROLLERS: _CONTROLLER_RULES, NODE: _NODE_RULES, PLUGIN: _PLUGIN_RULES, _TIERS: _TIER_RULES}
    subjects = {name: account_subject(name, NAMESPACE) for name in rules}
    subjects[_TIERS] = user_subject("system:kube-controller-manager")
    return [
        *(cluster_role(name, None, list(each)) for name, each in rules.items()),
        *(cluster_role_binding(name, name, subject) for name, subject in subjects.items()),
    ]
