# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of Cinder volumes (storage-openstack.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import OPENSTACK
from ...api.cluster import Cluster
from ...api.openstack import OpenstackBlockStorageConfig, OpenstackSpec
from ..conditions import enabled, manages_storage_classes, on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.csi import SOCKETS, sidecar
from ..objects.pods import (
    container_ports,
    empty_dir,
    field_variable,
    host_path,
    http_probe,
    mount,
    secret_volume,
    toleration,
    variables,
)
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.services import port, service
from ..objects.storage import csi_driver, storage_class
from ..objects.workloads import daemon_set, deployment
from .cloud_config import CONFIG_OBJECT
from .images import provider_image

_NAMESPACE = "kube-system"
_NAME = "storage-openstack.addons.k8s.io"
_LABELS = {"k8s-addon": _NAME}
_DRIVER = "cinder.csi.openstack.org"
_CONTROLLER, _CONTROLLER_ACCOUNT = "csi-cinder-controllerplugin", "csi-cinder-controller-sa"
_NODE, _NODE_ACCOUNT = "csi-cinder-nodeplugin", "csi-cinder-node-sa"
_PROGRAM = "cinder-csi-plugin"
_SIDECARS = "registry.k8s.io/sig-storage"
_SOCKETS = "/var/lib/csi/sockets/pluginproxy/"
_KUBELET, _PLUGIN = "/var/lib/kubelet", f"/var/lib/kubelet/plugins/{_DRIVER}"
_IF_ABSENT = {"imagePullPolicy": "IfNotPresent"}

_READ = "get list watch"
_STORAGE, _SNAPSHOTS = "storage.k8s.io", "snapshot.storage.k8s.io"
_EVENTS = rule("", "events", "list watch create update patch")
_LEASES = rule("coordination.k8s.io", "leases", "get watch list delete update create")
_CSI_NODES = rule(_STORAGE, "csinodes", _READ)
_ROLES = {
    "attacher": (
        rule("", "persistentvolumes", "get list watch patch"),
        _CSI_NODES,
        rule(_STORAGE, "volumeattachments", "get list watch patch"),
        rule(_STORAGE, "volumeattachments/status", "patch"),
        _LEASES,
    ),
    "provisioner": (
        rule("", "persistentvolumes", "get list watch create delete patch"),
        rule("", "persistentvolumeclaims", "get list watch update"),
        rule(_STORAGE, "storageclasses", _READ),
        rule("", "nodes", _READ),
        _CSI_NODES,
        _EVENTS,
        rule(_SNAPSHOTS, "volumesnapshots", "get list"),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "get list"),
        rule(_STORAGE, "volumeattachments", _READ),
        _LEASES,
    ),
    "snapshotter": (
        _EVENTS,
        rule(_SNAPSHOTS, "volumesnapshotclasses", _READ),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "create get list watch update delete patch"),
        rule(_SNAPSHOTS, "volumesnapshotcontents/status", "update patch"),
        _LEASES,
    ),
    "resizer": (
        rule("", "persistentvolumes", "get list watch patch"),
        rule("", "persistentvolumeclaims", _READ),
        rule("", "pods", _READ),
        rule("", "persistentvolumeclaims/status", "patch"),
        _EVENTS,
        _LEASES,
    ),
}


def _build(context: AddonContext) -> list[dict[str, Any]]:
    cluster = context.cluster
    storage = _storage(cluster)
    app = {"app": _CONTROLLER}
    own_class = manages_storage_classes(context) and storage.create_storage_class is not False
    return [
        service_account(_CONTROLLER_ACCOUNT, _NAMESPACE),
        service_account(_NODE_ACCOUNT, _NAMESPACE),
        *_access(),
        service("csi-cinder-controller-service", _NAMESPACE, [port(12345, name="placeholder")], app, app),
        _controller(context, storage),
        _node(cluster, storage),
        csi_driver(_DRIVER, attachRequired=True, podInfoOnMount=True, volumeLifecycleModes=["Persistent", "Ephemeral"]),
        *([_default_class()] if own_class else []),
    ]


def _storage(cluster: Cluster) -> OpenstackBlockStorageConfig:
    openstack = cluster.spec.cloud_provider.openstack or OpenstackSpec()
    return openstack.block_storage or OpenstackBlockStorageConfig()


def _access() -> list[dict[str, Any]]:
    controller, node = (account_subject(name, _NAMESPACE) for name in (_CONTROLLER_ACCOUNT, _NODE_ACCOUNT))
    role = "csi-nodeplugin-role"
    made = [
        cluster_role(role, None, [rule("", "events", "get list watch create update patch")]),
        cluster_role_binding("csi-nodeplugin-binding", role, node),
    ]
    for name, rules in _ROLES.items():
        role = f"csi-{name}-role"
        made += [cluster_role(role, None, rules), cluster_role_binding(f"csi-{name}-binding", role, controller)]
    return made


def _default_class() -> dict[str, Any]:
    return storage_class(
        "default", _DRIVER, default=True, allowVolumeExpansion=True, volumeBindingMode="WaitForFirstConsumer"
    )


def _controller(context: AddonContext, storage: OpenstackBlockStorageConfig) -> dict[str, Any]:
    app = {"app": _CONTROLLER}
    pod = {
        "priorityClassName": "system-cluster-critical",
        "serviceAccount": _CONTROLLER_ACCOUNT,
        "containers": [*_controller_sidecars(context, storage), _controller_driver(context.cluster, storage)],
        "volumes": [empty_dir(SOCKETS), secret_volume("cloudconfig", CONFIG_OBJECT)],
    }
    return deployment(
        _CONTROLLER,
        _NAMESPACE,
        pod,
        selector=app,
        pod_labels={**app, **_LABELS},
        replicas=1,
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}},
    )


def _controller_sidecars(context: AddonContext, storage: OpenstackBlockStorageConfig) -> list[dict[str, Any]]:
    wait, leader, metadata = "--timeout=3m", "--leader-election=true", "--extra-create-metadata"
    topology = ["--feature-gates=Topology=true"] if storage.csi_topology_support else []
    snapshotter = _sidecar("csi-snapshotter:v8.4.0", wait, metadata, leader, imagePullPolicy="Always")
    return [
        _sidecar("csi-attacher:v4.10.0", wait, leader, **_IF_ABSENT),
        _sidecar("csi-provisioner:v5.3.0", wait, "--default-fstype=ext4", *topology, metadata, leader, **_IF_ABSENT),
        *([snapshotter] if enabled("snapshot_controller")(context) else []),
        _sidecar("csi-resizer:v1.14.0", wait, "--handle-volume-inuse-error=false", leader, **_IF_ABSENT),
        _sidecar("livenessprobe:v2.17.0", name="liveness-probe"),
    ]


def _sidecar(image: str, *options: str, name: str = "", **more: Any) -> dict[str, Any]:
    return sidecar(
        name or image.partition(":")[0],
        f"{_SIDECARS}/{image}",
        ["--csi-address=$(ADDRESS)", *options],
        directory=_SOCKETS,
        env=variables({"ADDRESS": f"{_SOCKETS}csi.sock"}),
        **more,
    )


def _controller_driver(cluster: Cluster, storage: OpenstackBlockStorageConfig) -> dict[str, Any]:
    driver = _driver(cluster, storage, storage.cluster_name or "kubernetes", timeoutSeconds=10, periodSeconds=60)
    config = mount("cloudconfig", "/etc/kubernetes", readOnly=True)
    return {**driver, "volumeMounts": [mount(SOCKETS, "/csi"), config]}


def _driver(cluster: Cluster, storage: OpenstackBlockStorageConfig, name: str | None, **probe: Any) -> dict[str, Any]:
    """The driver, of a controller or on a node. name: by which volumes tell their cluster; None: none."""
    ports = {"healthz": (9808, "TCP"), **({"metrics": (9809, "TCP")} if storage.metrics_enabled else {})}
    values = {"CSI_ENDPOINT": "unix://csi/csi.sock", "CLOUD_CONFIG": "/etc/kubernetes/cloud.config"}
    return {
        "name": _PROGRAM,
        "image": storage.csi_plugin_image or provider_image(_PROGRAM, cluster),
        "args": [
            f"/bin/{_PROGRAM}",
            "--endpoint=$(CSI_ENDPOINT)",
            "--cloud-config=$(CLOUD_CONFIG)",
            *(["--cluster=$(CLUSTER_NAME)"] if name else []),
            *(["--http-endpoint=:9809"] if storage.metrics_enabled else []),
        ],
        "env": variables({**values, **({"CLUSTER_NAME": name} if name else {})}),
        **_IF_ABSENT,
        "ports": container_ports(ports),
        "livenessProbe": http_probe("/healthz", "healthz", failureThreshold=5, initialDelaySeconds=10, **probe),
    }


def _node(cluster: Cluster, storage: OpenstackBlockStorageConfig) -> dict[str, Any]:
    app = {"app": _NODE}
    pod = {
        "serviceAccount": _NODE_ACCOUNT,
        "priorityClassName": "system-node-critical",
        "tolerations": [toleration()],
        "hostNetwork": True,
        "containers": [
            _registrar(),
            sidecar("liveness-probe", f"{_SIDECARS}/livenessprobe:v2.17.0", ["--csi-address=/csi/csi.sock"]),
            _node_driver(cluster, storage),
        ],
        "volumes": [
            host_path(SOCKETS, _PLUGIN, "DirectoryOrCreate"),
            host_path("registration-dir", f"{_KUBELET}/plugins_registry/", "Directory"),
            host_path("kubelet-dir", _KUBELET, "Directory"),
            host_path("pods-probe-dir", "/dev", "Directory"),
            secret_volume("cloudconfig", CONFIG_OBJECT),
        ],
    }
    return daemon_set(_NODE, _NAMESPACE, pod, selector=app, pod_labels={**app, **_LABELS})


def _registrar() -> dict[str, Any]:
    values = {"ADDRESS": "/csi/csi.sock", "DRIVER_REG_SOCK_PATH": f"{_PLUGIN}/csi.sock"}
    return sidecar(
        "node-driver-registrar",
        f"{_SIDECARS}/csi-node-driver-registrar:v2.15.0",
        ["--csi-address=$(ADDRESS)", "--kubelet-registration-path=$(DRIVER_REG_SOCK_PATH)"],
        env=[*variables(values), field_variable("KUBE_NODE_NAME", "spec.nodeName")],
        volumeMounts=[mount("registration-dir", "/registration")],
        **_IF_ABSENT,
    )


def _node_driver(cluster: Cluster, storage: OpenstackBlockStorageConfig) -> dict[str, Any]:
    security = {
        "privileged": True,
        "runAsNonRoot": False,
        "runAsUser": 0,
        "capabilities": {"add": ["SYS_ADMIN"]},
        "allowPrivilegeEscalation": True,
    }
    mounts = [
        mount(SOCKETS, "/csi"),
        mount("kubelet-dir", _KUBELET, mountPropagation="Bidirectional"),
        mount("pods-probe-dir", "/dev", mountPropagation="HostToContainer"),
        mount("cloudconfig", "/etc/kubernetes", readOnly=True),
    ]
    driver = _driver(cluster, storage, storage.cluster_name, timeoutSeconds=3, periodSeconds=10)
    return {**driver, "securityContext": security, "volumeMounts": mounts}


ADDON = AddonDefinition(name=_NAME, condition=on_cloud(OPENSTACK), build=_build, id="k8s-1.16", pruned=True)
