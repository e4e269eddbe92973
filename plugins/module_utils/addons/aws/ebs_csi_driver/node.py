# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of the driver of EBS volumes that mount them, one on each node."""

from __future__ import annotations

from typing import Any

from ...context import AddonContext
from ...objects.pods import (
    container_ports,
    empty_dir,
    expression,
    host_path,
    http_probe,
    mount,
    node_affinity,
    toleration,
    variables,
)
from ...objects.workloads import daemon_set
from .parts import (
    APP,
    DRIVER,
    NAMESPACE,
    NODE,
    NODE_ACCOUNT,
    SELINUX_MOUNT,
    driver,
    labels,
    liveness_probe,
    settings,
    sidecar,
)

_KUBELET = "/var/lib/kubelet"
_SOCKETS = f"{_KUBELET}/plugins/{DRIVER}/"
_IN_POD = "/csi"
_REGISTRAR = "csi-node-driver-registrar:v2.16.0"
# Machines of the first generation with ARM, which have no EBS volumes by NVMe.
_TOO_OLD = [f"a1.{size}" for size in ("medium", "large", "xlarge", "2xlarge", "4xlarge")]
# Paths of the host that SELinux needs: volume -> path and type.
_SELINUX = {"etc-selinux": ("/etc/selinux", "DirectoryOrCreate"), "sys-fs": ("/sys/fs", "Directory")}


def node_pods(context: AddonContext) -> dict[str, Any]:
    """The DaemonSet."""
    app = {"app": NODE, **APP}
    return daemon_set(
        NODE,
        NAMESPACE,
        _pod(context),
        selector=app,
        labels=labels(context),
        pod_labels={"app": NODE, **labels(context)},
        pod_annotations=settings(context).pod_annotations,
        revisionHistoryLimit=10,
        updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}},
    )


def _pod(context: AddonContext) -> dict[str, Any]:
    host_network = bool(settings(context).host_network)
    selinux = _SELINUX if SELINUX_MOUNT in context.features else {}
    return {
        "affinity": node_affinity(
            [
                *([] if host_network else [expression("topology.kubernetes.io/zone")]),
                expression("eks.amazonaws.com/compute-type", "NotIn", "fargate", "auto", "hybrid"),
                expression("node.kubernetes.io/instance-type", "NotIn", *_TOO_OLD),
            ]
        ),
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "serviceAccountName": NODE_ACCOUNT,
        "terminationGracePeriodSeconds": 30,
        "priorityClassName": "system-node-critical",
        "tolerations": [toleration()],
        "hostNetwork": host_network,
        "securityContext": {"fsGroup": 0, "runAsGroup": 0, "runAsNonRoot": False, "runAsUser": 0},
        "containers": [
            _driver(context, selinux),
            _registrar(),
            liveness_probe(volumeMounts=[mount("plugin-dir", _IN_POD)]),
        ],
        "volumes": [
            host_path("kubelet-dir", _KUBELET, "Directory"),
            host_path("plugin-dir", _SOCKETS, "DirectoryOrCreate"),
            host_path("registration-dir", f"{_KUBELET}/plugins_registry/", "Directory"),
            host_path("device-dir", "/dev", "Directory"),
            *(host_path(name, path, kind) for name, (path, kind) in selinux.items()),
            empty_dir("probe-dir"),
        ],
    }


def _driver(context: AddonContext, selinux: dict[str, tuple[str, str]]) -> dict[str, Any]:
    limit = settings(context).volume_attach_limit
    return driver(
        context,
        [
            "node",
            "--endpoint=$(CSI_ENDPOINT)",
            f"--csi-mount-point-prefix={_KUBELET}/plugins/kubernetes.io/csi/{DRIVER}/",
            *([] if limit is None else [f"--volume-attach-limit={limit}"]),
            "--logging-format=text",
            "--v=5",
        ],
        f"unix:{_IN_POD}/csi.sock",
        volumeMounts=[
            mount("kubelet-dir", _KUBELET, mountPropagation="Bidirectional"),
            mount("plugin-dir", _IN_POD),
            mount("device-dir", "/dev"),
            *(mount(name, path) for name, (path, _kind) in selinux.items()),
        ],
        ports=container_ports({"healthz": (9808, "TCP")}),
        livenessProbe=http_probe(
            "/healthz", "healthz", initialDelaySeconds=10, timeoutSeconds=3, periodSeconds=10, failureThreshold=5
        ),
        readinessProbe=http_probe("/healthz", "healthz", timeoutSeconds=3, periodSeconds=5, failureThreshold=3),
        securityContext={"privileged": True, "readOnlyRootFilesystem": True},
        lifecycle={"preStop": {"exec": {"command": ["/bin/aws-ebs-csi-driver", "pre-stop-hook"]}}},
    )


def _registrar() -> dict[str, Any]:
    """Tells the kubelet of the driver."""
    return sidecar(
        "node-driver-registrar",
        _REGISTRAR,
        [
            "--csi-address=$(ADDRESS)",
            "--kubelet-registration-path=$(DRIVER_REG_SOCK_PATH)",
            "--http-endpoint=0.0.0.0:9809",
            "--v=5",
        ],
        env=variables({"ADDRESS": f"{_IN_POD}/csi.sock", "DRIVER_REG_SOCK_PATH": f"{_SOCKETS}csi.sock"}),
        ports=[{"name": "healthz-ndr", "containerPort": 9809}],
        livenessProbe=http_probe(
            "/healthz", "healthz-ndr", initialDelaySeconds=30, periodSeconds=90, timeoutSeconds=15
        ),
        volumeMounts=[
            mount("plugin-dir", _IN_POD),
            mount("registration-dir", "/registration"),
            mount("probe-dir", _SOCKETS),
        ],
    )
