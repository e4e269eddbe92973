# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of Scaleway volumes (scaleway-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import SCALEWAY
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import kubernetes_object
from ..objects.csi import SOCKETS, sidecar
from ..objects.pods import (
    container_ports,
    empty_dir,
    field_variable,
    host_path,
    http_probe,
    mount,
    toleration,
    variables,
)
from ..objects.storage import csi_driver, storage_class
from ..objects.workloads import daemon_set, deployment
from ..upstream import files_in_repository
from .credentials import NAMESPACE, credentials_from_secret, credentials_secret
from .csi_roles import CONTROLLER, NODE, access

_DRIVER = "csi.scaleway.com"
_PLUGIN, _IMAGE = "scaleway-csi-plugin", "scaleway/scaleway-csi:v0.2.0"
_SIDECARS = "registry.k8s.io/sig-storage"
_SOCKETS, _KUBELET = "/var/lib/csi/sockets/pluginproxy/", "/var/lib/kubelet"
_ADDRESS, _LEADER, _LOGGING = "--csi-address=$(CSI_ADDRESS)", "--leader-election", "--v=5"
_SNAPSHOTS = "snapshot.storage.k8s.io"
# The release whose definitions of kinds kops has in its manifest: older than the controller beside them.
_SNAPSHOTTER, _SNAPSHOTTER_VERSION = "kubernetes-csi/external-snapshotter", "v4.0.1"


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [
        credentials_secret(context),
        csi_driver(_DRIVER, attachRequired=True, podInfoOnMount=True),
        _storage_class(),
        *access(),
        _node(),
        kubernetes_object(
            f"{_SNAPSHOTS}/v1", "VolumeSnapshotClass", "scw-snapshot", driver=_DRIVER, deletionPolicy="Delete"
        ),
        _controller(),
    ]


def _storage_class() -> dict[str, Any]:
    made = storage_class("scw-bssd", _DRIVER, reclaimPolicy="Delete", allowVolumeExpansion=True)
    # It belongs to no namespace; the API server passes over what upstream says.
    made["metadata"]["namespace"] = NAMESPACE
    return made


def _driver(directory: str, volume: str, *args: str, **more: Any) -> dict[str, Any]:
    return sidecar(
        _PLUGIN,
        _IMAGE,
        ["--endpoint=$(CSI_ENDPOINT)", *args],
        directory=directory,
        volume=volume,
        env=variables({"CSI_ENDPOINT": f"unix://{directory.rstrip('/')}/csi.sock"}),
        ports=container_ports({"healthz": (9808, "TCP")}),
        livenessProbe=http_probe(
            "/healthz", "healthz", initialDelaySeconds=10, timeoutSeconds=3, periodSeconds=2, failureThreshold=5
        ),
        **more,
    )


def _node() -> dict[str, Any]:
    plugin, app = f"{_KUBELET}/plugins/{_DRIVER}", {"app": NODE}
    mounts = [mount("kubelet-dir", _KUBELET, mountPropagation="Bidirectional"), mount("device-dir", "/dev")]
    driver = _driver(
        "/csi", "plugin-dir", "--v=4", "--mode=node", securityContext={"privileged": True}, volumeMounts=mounts
    )
    address = {"CSI_ADDRESS": "/csi/csi.sock"}
    values = {**address, "KUBELET_REGISTRATION_PATH": f"{plugin}/csi.sock"}
    registrar = sidecar(
        "csi-node-driver-registrar",
        f"{_SIDECARS}/csi-node-driver-registrar:v2.0.1",
        ["--v=2", _ADDRESS, "--kubelet-registration-path=$(KUBELET_REGISTRATION_PATH)"],
        directory="/csi/",
        volume="plugin-dir",
        env=[*variables(values), field_variable("KUBE_NODE_NAME", "spec.nodeName")],
        volumeMounts=[mount("registration-dir", "/registration/")],
    )
    probe_image, probe_environment = f"{_SIDECARS}/livenessprobe:v2.2.0", variables(address)
    probe = sidecar("liveness-probe", probe_image, [_ADDRESS], volume="plugin-dir", env=probe_environment)
    pod = {
        "serviceAccount": NODE,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-node-critical",
        "hostNetwork": True,
        "containers": [driver, registrar, probe],
        "volumes": [
            host_path("registration-dir", f"{_KUBELET}/plugins_registry/", "DirectoryOrCreate"),
            host_path("plugin-dir", plugin, "DirectoryOrCreate"),
            host_path("kubelet-dir", _KUBELET, "Directory"),
            host_path("device-dir", "/dev"),
        ],
    }
    return daemon_set(NODE, NAMESPACE, pod, selector=app, pod_labels={**app, "role": "csi"})


def _controller() -> dict[str, Any]:
    pod = {
        "priorityClassName": "system-cluster-critical",
        "serviceAccount": CONTROLLER,
        "tolerations": _controller_tolerations(),
        "containers": _controller_containers(),
        "volumes": [empty_dir(SOCKETS)],
    }
    return deployment(CONTROLLER, NAMESPACE, pod, selector={"app": CONTROLLER}, replicas=1)


def _controller_tolerations() -> list[dict[str, Any]]:
    control_plane = ("node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane")
    unready = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
    return [
        {"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"},
        toleration("CriticalAddonsOnly"),
        *({"key": key, "effect": "NoSchedule"} for key in control_plane),
        *(toleration(key, "NoExecute", tolerationSeconds=300) for key in unready),
    ]


def _controller_containers() -> list[dict[str, Any]]:
    snapshot_controller = {
        "name": "snapshot-controller",
        "image": f"{_SIDECARS}/snapshot-controller:v4.1.1",
        "args": [_LOGGING, _LEADER],
    }
    probe_environment = variables({"CSI_ADDRESS": "/csi/csi.sock"})
    return [
        _driver(_SOCKETS, SOCKETS, "--mode=controller", envFrom=credentials_from_secret()),
        _sidecar("provisioner:v3.0.0", "--feature-gates=Topology=true", "--default-fstype=ext4"),
        _sidecar("attacher:v3.4.0"),
        _sidecar("snapshotter:v4.2.1"),
        snapshot_controller,
        # The name of its socket is kops', though nothing listens there.
        _sidecar("resizer:v1.3.0", socket="mock.socket"),
        sidecar("liveness-probe", f"{_SIDECARS}/livenessprobe:v2.6.0", [_ADDRESS], env=probe_environment),
    ]


def _sidecar(image: str, *options: str, socket: str = "csi.sock") -> dict[str, Any]:
    return sidecar(
        f"csi-{image.partition(':')[0]}",
        f"{_SIDECARS}/csi-{image}",
        [_LOGGING, _ADDRESS, _LEADER, *options],
        directory=_SOCKETS,
        env=variables({"CSI_ADDRESS": f"{_SOCKETS}{socket}"}),
    )


def _definitions(context: AddonContext) -> list[str]:
    kinds = ("volumesnapshotclasses", "volumesnapshotcontents", "volumesnapshots")
    names = [f"{_SNAPSHOTS}_{kind}.yaml" for kind in kinds]
    return files_in_repository(_SNAPSHOTTER, _SNAPSHOTTER_VERSION, "client/config/crd", names)


ADDON = AddonDefinition(
    name="scaleway-csi-driver.addons.k8s.io",
    condition=on_cloud(SCALEWAY),
    build=_build,
    upstream=_definitions,
    id="k8s-1.24",
)
