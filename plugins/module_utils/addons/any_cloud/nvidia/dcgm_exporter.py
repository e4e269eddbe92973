# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DCGM exporter, which gives the metrics of GPUs to Prometheus."""

from __future__ import annotations

from typing import Any

from ....api.cluster import Cluster
from ...objects.core import config_map, service_account
from ...objects.pods import host_path, http_probe, mount, selinux_options, variables
from ...objects.rbac import account_subject, role, role_binding, rule
from ...objects.services import port, service
from ...objects.workloads import daemon_set
from .gpu_nodes import RUNTIME, on_gpu_nodes
from .metrics import metrics_file

_NAME, _NAMESPACE = "dcgm-exporter", "kube-system"
_SELECTED = {"app.kubernetes.io/name": _NAME}
_POD_LABELS = {**_SELECTED, "app.kubernetes.io/component": _NAME}
_LABELS = {**_POD_LABELS, "app.kubernetes.io/version": "2.6.10"}
_METRICS, _READER = "exporter-metrics-config-map", "dcgm-exporter-read-cm"
_PORT = 9400
_VOLUME, _PATH = "pod-gpu-resources", "/var/lib/kubelet/pod-resources"


def dcgm_exporter(cluster: Cluster) -> list[dict[str, Any]]:
    """Its objects."""
    return [
        service_account(_NAME, _NAMESPACE, _LABELS),
        config_map(_METRICS, _NAMESPACE, {}, {"metrics": metrics_file()}),
        role(_READER, _NAMESPACE, _LABELS, [rule("", "configmaps", "get", _METRICS)]),
        role_binding(_NAME, _NAMESPACE, _READER, account_subject(_NAME, _NAMESPACE), _LABELS),
        service(_NAME, _NAMESPACE, [port(_PORT, _PORT, "metrics", "TCP")], _SELECTED, _LABELS, type="ClusterIP"),
        daemon_set(
            _NAME,
            _NAMESPACE,
            _pod(cluster),
            selector=_POD_LABELS,
            labels=_LABELS,
            updateStrategy={"type": "RollingUpdate"},
        ),
    ]


def _pod(cluster: Cluster) -> dict[str, Any]:
    container = {
        "name": "exporter",
        "image": "nvcr.io/nvidia/k8s/dcgm-exporter:2.4.6-2.6.10-ubuntu20.04",
        "imagePullPolicy": "IfNotPresent",
        "args": ["-f", "/etc/dcgm-exporter/dcp-metrics-included.csv"],
        "env": variables({"DCGM_EXPORTER_KUBERNETES": "true", "DCGM_EXPORTER_LISTEN": f":{_PORT}"}),
        "ports": [{"name": "metrics", "containerPort": _PORT}],
        "securityContext": {
            "capabilities": {"add": ["SYS_ADMIN"]},
            "runAsNonRoot": False,
            "runAsUser": 0,
            **selinux_options(cluster),
        },
        "volumeMounts": [mount(_VOLUME, _PATH, readOnly=True)],
        "livenessProbe": http_probe("/health", _PORT, initialDelaySeconds=45, periodSeconds=5),
        "readinessProbe": http_probe("/health", _PORT, initialDelaySeconds=45),
    }
    return {
        "serviceAccountName": _NAME,
        "volumes": [host_path(_VOLUME, _PATH)],
        "runtimeClassName": RUNTIME,
        "containers": [container],
        **on_gpu_nodes(),
    }
