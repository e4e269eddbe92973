# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of MetalLB: the controller gives Services addresses, a speaker on each node announces them."""

from __future__ import annotations

import json
from typing import Any

from ...objects.core import config_map
from ...objects.pods import (
    config_map_volume,
    container_ports,
    control_plane_tolerations,
    field_variable,
    http_probe,
    mount,
    requests,
    secret_volume,
    variables,
)
from ...objects.workloads import daemon_set, deployment
from .names import (
    CONTROLLER,
    EXCLUDED_INTERFACES,
    LABELS,
    MEMBERS,
    NAMESPACE,
    SPEAKER,
    WEBHOOK_SECRET,
    image_of,
    labels_of,
)

_METRICS_PORT, _HEALTH_PORT = 9120, 17472
_ARGUMENTS = [f"--port={_METRICS_PORT}", "--log-level=info"]
_METRICS = {"metricshttps": (_METRICS_PORT, "TCP")}
_ON_LINUX = {"nodeSelector": {"kubernetes.io/os": "linux"}}
# Interfaces on which no address of a Service is announced: those of pods and of networks of pods.
_NO_INTERFACES = (
    *("docker.*", "cbr.*", "dummy.*", "virbr.*", "lxcbr.*", "veth.*", "lo$", "cali.*", "tunl.*", "flannel.*"),
    *("kube-ipvs.*", "cni.*", "nodelocaldns.*", "lxc.*", "cilium_.*", "kube-bridge.*", "kube-dummy-if.*"),
)


def controller() -> dict[str, Any]:
    """The Deployment of the controller."""
    container = {
        "name": CONTROLLER,
        "image": image_of(CONTROLLER),
        "args": _ARGUMENTS,
        "env": [
            field_variable("METALLB_POD_NAME", "metadata.name"),
            *variables({"METALLB_ML_SECRET_NAME": MEMBERS, "METALLB_DEPLOYMENT": CONTROLLER}),
        ],
        "ports": container_ports({**_METRICS, "webhook-server": (9443, "TCP")}),
        **_probes(""),
        "resources": requests(cpu="20m", memory="50Mi"),
        "securityContext": _security(),
        "volumeMounts": [mount("cert", "/tmp/k8s-webhook-server/serving-certs", readOnly=True)],  # noqa: S108
    }
    pod = {
        "containers": [container],
        **_ON_LINUX,
        "priorityClassName": "system-cluster-critical",
        "securityContext": {"fsGroup": 65534, "runAsNonRoot": True, "runAsUser": 65534},
        "serviceAccountName": CONTROLLER,
        "terminationGracePeriodSeconds": 0,
        "volumes": [secret_volume("cert", WEBHOOK_SECRET)],
    }
    labels = labels_of(CONTROLLER)
    return deployment(CONTROLLER, NAMESPACE, pod, selector=labels, labels=labels, revisionHistoryLimit=3)


def speaker() -> list[dict[str, Any]]:
    """The DaemonSet of the speakers, and where they do not speak."""
    container = {
        "name": SPEAKER,
        "image": image_of(SPEAKER),
        "args": _ARGUMENTS,
        "env": [
            field_variable("METALLB_NODE_NAME", "spec.nodeName"),
            field_variable("METALLB_POD_NAME", "metadata.name"),
            field_variable("METALLB_ML_BIND_ADDR", "status.podIP"),
            *variables(
                {
                    "METALLB_ML_LABELS": f"app=metallb,component={SPEAKER}",
                    "METALLB_ML_SECRET_KEY_PATH": "/etc/ml_secret_key",
                }
            ),
        ],
        "ports": container_ports({**_METRICS, "memberlist-tcp": (7946, "TCP"), "memberlist-udp": (7946, "UDP")}),
        **_probes("127.0.0.1"),
        "resources": requests(cpu="20m", memory="50Mi"),
        "securityContext": _security("NET_RAW"),
        "volumeMounts": [
            mount(MEMBERS, "/etc/ml_secret_key", readOnly=True),
            mount(EXCLUDED_INTERFACES, "/etc/metallb", readOnly=True),
        ],
    }
    pod = {
        "containers": [container],
        "hostNetwork": True,
        **_ON_LINUX,
        "priorityClassName": "system-node-critical",
        "serviceAccountName": SPEAKER,
        "terminationGracePeriodSeconds": 2,
        "tolerations": [{**each, "effect": "NoSchedule"} for each in control_plane_tolerations()],
        # The pods wait until the controller has made the Secret.
        "volumes": [secret_volume(MEMBERS, MEMBERS), config_map_volume(EXCLUDED_INTERFACES, EXCLUDED_INTERFACES)],
    }
    labels = labels_of(SPEAKER)
    return [_excluded_interfaces(), daemon_set(SPEAKER, NAMESPACE, pod, selector=labels, labels=labels)]


def _excluded_interfaces() -> dict[str, Any]:
    excluded = {"announcedInterfacesToExclude": [f"^{name}" for name in _NO_INTERFACES]}
    return config_map(EXCLUDED_INTERFACES, NAMESPACE, LABELS, {"excludel2.yaml": json.dumps(excluded)})


def _probes(host: str) -> dict[str, Any]:
    """host: where the program listens; "": at the address of its pod."""
    return {"livenessProbe": _probe("/healthz", host), "readinessProbe": _probe("/readyz", host)}


def _probe(path: str, host: str) -> dict[str, Any]:
    return http_probe(path, _HEALTH_PORT, host=host, initialDelaySeconds=10, periodSeconds=10, failureThreshold=3)


def _security(*capabilities: str) -> dict[str, Any]:
    allowed = {"drop": ["ALL"], **({"add": list(capabilities)} if capabilities else {})}
    return {"allowPrivilegeEscalation": False, "capabilities": allowed, "readOnlyRootFilesystem": True}
