# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Typha: it watches the API server for all nodes, so that large clusters do not overload it."""

from __future__ import annotations

from typing import Any

from ...objects.pods import container_ports, http_probe, toleration, variables
from ...objects.policy import disruption_budget
from ...objects.services import port, service
from ...objects.workloads import deployment
from .settings import API_SERVER, NAMESPACE, NODE, TYPHA, Settings

_APP = {"k8s-app": TYPHA}
_PORT, _HEALTH_PORT = 5473, 9098
_METRICS_PORT = 9093
# Clients are moved to other replicas one after the other.
_GRACE_SECONDS = 300


def disruption_budget_of(settings: Settings) -> dict[str, Any]:
    """Lets the cluster autoscaler move it."""
    return disruption_budget(TYPHA, NAMESPACE, _APP, _APP, maxUnavailable=1)


def service_of(settings: Settings) -> dict[str, Any]:
    """By which nodes find it."""
    return service(TYPHA, NAMESPACE, [port(_PORT, TYPHA, TYPHA, "TCP")], _APP, _APP)


def deployment_of(settings: Settings) -> dict[str, Any]:
    """On the network of the hosts, as that of pods needs it."""
    return deployment(
        TYPHA,
        NAMESPACE,
        _pod(settings),
        selector=_APP,
        labels=_APP,
        pod_annotations={"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"},
        replicas=settings.calico.typha_replicas,
        revisionHistoryLimit=2,
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "100%", "maxUnavailable": 1}},
    )


def _pod(settings: Settings) -> dict[str, Any]:
    return {
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "hostNetwork": True,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "tolerations": [
            toleration("CriticalAddonsOnly"),
            toleration(effect="NoSchedule"),
            toleration(effect="NoExecute"),
        ],
        "serviceAccountName": NODE,
        "priorityClassName": "system-cluster-critical",
        # Its token can be read by this group.
        "securityContext": {"fsGroup": 65534, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(settings)],
    }


def _container(settings: Settings) -> dict[str, Any]:
    calico = settings.calico
    metrics = calico.typha_prometheus_metrics_port or _METRICS_PORT
    ports = {TYPHA: (_PORT, "TCP")}
    if calico.typha_prometheus_metrics_enabled:
        ports["metrics"] = (metrics, "TCP")
    return {
        "name": TYPHA,
        "image": settings.image("typha"),
        "imagePullPolicy": "IfNotPresent",
        "ports": container_ports(ports),
        "envFrom": [{"configMapRef": {"name": API_SERVER, "optional": True}}],
        "env": variables(
            {
                "TYPHA_LOGSEVERITYSCREEN": "info",
                "TYPHA_LOGFILEPATH": "none",
                "TYPHA_LOGSEVERITYSYS": "none",
                "TYPHA_CONNECTIONREBALANCINGMODE": "kubernetes",
                "TYPHA_DATASTORETYPE": "kubernetes",
                "TYPHA_HEALTHENABLED": "true",
                "TYPHA_SHUTDOWNTIMEOUTSECS": str(_GRACE_SECONDS),
                "TYPHA_PROMETHEUSMETRICSENABLED": str(bool(calico.typha_prometheus_metrics_enabled)).lower(),
                "TYPHA_PROMETHEUSMETRICSPORT": str(metrics),
            }
        ),
        "livenessProbe": {**_probe("/liveness"), "periodSeconds": 30, "initialDelaySeconds": 30},
        "securityContext": {"runAsNonRoot": True, "allowPrivilegeEscalation": False},
        "readinessProbe": {**_probe("/readiness"), "periodSeconds": 10},
    }


def _probe(path: str) -> dict[str, Any]:
    return http_probe(path, _HEALTH_PORT, host="localhost", timeoutSeconds=10)
