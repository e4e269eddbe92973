# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of the driver of persistent disks: a controller, and one on each node."""

from __future__ import annotations

from typing import Any

from ....api.components import PDCSIDriver
from ...context import AddonContext
from ...objects.csi import SOCKETS, sidecar
from ...objects.pods import (
    container_ports,
    empty_dir,
    field_variable,
    host_path,
    http_probe,
    mount,
    node_affinity,
    on_control_plane,
    on_linux,
    toleration,
)
from ...objects.workloads import daemon_set, deployment
from .roles import CONTROLLER_ACCOUNT, NAMESPACE, NODE_ACCOUNT
from .storage import DRIVER

CONTROLLER, NODE = "csi-gce-pd-controller", "csi-gce-pd-node"
_APP = {"app": "gcp-compute-persistent-disk-csi-driver"}
_SIDECARS = "registry.k8s.io/sig-storage"
_IMAGE = "registry.k8s.io/cloud-provider-gcp/gcp-compute-persistent-disk-csi-driver"
_KUBELET, _PLUGIN = "/var/lib/kubelet", f"/var/lib/kubelet/plugins/{DRIVER}"
_LOGGING, _SOCKET = "--v=5", "--csi-address=/csi/csi.sock"
_NAMESPACE_OPTION = "--leader-election-namespace=$(PDCSI_NAMESPACE)"
_ELECTION = ("--leader-election", _NAMESPACE_OPTION)
_UDEV = {"udev-rules-etc": "/etc/udev", "udev-rules-lib": "/lib/udev", "udev-socket": "/run/udev", "sys": "/sys"}


def controller(context: AddonContext, driver: PDCSIDriver) -> dict[str, Any]:
    """The Deployment on the control plane."""
    pod = {
        "affinity": on_control_plane(on_linux(), old_label=True),
        "containers": [*_controller_sidecars(), _controller_driver(context, driver)],
        "hostNetwork": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": CONTROLLER,
        "serviceAccountName": CONTROLLER_ACCOUNT,
        "tolerations": [toleration(effect="NoSchedule"), toleration("CriticalAddonsOnly")],
        "volumes": [empty_dir(SOCKETS)],
    }
    return deployment(CONTROLLER, NAMESPACE, pod, selector=_APP, replicas=1)


def _controller_sidecars() -> list[dict[str, Any]]:
    provisioner = (
        "--feature-gates=Topology=true",
        "--http-endpoint=:22011",
        _NAMESPACE_OPTION,
        "--timeout=250s",
        "--extra-create-metadata",
        "--leader-election",
        "--default-fstype=ext4",
        "--controller-publish-readonly=true",
    )
    attacher = ("--http-endpoint=:22012", *_ELECTION, "--timeout=250s")
    resizer = ("--http-endpoint=:22013", *_ELECTION, "--handle-volume-inuse-error=false")
    snapshotter = ("--metrics-address=:22014", *_ELECTION, "--timeout=300s", "--retry-interval-max=60s")
    return [
        _sidecar("provisioner", "v6.0.0", provisioner, 22011),
        _sidecar("attacher", "v4.8.1", attacher, 22012),
        _sidecar("resizer", "v2.0.0", resizer, 22013),
        _sidecar("snapshotter", "v8.2.1", snapshotter),
    ]


def _sidecar(name: str, version: str, options: tuple[str, ...], health_port: int = 0) -> dict[str, Any]:
    more: dict[str, Any] = {"env": [field_variable("PDCSI_NAMESPACE", "metadata.namespace")]}
    if health_port:
        more["ports"] = container_ports({"http-endpoint": (health_port, "TCP")})
        more["livenessProbe"] = http_probe(
            "/healthz/leader-election",
            "http-endpoint",
            failureThreshold=1,
            initialDelaySeconds=10,
            periodSeconds=20,
            timeoutSeconds=10,
        )
    return sidecar(f"csi-{name}", f"{_SIDECARS}/csi-{name}:{version}", (_LOGGING, _SOCKET, *options), **more)


def _controller_driver(context: AddonContext, driver: PDCSIDriver) -> dict[str, Any]:
    cluster = str(context.cluster.metadata.name).replace(".", "-")
    args = [
        _LOGGING,
        "--endpoint=unix:/csi/csi.sock",
        f"--extra-labels=k8s-io-cluster-name={cluster}",
        "--supports-dynamic-iops-provisioning=hyperdisk-balanced,hyperdisk-extreme",
        "--supports-dynamic-throughput-provisioning=hyperdisk-balanced,hyperdisk-throughput,hyperdisk-ml",
        "--enable-data-cache",
        "--run-node-service=false",
    ]
    return sidecar("gce-pd-driver", f"{_IMAGE}:{driver.version}", args, env=[])


def node(context: AddonContext, driver: PDCSIDriver) -> dict[str, Any]:
    """The DaemonSet of all nodes."""
    selinux = "SELinuxMount" in context.features
    pod = {
        "affinity": node_affinity([on_linux()]),
        "containers": [_registrar(), _node_driver(driver, selinux)],
        "hostNetwork": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": NODE,
        "serviceAccountName": NODE_ACCOUNT,
        "tolerations": [toleration()],
        "volumes": [
            host_path("registration-dir", f"{_KUBELET}/plugins_registry/", "Directory"),
            host_path("kubelet-dir", _KUBELET, "Directory"),
            host_path("plugin-dir", f"{_PLUGIN}/", "DirectoryOrCreate"),
            host_path("device-dir", "/dev", "Directory"),
            *(host_path(name, path, "Directory") for name, path in _UDEV.items()),
            *([host_path("etc-selinux", "/etc/selinux", "DirectoryOrCreate")] if selinux else []),
        ],
    }
    return daemon_set(NODE, NAMESPACE, pod, selector=_APP)


def _registrar() -> dict[str, Any]:
    args = [_LOGGING, _SOCKET, f"--kubelet-registration-path={_PLUGIN}/csi.sock"]
    return sidecar(
        "csi-driver-registrar",
        f"{_SIDECARS}/csi-node-driver-registrar:v2.13.0",
        args,
        volume="plugin-dir",
        env=[field_variable("KUBE_NODE_NAME", "spec.nodeName")],
        volumeMounts=[mount("registration-dir", "/registration")],
    )


def _node_driver(driver: PDCSIDriver, selinux: bool) -> dict[str, Any]:
    return {
        "name": "gce-pd-driver",
        "image": f"{_IMAGE}:{driver.version}",
        "args": [
            _LOGGING,
            "--endpoint=unix:/csi/csi.sock",
            "--run-controller-service=false",
            "--enable-data-cache",
        ],
        "securityContext": {"privileged": True},
        "volumeMounts": [
            mount("kubelet-dir", _KUBELET, mountPropagation="Bidirectional"),
            mount("plugin-dir", "/csi"),
            mount("device-dir", "/dev"),
            *(mount(name, path) for name, path in _UDEV.items()),
            *([mount("etc-selinux", "/etc/selinux")] if selinux else []),
        ],
    }
