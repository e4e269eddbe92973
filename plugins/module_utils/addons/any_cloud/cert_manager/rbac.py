# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cert-manager's programs may do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from .components import APPROVER, CA_INJECTOR, CONTROLLER, NAMESPACE, WEBHOOK, Component

Rules = Sequence[dict[str, Any]]

_ACME, _API, _GATEWAY = "acme.cert-manager.io", "cert-manager.io", "gateway.networking.k8s.io"
_READ, _CHANGE = "get list watch", "update patch"
_READ_SECRETS = rule("", "secrets", _READ)
_KEEP_SECRETS = rule("", "secrets", f"{_READ} create update delete")
_TELL = rule("", "events", "create patch")
_ISSUERS = "issuers.cert-manager.io/* clusterissuers.cert-manager.io/*"


def _keep_issuers(kind: str) -> Rules:
    return [rule(_API, f"{kind} {kind}/status", _CHANGE), rule(_API, kind, _READ), _KEEP_SECRETS, _TELL]


# The parts of the controller, each with a role of its own.
_CONTROLLERS: Mapping[str, Rules] = {
    "issuers": _keep_issuers("issuers"),
    "clusterissuers": _keep_issuers("clusterissuers"),
    "certificates": [
        rule(
            _API,
            "certificates certificates/status certificaterequests certificaterequests/status",
            _CHANGE,
        ),
        rule(_API, "certificates certificaterequests clusterissuers issuers", _READ),
        rule(_API, "certificates/finalizers certificaterequests/finalizers", "update"),
        rule(_ACME, "orders", f"create delete {_READ}"),
        rule("", "secrets", f"{_READ} create update delete patch"),
        _TELL,
    ],
    "orders": [
        rule(_ACME, "orders orders/status", _CHANGE),
        rule(_ACME, "orders challenges", _READ),
        rule(_API, "clusterissuers issuers", _READ),
        rule(_ACME, "challenges", "create delete"),
        rule(_ACME, "orders/finalizers", "update"),
        _READ_SECRETS,
        _TELL,
    ],
    "challenges": [
        rule(_ACME, "challenges challenges/status", _CHANGE),
        rule(_ACME, "challenges", _READ),
        rule(_API, "issuers clusterissuers", _READ),
        _READ_SECRETS,
        _TELL,
        rule("", "pods services", f"{_READ} create delete"),
        rule("networking.k8s.io", "ingresses", f"{_READ} create delete update"),
        rule(_GATEWAY, "httproutes", f"{_READ} create delete update"),
        rule("route.openshift.io", "routes/custom-host", "create"),
        rule(_ACME, "challenges/finalizers", "update"),
        _READ_SECRETS,
    ],
    "ingress-shim": [
        rule(_API, "certificates certificaterequests", "create update delete"),
        rule(_API, "certificates certificaterequests issuers clusterissuers", _READ),
        rule("networking.k8s.io", "ingresses", _READ),
        rule("networking.k8s.io", "ingresses/finalizers", "update"),
        rule(_GATEWAY, "gateways httproutes", _READ),
        rule(_GATEWAY, "gateways/finalizers httproutes/finalizers", "update"),
        _TELL,
    ],
}
# Each also bound to its program.
_BOUND: Sequence[tuple[str, Component, Rules]] = (
    (
        CA_INJECTOR.name,
        CA_INJECTOR,
        [
            rule(_API, "certificates", _READ),
            _READ_SECRETS,
            rule("", "events", "get create update patch"),
            rule(
                "admissionregistration.k8s.io",
                "validatingwebhookconfigurations mutatingwebhookconfigurations",
                f"{_READ} {_CHANGE}",
            ),
            rule("apiregistration.k8s.io", "apiservices", f"{_READ} {_CHANGE}"),
            rule("apiextensions.k8s.io", "customresourcedefinitions", f"{_READ} {_CHANGE}"),
        ],
    ),
    *((f"cert-manager-controller-{part}", CONTROLLER, rules) for part, rules in _CONTROLLERS.items()),
    (
        "cert-manager-controller-approve:cert-manager-io",
        APPROVER,
        [rule(_API, "signers", "approve", _ISSUERS)],
    ),
    (
        "cert-manager-controller-certificatesigningrequests",
        APPROVER,
        [
            rule("certificates.k8s.io", "certificatesigningrequests", f"{_READ} update"),
            rule("certificates.k8s.io", "certificatesigningrequests/status", _CHANGE),
            rule("certificates.k8s.io", "signers", "sign", _ISSUERS),
            rule("authorization.k8s.io", "subjectaccessreviews", "create"),
        ],
    ),
    (
        "cert-manager-webhook:subjectaccessreviews",
        WEBHOOK,
        [rule("authorization.k8s.io", "subjectaccessreviews", "create")],
    ),
)
# What users get by roles of Kubernetes: name, the roles that contain it, rules.
_USERS: Sequence[tuple[str, str, Rules]] = (
    ("cert-manager-cluster-view", "cluster-reader", [rule(_API, "clusterissuers", _READ)]),
    (
        "cert-manager-view",
        "admin cluster-reader edit view",
        [rule(_API, "certificates certificaterequests issuers", _READ), rule(_ACME, "challenges orders", _READ)],
    ),
    (
        "cert-manager-edit",
        "admin edit",
        [
            rule(_API, "certificates certificaterequests issuers", "create delete deletecollection patch update"),
            rule(_API, "certificates/status", "update"),
            rule(_ACME, "challenges orders", "create delete deletecollection patch update"),
        ],
    ),
)


def _elects_leader(*names: str) -> Rules:
    leases = "coordination.k8s.io", "leases"
    return [rule(*leases, "get update patch", names), rule(*leases, "create")]


_IN_NAMESPACE: Sequence[tuple[str, Component, Rules]] = (
    (
        "cert-manager-cainjector:leaderelection",
        CA_INJECTOR,
        _elects_leader("cert-manager-cainjector-leader-election", "cert-manager-cainjector-leader-election-core"),
    ),
    ("cert-manager:leaderelection", CONTROLLER, _elects_leader("cert-manager-controller")),
    ("cert-manager-tokenrequest", CONTROLLER, [rule("", "serviceaccounts/token", "create", CONTROLLER.name)]),
    (
        "cert-manager-webhook:dynamic-serving",
        WEBHOOK,
        [rule("", "secrets", f"{_READ} update", "cert-manager-webhook-ca"), rule("", "secrets", "create")],
    ),
)


def permissions() -> Iterator[dict[str, Any]]:
    """The roles and bindings, of the cluster and of the namespace."""
    yield from (cluster_role(name, owner.labels, rules) for name, owner, rules in _BOUND)
    for name, roles, rules in _USERS:
        aggregated = {f"rbac.authorization.k8s.io/aggregate-to-{each}": "true" for each in roles.split()}
        yield cluster_role(name, {**CONTROLLER.labels, **aggregated}, rules)
    yield from (cluster_role_binding(name, name, _account(owner), owner.labels) for name, owner, _rules in _BOUND)
    yield from (role(name, NAMESPACE, owner.labels, rules) for name, owner, rules in _IN_NAMESPACE)
    for name, owner, _rules in _IN_NAMESPACE:
        yield role_binding(name, NAMESPACE, name, _account(owner), owner.labels)


def _account(component: Component) -> dict[str, str]:
    return account_subject(component.name, NAMESPACE)
