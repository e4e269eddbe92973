# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics-server that comes with Spotinst's controller."""

from __future__ import annotations

from typing import Any

from ...objects.core import service_account
from ...objects.pods import container_ports, empty_dir, http_probe, mount, requests
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role_binding, rule
from ...objects.services import api_service, port, service
from ...objects.workloads import deployment
from .parts import NAMESPACE, RELEASE

_CHART, _VERSION = "metrics-server", "0.6.4"
_NAME = f"{RELEASE}-{_CHART}"
_APP = {"app.kubernetes.io/name": _CHART, "app.kubernetes.io/instance": RELEASE}
_LABELS = {**_APP, "helm.sh/chart": f"{_CHART}-3.11.0", "app.kubernetes.io/version": _VERSION}
_READ = "get list watch"
_API = "metrics.k8s.io"


def metrics_server() -> list[dict[str, Any]]:
    """Its objects."""
    return [
        *_permissions(),
        service(_NAME, NAMESPACE, [port(443, "https", "https", "TCP")], _APP, _LABELS, type="ClusterIP"),
        deployment(_NAME, NAMESPACE, _pod(), selector=_APP, labels=_LABELS, replicas=1),
        _api_service(),
    ]


def _api_service() -> dict[str, Any]:
    spec = {"groupPriorityMinimum": 100, "insecureSkipTLSVerify": True, "versionPriority": 100}
    made = api_service(_API, "v1beta1", (NAMESPACE, _NAME), labels=_LABELS, **spec)
    made["spec"]["service"]["port"] = 443
    return made


def _permissions() -> list[dict[str, Any]]:
    account = account_subject(_NAME, NAMESPACE)
    aggregated = {f"rbac.authorization.k8s.io/aggregate-to-{role}": "true" for role in ("admin", "edit", "view")}
    own, reader = f"system:{_NAME}", "extension-apiserver-authentication-reader"
    rules = [rule("", "nodes/metrics", "get"), rule("", "pods nodes namespaces configmaps", _READ)]
    return [
        service_account(_NAME, NAMESPACE, _LABELS),
        cluster_role(
            f"system:{_CHART}-aggregated-reader", {**_LABELS, **aggregated}, [rule(_API, "pods nodes", _READ)]
        ),
        cluster_role(own, _LABELS, rules),
        cluster_role_binding(f"{_NAME}:system:auth-delegator", "system:auth-delegator", account, _LABELS),
        cluster_role_binding(own, own, account, _LABELS),
        role_binding(f"{_NAME}-auth-reader", NAMESPACE, reader, account, _LABELS),
    ]


def _pod() -> dict[str, Any]:
    directory = "/tmp"  # noqa: S108 - in the container
    container = {
        "name": _CHART,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 1000,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "image": f"registry.k8s.io/metrics-server/metrics-server:v{_VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "args": [
            "--secure-port=10250",
            f"--cert-dir={directory}",
            "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
            "--kubelet-use-node-status-port",
            "--metric-resolution=15s",
            "--logtostderr",
        ],
        "ports": container_ports({"https": (10250, "TCP")}),
        "livenessProbe": {**http_probe("/livez", "https", scheme="HTTPS"), **_times(0)},
        "readinessProbe": {**http_probe("/readyz", "https", scheme="HTTPS"), **_times(20)},
        "volumeMounts": [mount("tmp", directory)],
        "resources": requests(cpu="100m", memory="200Mi"),
    }
    return {
        "serviceAccountName": _NAME,
        "priorityClassName": "system-cluster-critical",
        "containers": [container],
        "volumes": [empty_dir("tmp")],
    }


def _times(delay: int) -> dict[str, int]:
    return {"failureThreshold": 3, "initialDelaySeconds": delay, "periodSeconds": 10}
