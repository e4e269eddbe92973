# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Services of cert-manager, and the webhook that checks its objects."""

from __future__ import annotations

from typing import Any

from ...objects.services import port, service, webhook, webhook_configuration, webhook_rule
from .components import CA_INJECTOR, CONTROLLER, METRICS_PORT, NAMESPACE, WEBHOOK

_PORTS = (
    (CA_INJECTOR, [port(METRICS_PORT, name="http-metrics", protocol="TCP")]),
    (CONTROLLER, [port(METRICS_PORT, "http-metrics", "tcp-prometheus-servicemonitor", "TCP")]),
    (
        WEBHOOK,
        [port(443, "https", "https", "TCP"), port(METRICS_PORT, "http-metrics", "metrics", "TCP")],
    ),
)


def services() -> list[dict[str, Any]]:
    """The Services of the three programs."""
    return [
        service(component.name, NAMESPACE, ports, component.selector, component.labels, type="ClusterIP")
        for component, ports in _PORTS
    ]


def webhooks() -> list[dict[str, Any]]:
    """The configurations of the webhook: it completes requests of certificates, and checks all its kinds."""
    requests = webhook_rule("cert-manager.io", "v1", "CREATE", "certificaterequests")
    everything = webhook_rule("cert-manager.io acme.cert-manager.io", "v1", "CREATE UPDATE", "*/*")
    disabled = {"key": "cert-manager.io/disable-validation", "operator": "NotIn", "values": ["true"]}
    checked = {"namespaceSelector": {"matchExpressions": [disabled]}}
    return [
        _configuration("Mutating", "/mutate", requests, {"matchPolicy": "Equivalent"}),
        _configuration("Validating", "/validate", everything, {"matchPolicy": "Equivalent", **checked}),
    ]


def _configuration(kind: str, path: str, rule: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    called = webhook(
        "webhook.cert-manager.io",
        (NAMESPACE, WEBHOOK.name),
        path,
        [rule],
        failurePolicy="Fail",
        timeoutSeconds=30,
        **more,
    )
    authority = {"cert-manager.io/inject-ca-from-secret": f"{NAMESPACE}/cert-manager-webhook-ca"}
    return webhook_configuration(kind, WEBHOOK.name, [called], labels=WEBHOOK.labels, annotations=authority)
