# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of DigitalOcean volumes (digitalocean-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import DIGITALOCEAN
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import kubernetes_object
from ..objects.csi import SOCKETS, sidecar
from ..objects.pods import empty_dir, field_variable, host_path, mount, variables
from ..objects.storage import csi_driver, storage_class
from ..objects.workloads import daemon_set, stateful_set
from ..upstream import files_in_repository
from .cloud_controller import token_variable
from .csi_roles import CONTROLLER_ACCOUNT, NAMESPACE, NODE_ACCOUNT, SNAPSHOT_ACCOUNT, access

_VERSION = "v4.16.0"
_DRIVER = "dobs.csi.digitalocean.com"
_PLUGIN, _IMAGE = "csi-do-plugin", f"digitalocean/do-csi-plugin:{_VERSION}"
_SIDECARS = "registry.k8s.io/sig-storage"
_SOCKETS = "/var/lib/csi/sockets/pluginproxy/"
_KUBELET = "/var/lib/kubelet"
_API = {"DIGITALOCEAN_API_URL": "https://api.digitalocean.com/"}
_CLASS = "do-block-storage"
_LOGGING, _ADDRESS = "--v=5", "--csi-address=$(ADDRESS)"
_DEFAULT_CONTAINER = {"kubectl.kubernetes.io/default-container": _PLUGIN}


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [
        csi_driver(_DRIVER, attachRequired=True, podInfoOnMount=True),
        kubernetes_object(
            "snapshot.storage.k8s.io/v1",
            "VolumeSnapshotClass",
            _CLASS,
            annotations={"snapshot.storage.kubernetes.io/is-default-class": "true"},
            driver=_DRIVER,
            deletionPolicy="Delete",
        ),
        *_storage_classes(),
        *access(),
        _controller(),
        _node(),
        _snapshot_controller(),
    ]


def _storage_classes() -> list[dict[str, Any]]:
    """Whatever spec.cloudConfig.manageStorageClasses says, as in kops."""
    growing: dict[str, Any] = {"allowVolumeExpansion": True}
    kept: dict[str, Any] = {"reclaimPolicy": "Retain", **growing}
    xfs = {"fstype": "xfs"}
    return [
        storage_class(_CLASS, _DRIVER, default=True, **growing),
        storage_class(f"{_CLASS}-retain", _DRIVER, **kept),
        storage_class(f"{_CLASS}-xfs", _DRIVER, parameters=xfs, **growing),
        storage_class(f"{_CLASS}-xfs-retain", _DRIVER, parameters=xfs, **kept),
    ]


def _controller() -> dict[str, Any]:
    app = {"app": "csi-do-controller"}
    driver = sidecar(
        _PLUGIN,
        _IMAGE,
        [
            "--endpoint=$(CSI_ENDPOINT)",
            "--token=$(DIGITALOCEAN_ACCESS_TOKEN)",
            "--url=$(DIGITALOCEAN_API_URL)",
            "--default-volumes-page-size=200",
        ],
        directory=_SOCKETS,
        imagePullPolicy="Always",
        env=[
            *variables({"CSI_ENDPOINT": f"unix://{_SOCKETS}csi.sock", **_API}),
            token_variable("DIGITALOCEAN_ACCESS_TOKEN"),
        ],
    )
    pod = {
        "priorityClassName": "system-cluster-critical",
        "serviceAccount": CONTROLLER_ACCOUNT,
        "containers": [
            _sidecar("provisioner:v6.1.0", _ADDRESS, "--default-fstype=ext4", _LOGGING),
            _sidecar("attacher:v4.10.0", _ADDRESS, _LOGGING, "--reconcile-sync=30m", "--timeout=2m"),
            _sidecar("snapshotter:v8.4.0", _ADDRESS, _LOGGING),
            _sidecar("resizer:v2.0.0", _ADDRESS, "--timeout=30s", _LOGGING, "--handle-volume-inuse-error=false"),
            driver,
        ],
        "volumes": [empty_dir(SOCKETS)],
    }
    return stateful_set(
        "csi-do-controller",
        NAMESPACE,
        pod,
        selector=app,
        pod_labels={**app, "role": "csi-do"},
        pod_annotations=_DEFAULT_CONTAINER,
        serviceName="csi-do",
        replicas=1,
    )


def _sidecar(image: str, *args: str) -> dict[str, Any]:
    return sidecar(
        f"csi-{image.partition(':')[0]}",
        f"{_SIDECARS}/csi-{image}",
        args,
        directory=_SOCKETS,
        imagePullPolicy="IfNotPresent",
        env=variables({"ADDRESS": f"{_SOCKETS}csi.sock"}),
    )


def _node() -> dict[str, Any]:
    app, rules = {"app": "csi-do-node"}, "/etc/udev/rules.d/"
    no_automount = sidecar(
        "automount-udev-deleter",
        "alpine:3",
        ["rm", "-f", f"{rules}99-digitalocean-automount.rules"],
        directory=rules,
        volume="udev-rules-dir",
    )
    pod = {
        "priorityClassName": "system-node-critical",
        "serviceAccount": NODE_ACCOUNT,
        "hostNetwork": True,
        "initContainers": [no_automount],
        "containers": [_registrar(), _node_driver()],
        "volumes": [
            host_path("registration-dir", f"{_KUBELET}/plugins_registry/", "DirectoryOrCreate"),
            host_path("plugin-dir", f"{_KUBELET}/plugins/{_DRIVER}", "DirectoryOrCreate"),
            host_path("pods-mount-dir", _KUBELET, "Directory"),
            host_path("device-dir", "/dev"),
            host_path("udev-rules-dir", rules),
        ],
    }
    labels = {**app, "role": "csi-do"}
    return daemon_set(
        "csi-do-node", NAMESPACE, pod, selector=app, pod_labels=labels, pod_annotations=_DEFAULT_CONTAINER
    )


def _registrar() -> dict[str, Any]:
    socket = f"{_KUBELET}/plugins/{_DRIVER}/csi.sock"
    values = {"ADDRESS": "/csi/csi.sock", "DRIVER_REG_SOCK_PATH": socket}
    return sidecar(
        "csi-node-driver-registrar",
        f"{_SIDECARS}/csi-node-driver-registrar:v2.15.0",
        [_LOGGING, _ADDRESS, "--kubelet-registration-path=$(DRIVER_REG_SOCK_PATH)"],
        directory="/csi/",
        volume="plugin-dir",
        env=[*variables(values), field_variable("KUBE_NODE_NAME", "spec.nodeName")],
        volumeMounts=[mount("registration-dir", "/registration/")],
    )


def _node_driver() -> dict[str, Any]:
    return sidecar(
        _PLUGIN,
        _IMAGE,
        ["--endpoint=$(CSI_ENDPOINT)", "--url=$(DIGITALOCEAN_API_URL)"],
        volume="plugin-dir",
        imagePullPolicy="Always",
        env=variables({"CSI_ENDPOINT": "unix:///csi/csi.sock", **_API}),
        securityContext={
            "allowPrivilegeEscalation": True,
            "capabilities": {"add": ["SYS_ADMIN"]},
            "privileged": True,
        },
        volumeMounts=[
            mount("pods-mount-dir", _KUBELET, mountPropagation="Bidirectional"),
            mount("device-dir", "/dev"),
        ],
    )


def _snapshot_controller() -> dict[str, Any]:
    """That of the driver's release, whether the cluster has the addon of this name or not, as in kops."""
    name = "snapshot-controller"
    container = {
        "name": name,
        "image": f"{_SIDECARS}/{name}:v8.4.0",
        "args": [_LOGGING],
        "imagePullPolicy": "IfNotPresent",
    }
    pod = {"serviceAccountName": SNAPSHOT_ACCOUNT, "containers": [container]}
    return stateful_set(name, NAMESPACE, pod, selector={"app": name}, serviceName=name, replicas=1)


def _definitions(context: AddonContext) -> list[str]:
    directory = f"deploy/kubernetes/releases/csi-digitalocean-{_VERSION}"
    return files_in_repository("digitalocean/csi-digitalocean", _VERSION, directory, ["crds.yaml"])


ADDON = AddonDefinition(
    name="digitalocean-csi-driver.addons.k8s.io",
    condition=on_cloud(DIGITALOCEAN),
    build=_build,
    upstream=_definitions,
    id="k8s-1.22",
)
