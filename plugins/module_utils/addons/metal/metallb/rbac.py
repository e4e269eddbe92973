# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What MetalLB's programs may do."""

from __future__ import annotations

from typing import Any

from ...objects.core import service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from .names import CONTROLLER, LABELS, NAMESPACE, SPEAKER

_API = "metallb.io"
_READ = "get list watch"
_CHANGE = f"create delete {_READ} patch update"
_TELL = rule("", "events", "create patch")
_SETTINGS = "bfdprofiles bgpadvertisements bgppeers communities ipaddresspools l2advertisements"
# Which of its kinds the controller gives its authority, as some versions of them are converted by its webhook.
_CONVERTED = (
    *("bfdprofiles", "bgpadvertisements", "bgppeers", "ipaddresspools", "l2advertisements", "communities"),
    "configurationstates",
)
_LISTER = "pod-lister"
_ROLES = {
    CONTROLLER: [
        rule("", "secrets", _CHANGE),
        rule("apps", "deployments", "get", names=CONTROLLER),
        rule(_API, "ipaddresspools/status", "update"),
    ],
    # Of both programs.
    _LISTER: [
        rule("", "pods", "get list"),
        rule("", "secrets configmaps", _READ),
        rule(_API, _SETTINGS, _READ),
        rule(_API, "servicebgpstatuses servicebgpstatuses/status", "*"),
    ],
}
_CLUSTER_ROLES = {
    CONTROLLER: [
        rule("", "services namespaces", _READ),
        rule("", "nodes", "list"),
        rule("", "services/status", "update"),
        _TELL,
        rule(
            "admissionregistration.k8s.io",
            "validatingwebhookconfigurations",
            _CHANGE,
            names="metallb-webhook-configuration",
        ),
        rule("admissionregistration.k8s.io", "validatingwebhookconfigurations", "list watch"),
        rule(
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            _CHANGE,
            names=[f"{kind}.{_API}" for kind in _CONVERTED],
        ),
        rule("apiextensions.k8s.io", "customresourcedefinitions", "list watch"),
        rule(_API, "configurationstates", _CHANGE),
        rule(_API, "configurationstates/status", "get patch update"),
    ],
    SPEAKER: [
        rule(
            _API,
            "servicel2statuses servicel2statuses/status configurationstates configurationstates/status",
            "*",
        ),
        rule("", "services endpoints nodes namespaces", _READ),
        rule("discovery.k8s.io", "endpointslices", _READ),
        _TELL,
    ],
}


def permissions() -> list[dict[str, Any]]:
    """Accounts, roles and bindings."""
    accounts = {name: account_subject(name, NAMESPACE) for name in (CONTROLLER, SPEAKER)}
    objects = [service_account(name, NAMESPACE, LABELS) for name in accounts]
    objects += [role(name, NAMESPACE, LABELS, rules) for name, rules in _ROLES.items()]
    objects += [
        role_binding(CONTROLLER, NAMESPACE, CONTROLLER, accounts[CONTROLLER], LABELS),
        role_binding(_LISTER, NAMESPACE, _LISTER, list(accounts.values()), LABELS),
    ]
    for name, rules in _CLUSTER_ROLES.items():
        of_cluster = f"{NAMESPACE}:{name}"
        objects.append(cluster_role(of_cluster, LABELS, rules))
        objects.append(cluster_role_binding(of_cluster, of_cluster, accounts[name], LABELS))
    # To ask whether clients that read metrics may do so.
    delegator = "system:auth-delegator"
    objects.append(cluster_role_binding(f"{NAMESPACE}:{delegator}", delegator, list(accounts.values()), LABELS))
    return objects
