# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""metrics-server, from which autoscalers and kubectl top read (metrics-server.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import AWS
from ...api.questions import is_ipv6_only
from ..conditions import enabled
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.certificates import certificate
from ..objects.core import service_account
from ..objects.pods import container_ports, empty_dir, http_probe, mount, requests, secret_volume, spread
from ..objects.policy import disruption_budget
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role_binding, rule
from ..objects.services import api_service, port, service
from ..objects.workloads import deployment

_ADDON = "metrics-server.addons.k8s.io"
_NAME, _NAMESPACE = "metrics-server", "kube-system"
_APP = {"k8s-app": _NAME}
_IMAGE = "registry.k8s.io/metrics-server/metrics-server:v0.8.0"
_CERTIFICATE, _CERTIFICATES = "metrics-server-tls", "/srv"
_API = "metrics.k8s.io"
_READ = "get list watch"


def _is_insecure(context: AddonContext) -> bool:
    """Whether it signs its certificate itself, and trusts any certificate of kubelets; also by default."""
    spec = context.cluster.spec.metrics_server
    return spec is None or spec.insecure is not False


def _needs_pki(context: AddonContext) -> bool:
    """The index of kops also says so where the mode is not given, although the authority is not used then."""
    spec = context.cluster.spec.metrics_server
    return spec is not None and not spec.insecure


def _build(context: AddonContext) -> list[dict[str, Any]]:
    insecure = _is_insecure(context)
    objects = [
        *_permissions(),
        service(_NAME, _NAMESPACE, [{**port(443, "https", "https", "TCP"), "appProtocol": "https"}], _APP, _APP),
        deployment(_NAME, _NAMESPACE, _pod(context, insecure), selector=_APP, labels=_APP, replicas=2),
        _api_service(insecure),
        disruption_budget(_NAME, _NAMESPACE, _APP, _APP, minAvailable=1),
    ]
    if not insecure:
        objects.append(_certificate())
    return objects


def _certificate() -> dict[str, Any]:
    return certificate(
        _NAME,
        _NAMESPACE,
        _CERTIFICATE,
        _ADDON,
        dnsNames=[f"{_NAME}.{_NAMESPACE}.svc"],
        duration="2160h",
        renewBefore="360h",
        usages=["server auth"],
    )


def _permissions() -> list[dict[str, Any]]:
    account = account_subject(_NAME, _NAMESPACE)
    aggregated = {f"rbac.authorization.k8s.io/aggregate-to-{role}": "true" for role in ("admin", "edit", "view")}
    reader, delegator = "extension-apiserver-authentication-reader", "system:auth-delegator"
    own = f"system:{_NAME}"
    rules = [rule("", "nodes/metrics", "get"), rule("", "pods nodes", _READ)]
    return [
        service_account(_NAME, _NAMESPACE, _APP),
        cluster_role("system:aggregated-metrics-reader", {**_APP, **aggregated}, [rule(_API, "pods nodes", _READ)]),
        cluster_role(own, _APP, rules),
        role_binding(f"{_NAME}-auth-reader", _NAMESPACE, reader, account, _APP),
        cluster_role_binding(f"{_NAME}:{delegator}", delegator, account, _APP),
        cluster_role_binding(own, own, account, _APP),
    ]


def _pod(context: AddonContext, insecure: bool) -> dict[str, Any]:
    spec = context.cluster.spec.metrics_server
    mounts, volumes = [mount("tmp-dir", "/tmp")], [empty_dir("tmp-dir")]  # noqa: S108 - in the container
    if not insecure:
        mounts.insert(0, mount("certs", _CERTIFICATES))
        volumes.insert(0, secret_volume("certs", _CERTIFICATE))
    container = {
        "name": _NAME,
        "image": (spec.image if spec else None) or _IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "args": _arguments(context, insecure),
        "ports": container_ports({"https": (10250, "TCP")}),
        "livenessProbe": _probe("/livez"),
        "readinessProbe": {**_probe("/readyz"), "initialDelaySeconds": 20},
        "resources": requests(cpu="100m", memory="200Mi"),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 1000,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": mounts,
    }
    return {
        "containers": [container],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": _NAME,
        "topologySpreadConstraints": spread(_APP),
        "volumes": volumes,
    }


def _probe(path: str) -> dict[str, Any]:
    return http_probe(path, "https", scheme="HTTPS", periodSeconds=10, failureThreshold=3)


def _arguments(context: AddonContext, insecure: bool) -> list[str]:
    # Only in AWS the names of nodes are names in DNS.
    by_name = context.cloud is AWS and not is_ipv6_only(context.cluster)
    if insecure:
        serving = ["--cert-dir=/tmp", "--kubelet-insecure-tls"]
    else:
        serving = [f"--tls-cert-file={_CERTIFICATES}/tls.crt", f"--tls-private-key-file={_CERTIFICATES}/tls.key"]
    return [
        "--secure-port=10250",
        "--kubelet-use-node-status-port",
        "--metric-resolution=15s",
        f"--kubelet-preferred-address-types={'Hostname' if by_name else 'InternalIP'}",
        *serving,
    ]


def _api_service(insecure: bool) -> dict[str, Any]:
    trust = {"insecureSkipTLSVerify": True} if insecure else {}
    priorities = {"groupPriorityMinimum": 100, "versionPriority": 100}
    made = api_service(_API, "v1beta1", (_NAMESPACE, _NAME), labels=_APP, **priorities, **trust)
    if not insecure:
        made["metadata"]["annotations"] = {"cert-manager.io/inject-ca-from": f"{_NAMESPACE}/{_NAME}"}
    return made


ADDON = AddonDefinition(
    name=_ADDON,
    condition=enabled("metrics_server"),
    build=_build,
    id="k8s-1.11",
    selector=_APP,
    needs_pki=_needs_pki,
)
