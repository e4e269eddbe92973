# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The webhook that gives pods the IAM role of their service account (eks-pod-identity-webhook.addons.k8s.io)."""

from __future__ import annotations

import json
from typing import Any

from ..conditions import always
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.certificates import certificate
from ..objects.core import kubernetes_object, service_account
from ..objects.pods import expression, http_probe, mount, secret_volume, spread
from ..objects.policy import disruption_budget
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from ..objects.services import port, service, webhook, webhook_configuration, webhook_rule
from ..objects.workloads import deployment
from .conditions import enabled_on_aws

_ADDON, _NAME, _NAMESPACE = "eks-pod-identity-webhook.addons.k8s.io", "pod-identity-webhook", "kube-system"
_IMAGE = "amazon/amazon-eks-pod-identity-webhook:v0.5.7"
_AUDIENCE = "amazonaws.com"
_APP = {"app": _NAME}
_CERTIFICATE, _METRICS = f"{_NAME}-cert", 9999
_SCRAPED = {"prometheus.io/port": str(_METRICS), "prometheus.io/scheme": "http", "prometheus.io/scrape": "true"}


def _build(context: AddonContext) -> list[dict[str, Any]]:
    ports = [port(443, 443, "webhook", "TCP"), port(_METRICS, _METRICS, "metrics", "TCP")]
    called = service(_NAME, _NAMESPACE, ports, _APP)
    called["metadata"]["annotations"] = dict(_SCRAPED)
    account = account_subject(_NAME, _NAMESPACE)
    return [
        service_account(_NAME, _NAMESPACE),
        role(_NAME, _NAMESPACE, None, [rule("", "configmaps", "list get watch")]),
        role_binding(_NAME, _NAMESPACE, _NAME, account),
        cluster_role(_NAME, None, [rule("", "serviceaccounts", "get watch list")]),
        cluster_role_binding(_NAME, _NAME, account),
        _deployment(context),
        _certificate(),
        _webhook(),
        called,
        _roles(context),
        disruption_budget(_NAME, _NAMESPACE, _APP, maxUnavailable="50%"),
    ]


def _deployment(context: AddonContext) -> dict[str, Any]:
    aws = context.cluster.spec.cloud_provider.aws
    replicas = (aws and aws.pod_identity_webhook and aws.pod_identity_webhook.replicas) or 2
    health = {"initialDelaySeconds": 5, "periodSeconds": 5, "timeoutSeconds": 1}
    container = {
        "name": _NAME,
        "image": _IMAGE,
        "command": [
            "/webhook",
            "--in-cluster=false",
            f"--namespace={_NAMESPACE}",
            f"--service-name={_NAME}",
            "--annotation-prefix=eks.amazonaws.com",
            f"--token-audience={_AUDIENCE}",
            "--logtostderr",
            "--watch-config-map",
            "--sts-regional-endpoint",
            f"--aws-default-region={context.region}",
            "--v=5",
        ],
        "readinessProbe": {
            **http_probe("/healthz", 443, scheme="HTTPS"),
            **health,
            "successThreshold": 1,
            "failureThreshold": 3,
        },
        "volumeMounts": [mount("cert", "/etc/webhook/certs", readOnly=True)],
    }
    pod = {
        "serviceAccountName": _NAME,
        "containers": [container],
        "priorityClassName": "system-cluster-critical",
        "topologySpreadConstraints": spread(_APP),
        "volumes": [secret_volume("cert", _CERTIFICATE)],
    }
    return deployment(_NAME, _NAMESPACE, pod, selector=_APP, replicas=replicas)


def _certificate() -> dict[str, Any]:
    host = f"{_NAME}.{_NAMESPACE}"
    return certificate(
        _NAME,
        _NAMESPACE,
        _CERTIFICATE,
        _ADDON,
        commonName=f"{host}.svc",
        dnsNames=[_NAME, host, f"{host}.svc", f"{host}.svc.local"],
        duration="2160h",
        renewBefore="360h",
    )


def _webhook() -> dict[str, Any]:
    """Asked about all pods but those of addons, which have their roles already, and the API server's own."""
    of_users = [
        expression("kops.k8s.io/managed-by", "NotIn", "kops"),
        expression("k8s-app", "NotIn", "kube-apiserver"),
    ]
    called = webhook(
        f"{_NAME}.amazonaws.com",
        (_NAMESPACE, _NAME),
        "/mutate",
        [webhook_rule("core", "v1", "CREATE", "pods")],
        admissionReviewVersions=["v1beta1"],
        failurePolicy="Fail",
        objectSelector={"matchExpressions": of_users},
    )
    authority = {"cert-manager.io/inject-ca-from": f"{_NAMESPACE}/{_NAME}"}
    return webhook_configuration("Mutating", _NAME, [called], annotations=authority)


def _roles(context: AddonContext) -> dict[str, Any]:
    """The roles of the users' service accounts; a namespace can be a pattern."""
    iam = context.cluster.spec.iam
    roles = {
        f"{account.namespace}/{account.name}": {
            "RoleARN": context.role_arn(str(account.name), str(account.namespace)),
            "Audience": _AUDIENCE,
            "UseRegionalSTS": True,
            "TokenExpiration": 0,
        }
        for account in (iam.service_account_external_permissions if iam else ())
        if account.aws is not None
    }
    data = {"config": json.dumps(dict(sorted(roles.items())), separators=(",", ":"))}
    return kubernetes_object("v1", "ConfigMap", _NAME, namespace=_NAMESPACE, annotations=_SCRAPED, data=data)


ADDON = AddonDefinition(
    name=_ADDON,
    condition=enabled_on_aws("pod_identity_webhook"),
    build=_build,
    id="k8s-1.16",
    needs_pki=always,
)
