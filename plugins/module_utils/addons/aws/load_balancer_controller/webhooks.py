# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The webhooks of the AWS load balancer controller, with the certificate and the Service by which they are called."""

from __future__ import annotations

from typing import Any

from ...objects.certificates import certificate, self_signed_issuer
from ...objects.pods import expression
from ...objects.services import port, service, webhook, webhook_configuration, webhook_rule
from .parts import CERTIFICATE, CERTIFICATE_SECRET, LABELS, NAME, NAMESPACE, SELECTOR, WEBHOOK_PORT, WEBHOOK_SERVICE

_CONFIGURATION = "aws-load-balancer-webhook"
_ISSUER = "aws-load-balancer-selfsigned-issuer"
_ELB = "elbv2.k8s.aws"
_AGENT, _AGENT_OF_POD = f"{_ELB}/alb-target-control-agent-injection", f"{_ELB}/alb-target-control-agent-inject"
# The controller must be able to start without its own answer.
_OTHERS = expression("app.kubernetes.io/name", "NotIn", NAME)


def webhook_service() -> dict[str, Any]:
    """The Service."""
    labels = {**LABELS, "app.kubernetes.io/component": "webhook", "prometheus.io/service-monitor": "false"}
    return service(WEBHOOK_SERVICE, NAMESPACE, [port(443, WEBHOOK_PORT, WEBHOOK_PORT)], SELECTOR, labels)


def certificates() -> list[dict[str, Any]]:
    """The certificate, for a year, and who signs it."""
    host = f"{WEBHOOK_SERVICE}.{NAMESPACE}.svc"
    return [
        certificate(
            CERTIFICATE,
            NAMESPACE,
            CERTIFICATE_SECRET,
            _ISSUER,
            LABELS,
            dnsNames=[host, f"{host}.cluster.local"],
            duration="8760h0m0s",
            renewBefore="720h0m0s",
        ),
        self_signed_issuer(_ISSUER, NAMESPACE, LABELS),
    ]


def webhooks() -> list[dict[str, Any]]:
    """What the API server asks before it stores objects."""
    authority = {"cert-manager.io/inject-ca-from": f"{NAMESPACE}/{CERTIFICATE}"}
    return [
        webhook_configuration("Mutating", _CONFIGURATION, _mutating(), labels=LABELS, annotations=authority),
        webhook_configuration("Validating", _CONFIGURATION, _validating(), labels=LABELS, annotations=authority),
    ]


def _mutating() -> list[dict[str, Any]]:
    pods, services = webhook_rule("core", "v1", "CREATE", "pods"), webhook_rule("core", "v1", "CREATE", "services")
    with_gate = expression(f"{_ELB}/pod-readiness-gate-inject", "In", "enabled")
    with_server_id = expression(f"{_ELB}/quic-server-id-inject", "In", "enabled")
    elsewhere = expression("kubernetes.io/metadata.name", "NotIn", NAMESPACE)
    of_namespace, of_pod = expression(_AGENT, "In", "enabled"), expression(_AGENT, "DoesNotExist")
    not_off, on = expression(_AGENT_OF_POD, "NotIn", "false"), expression(_AGENT_OF_POD, "In", "true")
    agent = "/mutate-alb-target-control"
    return [
        _webhook("mpod", "/mutate-v1-pod", pods, **_about(with_gate, _OTHERS), failurePolicy="Ignore"),
        _webhook("quicid", "/mutate-v1-pod-server-id", pods, **_about(with_server_id, _OTHERS)),
        _webhook("mservice", "/mutate-v1-service", services, **_about(elsewhere, _OTHERS)),
        _webhook(
            "alb-target-control.namespace", f"{agent}-namespace-v1-pod", pods, **_about(of_namespace, _OTHERS, not_off)
        ),
        _webhook("alb-target-control.object", f"{agent}-object-v1-pod", pods, **_about(of_pod, _OTHERS, on)),
        _webhook(
            "mtargetgroupbinding", f"/mutate-{_path('targetgroupbinding')}", _changes(_ELB, "targetgroupbindings")
        ),
    ]


def _validating() -> list[dict[str, Any]]:
    others = {"objectSelector": {"matchExpressions": [_OTHERS]}}
    parameters, bindings = _changes(_ELB, "ingressclassparams"), _changes(_ELB, "targetgroupbindings")
    ingresses = _changes("networking.k8s.io", "ingresses", version="v1")
    return [
        _webhook("vingressclassparams", f"/validate-{_path('ingressclassparams')}", parameters, **others),
        _webhook("vtargetgroupbinding", f"/validate-{_path('targetgroupbinding')}", bindings),
        _webhook("vingress", "/validate-networking-v1-ingress", ingresses, matchPolicy="Equivalent"),
    ]


def _webhook(name: str, path: str, asked: dict[str, Any], **more: Any) -> dict[str, Any]:
    called = {"admissionReviewVersions": ["v1beta1"], "failurePolicy": "Fail", **more}
    return webhook(f"{name}.{_ELB}", (NAMESPACE, WEBHOOK_SERVICE), path, [asked], **called)


def _about(namespace: dict[str, Any], *objects: dict[str, Any]) -> dict[str, Any]:
    """Which objects a webhook is asked about: by a label of their namespace, and their own."""
    return {
        "namespaceSelector": {"matchExpressions": [namespace]},
        "objectSelector": {"matchExpressions": list(objects)},
    }


def _changes(group: str, resources: str, version: str = "v1beta1") -> dict[str, Any]:
    return webhook_rule(group, version, "CREATE UPDATE", resources)


def _path(kind: str) -> str:
    return f"elbv2-k8s-aws-v1beta1-{kind}"
