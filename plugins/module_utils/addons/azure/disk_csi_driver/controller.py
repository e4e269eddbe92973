# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of the driver of Azure disks."""

from __future__ import annotations

from typing import Any

from ...objects.csi import SOCKETS
from ...objects.pods import (
    container_ports,
    empty_dir,
    host_path,
    http_probe,
    mount,
    on_control_plane,
    toleration,
    variables,
)
from ...objects.workloads import deployment
from .containers import ADDRESS, CLOUD_OPTIONS, CREDENTIALS, NAME_OPTION, SOCKET, driver, helper, no_capabilities
from .names import CONTROLLER_ACCOUNT, LABELS, NAMESPACE, SNAPSHOTTER_VERSION

_NAME = "csi-azuredisk-controller"
_HEALTH, _METRICS = 29602, 29604
_ELECTION = f"--leader-election-namespace={NAMESPACE}"
_FEATURES = "VolumeAttributesClass=true"
# Options as upstream's chart writes them, some with one dash.
_PROVISIONER = (
    f"--feature-gates=Topology=true,{_FEATURES}",
    ADDRESS,
    "--v=2",
    "--timeout=30s",
    "--leader-election",
    _ELECTION,
    "--worker-threads=100",
    "--extra-create-metadata=true",
    "--strict-topology=true",
    "--kube-api-qps=50",
    "--kube-api-burst=100",
    "--retry-interval-max=30m",
)
_ATTACHER = (
    "-v=2",
    ADDRESS[1:],
    "-timeout=600s",
    "-leader-election",
    _ELECTION,
    "-worker-threads=1000",
    "-kube-api-qps=200",
    "-kube-api-burst=400",
)
_SNAPSHOTTER = (
    ADDRESS[1:],
    "-leader-election",
    _ELECTION,
    "-v=2",
    "--timeout=1200s",
    "--extra-create-metadata=true",
    "--retry-interval-max=30m",
    "--worker-threads=250",
)
_RESIZER = (
    ADDRESS[1:],
    "-v=2",
    "-leader-election",
    _ELECTION,
    "-handle-volume-inuse-error=false",
    f"--feature-gates=RecoverVolumeExpansionFailure=true,{_FEATURES}",
    "-timeout=240s",
    "--retry-interval-max=30m",
)
_OPTIONS = (
    f"--metrics-address=0.0.0.0:{_METRICS}",
    "--disable-avset-nodes=true",
    "--vm-type=",
    NAME_OPTION,
    *CLOUD_OPTIONS,
    "--vmss-cache-ttl-seconds=60",
    "--kube-api-qps=0",
    "--kube-api-burst=0",
    "--enable-traffic-manager=false",
    "--traffic-manager-port=7788",
    "--enable-otel-tracing=false",
    "--check-disk-lun-collision=true",
    "--vmss-detach-timeout-seconds=20",
)


def controller() -> dict[str, Any]:
    """The Deployment on the control plane."""
    # The second name is a mistake of upstream's.
    roles = ("master", "controlplane", "control-plane")
    tolerated = (*(f"node-role.kubernetes.io/{role}" for role in roles), "CriticalAddonsOnly")
    pod = {
        "affinity": on_control_plane(),
        "containers": _containers(),
        "hostNetwork": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-cluster-critical",
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": CONTROLLER_ACCOUNT,
        "tolerations": [toleration(key, "NoSchedule") for key in tolerated],
        "volumes": [empty_dir(SOCKETS), host_path(CREDENTIALS, "/etc/kubernetes/", "DirectoryOrCreate")],
    }
    app = {"app": _NAME}
    return deployment(_NAME, NAMESPACE, pod, selector=app, labels=LABELS, pod_labels={**app, **LABELS}, replicas=1)


def _containers() -> list[dict[str, Any]]:
    socket: dict[str, Any] = {"env": variables(SOCKET)}
    probe = ("--csi-address=/csi/csi.sock", "--probe-timeout=3s", f"--http-endpoint=localhost:{_HEALTH}", "--v=2")
    return [
        helper("csi-provisioner", "csi-provisioner:v6.2.0", _PROVISIONER, "500Mi", **socket),
        helper("csi-attacher", "csi-attacher:v4.11.0", _ATTACHER, "500Mi", **socket),
        helper("csi-snapshotter", f"csi-snapshotter:{SNAPSHOTTER_VERSION}", _SNAPSHOTTER, "400Mi", **socket),
        helper("csi-resizer", "csi-resizer:v2.1.0", _RESIZER, "500Mi", **socket),
        helper("liveness-probe", "livenessprobe:v2.18.0", probe, "100Mi"),
        driver(
            _OPTIONS,
            "500Mi",
            securityContext=no_capabilities(),
            ports=container_ports({"metrics": (_METRICS, "TCP")}),
            livenessProbe=http_probe(
                "/healthz",
                _HEALTH,
                host="localhost",
                failureThreshold=5,
                initialDelaySeconds=30,
                periodSeconds=30,
                timeoutSeconds=10,
            ),
            volumeMounts=[mount(CREDENTIALS, "/etc/kubernetes/")],
        ),
    ]
