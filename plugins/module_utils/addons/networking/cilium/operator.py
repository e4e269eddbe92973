# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator of Cilium: on the control plane, it does what is done once for a cluster."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ....api.questions import is_ipv6_only
from ...context import AddonContext
from ...objects.pods import config_map_volume, container_ports, http_probe, mount, toleration
from ...objects.policy import disruption_budget
from ...objects.workloads import deployment
from .parts import (
    CONFIG,
    CONFIG_FILES,
    NAMESPACE,
    OPERATOR,
    OPERATOR_HEALTH_PORT,
    OPERATOR_METRICS_PORT,
    PART_OF,
    api_server_variables,
    config_variable,
    etcd_mounts,
    etcd_volumes,
    image,
    node_variables,
    resources,
)

_SELECTOR = {"io.cilium/app": "operator", "name": OPERATOR}
_LABELS = {**_SELECTOR, **PART_OF, "app.kubernetes.io/name": OPERATOR}
_ROLES = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
# It starts before nodes are ready: their network is what it helps to make.
_TOLERATED = (
    *_ROLES,
    "node.kubernetes.io/not-ready",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cilium.io/agent-not-ready",
)


def operator_budget() -> dict[str, Any]:
    """One of its pods may be away."""
    return disruption_budget(OPERATOR, NAMESPACE, _SELECTOR, _LABELS, maxUnavailable=1)


def operator(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """The Deployment."""
    return deployment(
        OPERATOR,
        NAMESPACE,
        _pod(context, cilium),
        selector=_SELECTOR,
        labels=_LABELS,
        pod_labels=_LABELS,
        pod_annotations=cilium.operator_pod_annotations,
        replicas=context.controller_replicas,
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "50%"}},
    )


def _pod(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    return {
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(context, cilium)],
        "hostNetwork": True,
        "restartPolicy": "Always",
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": OPERATOR,
        "automountServiceAccountToken": True,
        "affinity": _affinity(),
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [toleration(key) for key in _TOLERATED],
        "volumes": [config_map_volume("cilium-config-path", CONFIG), *etcd_volumes(cilium)],
    }


def _affinity() -> dict[str, Any]:
    """On the control plane, each on a node of its own: they use the node's ports."""
    terms = [{"matchExpressions": [{"key": role, "operator": "Exists"}]} for role in _ROLES]
    apart = {
        "labelSelector": {"matchLabels": {"io.cilium/app": "operator"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    return {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}},
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]},
    }


def _container(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    host = "::1" if is_ipv6_only(context.cluster) else "127.0.0.1"
    alive = {"initialDelaySeconds": 60, "periodSeconds": 10, "timeoutSeconds": 3}
    ready = {"initialDelaySeconds": 0, "periodSeconds": 5, "timeoutSeconds": 3, "failureThreshold": 5}
    [metrics] = container_ports({"prometheus": (OPERATOR_METRICS_PORT, "TCP")})
    return {
        "name": OPERATOR,
        "image": image(cilium, "operator"),
        "imagePullPolicy": "IfNotPresent",
        "command": [OPERATOR],
        "args": [
            f"--config-dir={CONFIG_FILES}",
            "--debug=$(CILIUM_DEBUG)",
            f"--eni-tags={context.cloud_labels}",
        ],
        "env": [*node_variables(), config_variable("CILIUM_DEBUG", "debug"), *api_server_variables(context)],
        **({"ports": [{**metrics, "hostPort": OPERATOR_METRICS_PORT}]} if cilium.enable_prometheus_metrics else {}),
        "resources": resources(cilium),
        "livenessProbe": http_probe("/healthz", OPERATOR_HEALTH_PORT, host=host, scheme="HTTP", **alive),
        "readinessProbe": http_probe("/healthz", OPERATOR_HEALTH_PORT, host=host, scheme="HTTP", **ready),
        "volumeMounts": [mount("cilium-config-path", CONFIG_FILES, readOnly=True), *etcd_mounts(cilium)],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
