# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of Azure disks on each node."""

from __future__ import annotations

from typing import Any

from ...objects.csi import SOCKETS
from ...objects.pods import (
    container_ports,
    field_variable,
    host_path,
    http_probe,
    mount,
    node_affinity,
    toleration,
    variables,
)
from ...objects.workloads import daemon_set
from .containers import ADDRESS, CLOUD_OPTIONS, CREDENTIALS, NAME_OPTION, SOCKET, driver, helper
from .names import DRIVER, LABELS, NAMESPACE, NODE_ACCOUNT

_NAME = "csi-azuredisk-node"
_KUBELET = "/var/lib/kubelet/"
_PLUGIN = f"{_KUBELET}plugins/{DRIVER}"
_HEALTH, _METRICS, _REGISTRAR_HEALTH = 29603, 29605, 29607
_DEVICES = {"device-dir": "/dev", "sys-devices-dir": "/sys/bus/scsi/devices", "sys-class": "/sys/class/"}
_OPTIONS = (
    "--nodeid=$(KUBE_NODE_NAME)",
    "--enable-perf-optimization=true",
    NAME_OPTION,
    "--volume-attach-limit=-1",
    "--reserved-data-disk-slot-num=0",
    *CLOUD_OPTIONS,
    "--support-zone=true",
    "--get-node-info-from-labels=false",
    "--get-nodeid-from-imds=false",
    "--enable-otel-tracing=false",
    f"--metrics-address=0.0.0.0:{_METRICS}",
    "--remove-not-ready-taint=true",
)


def node() -> dict[str, Any]:
    """The DaemonSet."""
    create = "DirectoryOrCreate"
    no_virtual_kubelet = {"key": "type", "operator": "NotIn", "values": ["virtual-kubelet"]}
    pod = {
        "affinity": node_affinity([no_virtual_kubelet]),
        "containers": [_probe(), _registrar(), _driver()],
        "dnsPolicy": "Default",
        "hostNetwork": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-node-critical",
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": NODE_ACCOUNT,
        "tolerations": [toleration()],
        "volumes": [
            host_path(SOCKETS, _PLUGIN, create),
            host_path("mountpoint-dir", _KUBELET, create),
            host_path("registration-dir", f"{_KUBELET}plugins_registry/", create),
            host_path(CREDENTIALS, "/etc/kubernetes/", create),
            *(host_path(name, path, "Directory") for name, path in _DEVICES.items()),
        ],
    }
    app = {"app": _NAME}
    return daemon_set(
        _NAME,
        NAMESPACE,
        pod,
        selector=app,
        labels=LABELS,
        pod_labels={**app, **LABELS},
        updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
    )


def _probe() -> dict[str, Any]:
    args = ("--csi-address=/csi/csi.sock", "--probe-timeout=10s", f"--health-port={_HEALTH}", "--v=2")
    return helper("liveness-probe", "livenessprobe:v2.18.0", args, "100Mi")


def _registrar() -> dict[str, Any]:
    path = "--kubelet-registration-path=$(DRIVER_REG_SOCK_PATH)"
    args = (ADDRESS, path, "--v=2", f"--http-endpoint=localhost:{_REGISTRAR_HEALTH}")
    return helper(
        "node-driver-registrar",
        "csi-node-driver-registrar:v2.16.0",
        args,
        "100Mi",
        env=variables({**SOCKET, "DRIVER_REG_SOCK_PATH": f"{_PLUGIN}/csi.sock"}),
        ports=container_ports({"healthz": (_REGISTRAR_HEALTH, "TCP")}),
        livenessProbe=http_probe(
            "/healthz",
            "healthz",
            host="localhost",
            failureThreshold=2,
            initialDelaySeconds=20,
            periodSeconds=20,
            timeoutSeconds=10,
        ),
        volumeMounts=[mount("registration-dir", "/registration")],
    )


def _driver() -> dict[str, Any]:
    return driver(
        _OPTIONS,
        "1000Mi",
        [field_variable("KUBE_NODE_NAME", "spec.nodeName", apiVersion="v1")],
        securityContext={"privileged": True},
        lifecycle={"preStop": {"exec": {"command": ["/azurediskplugin", "--pre-stop-hook=true"]}}},
        ports=container_ports({"healthz": (_HEALTH, "TCP"), "metrics": (_METRICS, "TCP")}),
        livenessProbe=http_probe(
            "/healthz", "healthz", failureThreshold=5, initialDelaySeconds=30, periodSeconds=30, timeoutSeconds=30
        ),
        volumeMounts=[
            mount("mountpoint-dir", _KUBELET, mountPropagation="Bidirectional"),
            mount(CREDENTIALS, "/etc/kubernetes/"),
            *(mount(name, path) for name, path in _DEVICES.items()),
        ],
    )
