# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of Hetzner volumes (hcloud-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import HETZNER
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.csi import SOCKETS, sidecar
from ..objects.pods import (
    empty_dir,
    expression,
    field_variable,
    host_path,
    http_probe,
    mount,
    node_affinity,
    preferred_nodes,
    requests,
    toleration,
    variables,
)
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.services import port, service
from ..objects.storage import csi_driver, storage_class
from ..objects.workloads import daemon_set, deployment
from .config import token_variable

_NAMESPACE = "kube-system"
_NAME, _VERSION = "hcloud-csi", "2.20.2"
_CONTROLLER, _NODE = "hcloud-csi-controller", "hcloud-csi-node"
_DRIVER = "csi.hetzner.cloud"
_IMAGE = f"docker.io/hetznercloud/hcloud-csi-driver:v{_VERSION}"
_SIDECARS = "registry.k8s.io/sig-storage"
_DIRECTORY, _KUBELET = "/run/csi", "/var/lib/kubelet"
_METRICS = 9189
_PLUGIN_VOLUME = "plugin-dir"

_READ = "get list watch"
_STORAGE, _SNAPSHOTS = "storage.k8s.io", "snapshot.storage.k8s.io"
# The rules of each sidecar, one after the other.
_RULES = (
    rule("", "persistentvolumes", "get list watch update patch"),
    rule("", "nodes", _READ),
    rule("csi.storage.k8s.io", "csinodeinfos", _READ),
    rule(_STORAGE, "csinodes", _READ),
    rule(_STORAGE, "volumeattachments", "get list watch update patch"),
    rule(_STORAGE, "volumeattachments/status", "patch"),
    rule("", "secrets", "get list"),
    rule("", "persistentvolumes", "get list watch create delete patch"),
    rule("", "persistentvolumeclaims persistentvolumeclaims/status", "get list watch update patch"),
    rule(_STORAGE, "storageclasses", _READ),
    rule("", "events", "list watch create update patch"),
    rule(_SNAPSHOTS, "volumesnapshots", "get list"),
    rule(_SNAPSHOTS, "volumesnapshotcontents", "get list"),
    rule("", "pods", _READ),
    rule(_STORAGE, "volumeattributesclasses", _READ),
    rule("", "events", "get list watch create update patch"),
)


def _selector(component: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/component": component,
        "app.kubernetes.io/instance": _NAME,
        "app.kubernetes.io/name": _NAME,
    }


def _labels(component: str) -> dict[str, str]:
    """Those of upstream's chart. kops says that it manages the objects, but not their pods."""
    chart = f"{_NAME}-{_VERSION}"
    return {**_selector(component), "app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": chart}


def _build(context: AddonContext) -> list[dict[str, Any]]:
    labels = _labels("controller")
    account = {**service_account(_CONTROLLER, _NAMESPACE, labels), "automountServiceAccountToken": True}
    return [
        storage_class(
            "hcloud-volumes",
            _DRIVER,
            default=True,
            allowVolumeExpansion=True,
            reclaimPolicy="Delete",
            volumeBindingMode="WaitForFirstConsumer",
        ),
        account,
        cluster_role(_CONTROLLER, labels, _RULES),
        cluster_role_binding(_CONTROLLER, _CONTROLLER, account_subject(_CONTROLLER, _NAMESPACE), labels),
        *(_metrics(component) for component in ("controller", "node")),
        _controller(),
        _node(),
        csi_driver(
            _DRIVER,
            attachRequired=True,
            fsGroupPolicy="File",
            podInfoOnMount=True,
            seLinuxMount=True,
            volumeLifecycleModes=["Persistent"],
        ),
    ]


def _metrics(component: str) -> dict[str, Any]:
    name, ports = f"{_NAME}-{component}-metrics", [port(_METRICS, name="metrics")]
    return service(name, _NAMESPACE, ports, _selector(component), _labels(component))


def _container(name: str, image: str, *args: str, volume: str = SOCKETS, **more: Any) -> dict[str, Any]:
    resources = {**requests(), "limits": {}}
    return sidecar(
        name,
        image,
        args,
        directory=_DIRECTORY,
        volume=volume,
        imagePullPolicy="IfNotPresent",
        resources=resources,
        **more,
    )


def _driver(argument: str, *more_variables: dict[str, Any], volume: str, **more: Any) -> dict[str, Any]:
    values = {
        "CSI_ENDPOINT": f"unix://{_DIRECTORY}/socket",
        "METRICS_ENDPOINT": f"0.0.0.0:{_METRICS}",
        "ENABLE_METRICS": "true",
    }
    probe = http_probe(
        "/healthz",
        "healthz",
        failureThreshold=5,
        initialDelaySeconds=10,
        periodSeconds=2,
        successThreshold=1,
        timeoutSeconds=3,
    )
    return _container(
        "hcloud-csi-driver",
        _IMAGE,
        argument,
        volume=volume,
        env=[*variables(values), *more_variables],
        livenessProbe=probe,
        ports=[
            {"name": "metrics", "containerPort": _METRICS},
            {"name": "healthz", "containerPort": 9808, "protocol": "TCP"},
        ],
        **more,
    )


def _controller() -> dict[str, Any]:
    cloud_server = expression("instance.hetzner.cloud/provided-by", "In", "cloud")
    node_name = field_variable("KUBE_NODE_NAME", "spec.nodeName", apiVersion="v1")
    provision = ("--feature-gates=Topology=true", "--default-fstype=ext4", "--extra-create-metadata")
    pod = {
        "affinity": {"nodeAffinity": preferred_nodes(cloud_server)},
        "containers": [
            _driver("-controller", node_name, token_variable(), volume=SOCKETS),
            _container("csi-attacher", f"{_SIDECARS}/csi-attacher:v4.11.0", "--default-fstype=ext4"),
            _container("csi-resizer", f"{_SIDECARS}/csi-resizer:v2.1.0"),
            _container("csi-provisioner", f"{_SIDECARS}/csi-provisioner:v6.2.0", *provision),
            _container("liveness-probe", f"{_SIDECARS}/livenessprobe:v2.18.0"),
        ],
        "initContainers": None,
        "securityContext": {"fsGroup": 1001},
        "serviceAccountName": _CONTROLLER,
        "volumes": [empty_dir(SOCKETS)],
    }
    labels = _labels("controller")
    return deployment(
        _CONTROLLER,
        _NAMESPACE,
        pod,
        selector=_selector("controller"),
        labels={"app": _CONTROLLER, **labels},
        pod_labels=labels,
        replicas=1,
        strategy={"type": "RollingUpdate"},
    )


def _node() -> dict[str, Any]:
    # Volumes are for cloud servers, not for servers that Hetzner rents out as hardware.
    no_hardware = [
        {"key": "instance.hetzner.cloud/is-root-server", "operator": "NotIn", "values": ["true"]},
        {"key": "instance.hetzner.cloud/provided-by", "operator": "NotIn", "values": ["robot"]},
    ]
    pod = {
        "affinity": node_affinity(no_hardware),
        "containers": _node_containers(),
        "initContainers": None,
        "securityContext": {"fsGroup": 1001},
        "tolerations": [
            toleration(effect="NoExecute"),
            toleration(effect="NoSchedule"),
            toleration("CriticalAddonsOnly"),
        ],
        "volumes": [
            host_path("kubelet-dir", _KUBELET, "Directory"),
            host_path(_PLUGIN_VOLUME, f"{_KUBELET}/plugins/{_DRIVER}/", "DirectoryOrCreate"),
            host_path("registration-dir", f"{_KUBELET}/plugins_registry/", "Directory"),
            host_path("device-dir", "/dev", "Directory"),
        ],
    }
    labels = _labels("node")
    return daemon_set(
        _NODE,
        _NAMESPACE,
        pod,
        selector=_selector("node"),
        labels={"app": _NAME, **labels},
        pod_labels=labels,
        updateStrategy={"type": "RollingUpdate"},
    )


def _node_containers() -> list[dict[str, Any]]:
    driver = _driver("-node", volume=_PLUGIN_VOLUME, securityContext={"privileged": True})
    driver["volumeMounts"] = [
        mount("kubelet-dir", _KUBELET, mountPropagation="Bidirectional"),
        *driver["volumeMounts"],
        mount("device-dir", "/dev"),
    ]
    registrar = _container(
        "csi-node-driver-registrar",
        f"{_SIDECARS}/csi-node-driver-registrar:v2.16.0",
        f"--kubelet-registration-path={_KUBELET}/plugins/{_DRIVER}/socket",
        volume=_PLUGIN_VOLUME,
        volumeMounts=[mount("registration-dir", "/registration")],
    )
    probe = _container("liveness-probe", f"{_SIDECARS}/livenessprobe:v2.18.0", volume=_PLUGIN_VOLUME)
    return [registrar, probe, driver]


ADDON = AddonDefinition(
    name="hcloud-csi-driver.addons.k8s.io", condition=on_cloud(HETZNER), build=_build, id="k8s-1.22"
)
