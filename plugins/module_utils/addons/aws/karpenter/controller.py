# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment of Karpenter."""

from __future__ import annotations

from typing import Any

from ....api.cluster import KarpenterConfig
from ....api.questions import is_ipv6_only
from ...context import AddonContext
from ...objects.pods import (
    container_ports,
    expression,
    field_variable,
    http_probe,
    on_control_plane,
    on_linux,
    requests,
    spread,
    toleration,
    variables,
)
from ...objects.workloads import deployment
from .parts import APP, LABELS, NAME, NAMESPACE, NODE_POOL

_CONTAINER = "controller"
_USER = 65532
_FEATURE_GATES = (
    "ReservedCapacity=true,SpotToSpotConsolidation=false,NodeRepair=false,NodeOverlay=false,StaticCapacity=true"
)
METRICS, _HEALTH = 8080, 8081


def controller(context: AddonContext) -> dict[str, Any]:
    """The Deployment."""
    return deployment(
        NAME,
        NAMESPACE,
        _pod(context),
        selector=APP,
        labels=LABELS,
        replicas=1,
        revisionHistoryLimit=10,
        strategy={"rollingUpdate": {"maxUnavailable": 1}},
    )


def _pod(context: AddonContext) -> dict[str, Any]:
    by_zone, _by_host = spread(APP)
    return {
        "affinity": _affinity(),
        "automountServiceAccountToken": True,
        "containers": [_container(context, context.cluster.spec.karpenter or KarpenterConfig())],
        # Its own DNS may have no node yet; but clusters with IPv6 only need it for addresses of IPv4.
        "dnsPolicy": "ClusterFirst" if is_ipv6_only(context.cluster) else "Default",
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-cluster-critical",
        "schedulerName": "default-scheduler",
        "securityContext": {"fsGroup": _USER, "seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": NAME,
        "tolerations": [
            toleration("node-role.kubernetes.io/master"),
            toleration("node-role.kubernetes.io/control-plane"),
            toleration("CriticalAddonsOnly"),
        ],
        "topologySpreadConstraints": [by_zone],
    }


def _affinity() -> dict[str, Any]:
    """On the control plane, not on nodes that it launches itself; each on a host of its own."""
    affinity = on_control_plane()
    terms = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    terms[0]["matchExpressions"][:0] = [on_linux(), expression(NODE_POOL, "DoesNotExist")]
    apart = [{"labelSelector": {"matchLabels": dict(APP)}, "topologyKey": "kubernetes.io/hostname"}]
    return {**affinity, "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}}


def _container(context: AddonContext, spec: KarpenterConfig) -> dict[str, Any]:
    return {
        "name": _CONTAINER,
        "image": spec.image,
        "imagePullPolicy": "IfNotPresent",
        "env": _environment(context, spec),
        "livenessProbe": http_probe("/healthz", "http", initialDelaySeconds=30, timeoutSeconds=30),
        "readinessProbe": http_probe("/readyz", "http", initialDelaySeconds=5, timeoutSeconds=30),
        "ports": container_ports({"http-metrics": (METRICS, "TCP"), "http": (_HEALTH, "TCP")}),
        "resources": _resources(spec),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "privileged": False,
            "readOnlyRootFilesystem": True,
            "runAsGroup": _USER,
            "runAsNonRoot": True,
            "runAsUser": _USER,
        },
    }


def _resources(spec: KarpenterConfig) -> dict[str, Any]:
    """Texts, as in kops, also of whole numbers."""
    limits = {"memory": str(spec.memory_limit or "1Gi")}
    return requests(limits=limits, cpu=str(spec.cpu_request or "500m"), memory=str(spec.memory_request or "1Gi"))


def _environment(context: AddonContext, spec: KarpenterConfig) -> list[dict[str, Any]]:
    return [
        *variables(
            {
                "FEATURE_GATES": spec.feature_gates or _FEATURE_GATES,
                "KUBERNETES_MIN_VERSION": "1.19.0-0",
                "KARPENTER_SERVICE": NAME,
                "LOG_LEVEL": spec.log_level or "",
                "LOG_OUTPUT_PATHS": "stdout",
                "LOG_ERROR_OUTPUT_PATHS": "stderr",
                "METRICS_PORT": str(METRICS),
                "HEALTH_PROBE_PORT": str(_HEALTH),
            }
        ),
        field_variable("SYSTEM_NAMESPACE", "metadata.namespace"),
        _resource_variable("CPU_REQUESTS", "requests.cpu", "1m"),
        _resource_variable("MEMORY_LIMIT", "limits.memory", "0"),
        *variables(
            {
                "BATCH_MAX_DURATION": "10s",
                "BATCH_IDLE_DURATION": "1s",
                "PREFERENCE_POLICY": "Respect",
                "MIN_VALUES_POLICY": "Strict",
                "CLUSTER_NAME": context.cluster.metadata.name,
                "CLUSTER_ENDPOINT": f"https://{context.api_internal_name}",
                "VM_MEMORY_OVERHEAD_PERCENT": "0.075",
                "RESERVED_ENIS": "0",
                "IGNORE_DRA_REQUESTS": "true",
                "AMI_REFRESH_INTERVAL": "1m",
                "SUBNET_REFRESH_INTERVAL": "1m",
                "AWS_REGION": context.region,
            }
        ),
    ]


def _resource_variable(name: str, resource: str, divisor: str) -> dict[str, Any]:
    field = {"containerName": _CONTAINER, "divisor": divisor, "resource": resource}
    return {"name": name, "valueFrom": {"resourceFieldRef": field}}
