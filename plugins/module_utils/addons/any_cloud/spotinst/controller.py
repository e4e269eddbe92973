# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spotinst's controller, which tells Spotinst what the cluster needs."""

from __future__ import annotations

import base64
from typing import Any

from ...context import AddonContext
from ...objects.core import config_map, kubernetes_object
from ...objects.pods import (
    config_map_variable,
    config_map_volume,
    empty_dir,
    expression,
    field_variable,
    http_probe,
    mount,
    node_affinity,
    preferred_nodes,
    secret_variable,
    toleration,
)
from ...objects.workloads import deployment
from . import log_shipper
from .parts import APP, CHART, LABELS, NAME, NAMESPACE, VERSION

_USER = 10001
# Of what its chart made beside the Deployment. They do not follow the cluster, in kops either.
_CHECKSUMS = {
    "checksum/config": "d146b6a8151086cb334ef1af56120cba4cdcdadda5bcc074ab896a3546c1bca9",
    "checksum/secret": "2c775f3e9eda8df303c9c21994dd6b33e0d5f449177922512e82b3b2b39f6912",
    "checksum/cluster-role": "918fabb02092038e7c388ff0d7628be9fd78a9a8dd56fb3cb9675641660c46c6",
}
# Variable -> key of the ConfigMap, which has the identifier of the cluster at least.
_SETTINGS = {
    "SPOTINST_LEADER_ELECTION_ENABLED": "leader-election",
    "CLUSTER_IDENTIFIER": "spotinst.cluster-identifier",
    "BASE_SPOTINST_URL": "base-url",
    "HTTPS_PROXY": "proxy-url",
    "DISABLE_AUTO_UPDATE": "disable-auto-update",
    "ENABLE_CSR_APPROVAL": "enable-csr-approval",
}
_IDENTIFIER = config_map_variable("CLUSTER_IDENTIFIER", NAME, "spotinst.cluster-identifier")
_CREDENTIALS = {"SPOTINST_TOKEN": "token", "SPOTINST_ACCOUNT": "account"}
_POD = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace"}
_LOGS = mount("logs", "/var/log")
_CONFIGS = ("fluent-bit.conf", "parsers.conf")


def settings(context: AddonContext) -> list[dict[str, Any]]:
    """Its ConfigMap, with that of the program that sends its logs, and its credentials of Spotinst."""
    data = {
        "spotinst.cluster-identifier": str(context.cluster.metadata.name),
        "base-url": "",
        "proxy-url": "",
        "leader-election": "true",
        "disable-auto-update": "true",
        "enable-csr-approval": "true",
        "fluent-bit.conf": log_shipper.configuration(),
        "parsers.conf": log_shipper.parsers(),
    }
    credentials = {key: _base64(context.credentials.get(name, "")) for name, key in _CREDENTIALS.items()}
    return [
        config_map(NAME, NAMESPACE, LABELS, data),
        kubernetes_object("v1", "Secret", NAME, namespace=NAMESPACE, labels=LABELS, type="Opaque", data=credentials),
    ]


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def controller() -> dict[str, Any]:
    """The Deployment."""
    annotations = {**_CHECKSUMS, "kubectl.kubernetes.io/default-container": CHART}
    return deployment(NAME, NAMESPACE, _pod(), selector=APP, labels=LABELS, pod_annotations=annotations, replicas=2)


def _pod() -> dict[str, Any]:
    by_host = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": dict(APP)},
    }
    return {
        "serviceAccountName": NAME,
        "securityContext": {"fsGroup": _USER, "runAsGroup": _USER, "runAsNonRoot": True, "runAsUser": _USER},
        "priorityClassName": "system-node-critical",
        "containers": [_controller(), _log_shipper()],
        "volumes": [
            empty_dir("logs"),
            config_map_volume("fluentbit-config", NAME, items=[{"key": name, "path": name} for name in _CONFIGS]),
        ],
        "affinity": _affinity(),
        "tolerations": [
            *(
                toleration(f"node.kubernetes.io/{state}", "NoExecute", tolerationSeconds=150)
                for state in ("not-ready", "unreachable")
            ),
            toleration("node-role.kubernetes.io/master"),
            toleration("node-role.kubernetes.io/control-plane"),
            toleration("CriticalAddonsOnly"),
        ],
        "topologySpreadConstraints": [by_host],
    }


def _affinity() -> dict[str, Any]:
    affinity = node_affinity([expression("kubernetes.io/os", "NotIn", "windows")])
    affinity["nodeAffinity"].update(preferred_nodes(expression("node-role.kubernetes.io/master"), weight=100))
    return affinity


def _controller() -> dict[str, Any]:
    optional = [
        _IDENTIFIER if name == "CLUSTER_IDENTIFIER" else config_map_variable(name, NAME, key, optional=True)
        for name, key in _SETTINGS.items()
    ]
    return {
        "name": CHART,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
        },
        "image": f"us-docker.pkg.dev/spotit-today/container-labs/spotinst-kubernetes-controller:v{VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "args": ["--log_to_file", "--log_file=/var/log/controller.logs", "--log_file_max_size=1"],
        "env": [
            *(secret_variable(name, NAME, key) for name, key in _CREDENTIALS.items()),
            *optional,
            secret_variable("USER_ENV_CERTIFICATES", f"{NAME}-ca-bundle", "userEnvCertificates.pem", optional=True),
            field_variable("POD_ID", "metadata.uid"),
            *(field_variable(name, path) for name, path in _POD.items()),
        ],
        "ports": [{"name": "metrics", "containerPort": 9080}, {"name": "readiness", "containerPort": 9081}],
        "livenessProbe": http_probe("/healthz", "readiness", initialDelaySeconds=15, periodSeconds=20),
        "readinessProbe": http_probe("/readyz", "readiness", initialDelaySeconds=5, periodSeconds=10),
        "volumeMounts": [_LOGS],
    }


def _log_shipper() -> dict[str, Any]:
    directory = "/tmp"  # noqa: S108 - in the container
    return {
        "name": "log-shipper",
        "image": "ghcr.io/fluent/fluent-bit:3.0.7",
        "imagePullPolicy": "IfNotPresent",
        "command": ["/fluent-bit/bin/fluent-bit", "-c", f"{directory}/fluent-bit.conf", "-q"],
        "env": [
            *(secret_variable(name, NAME, key, optional=True) for name, key in _CREDENTIALS.items()),
            _IDENTIFIER,
            *(field_variable(name, path) for name, path in _POD.items()),
        ],
        "volumeMounts": [
            _LOGS,
            *(mount("fluentbit-config", f"{directory}/{name}", subPath=name) for name in _CONFIGS),
        ],
    }
