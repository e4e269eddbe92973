# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of Azure, and its part on each node (azure-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import AZURE
from ...api.cluster import Cluster
from ..cloud_controllers import COMPLETED_ROLE, manager_of
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.pods import field_variable, host_path, http_probe, mount, requests, toleration, variables
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role_binding, rule
from ..objects.workloads import daemon_set, deployment
from .cloud_config import NAMESPACE, SECRET

_MANAGER, _NODE = "cloud-controller-manager", "cloud-node-manager"
_MANAGER_ROLE = f"system:{_MANAGER}"
_SERVICE = {"kubernetes.io/cluster-service": "true"}
_NODE_APP = {"k8s-app": _NODE}
_NODE_LABELS = {**_NODE_APP, **_SERVICE}
_COMPONENT = {"component": _MANAGER}
_PODS = {**_COMPONENT, "tier": "control-plane"}
_TOKEN, _IDENTITY = "azure-identity-token", "/var/lib/waagent/ManagedIdentity-Settings"

_NODE_RULES = (rule("", "nodes", "watch list get update patch"), rule("", "nodes/status", "patch"))
_MANAGER_RULES = (
    rule("", "events", "create patch update"),
    rule("", "nodes", "*"),
    rule("", "nodes/status", "patch"),
    rule("", "services", "list patch update watch"),
    rule("", "services/status", "list patch update watch"),
    rule("", "serviceaccounts", "create get list watch update"),
    rule("", "persistentvolumes", "get list update watch"),
    rule("", "endpoints", "create get list watch update"),
    rule("", "secrets", "get list watch"),
    rule("coordination.k8s.io", "leases", "get create update"),
    rule("discovery.k8s.io", "endpointslices", "get list watch"),
)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    node = account_subject(_NODE, NAMESPACE)
    return [
        service_account(_MANAGER, NAMESPACE),
        service_account(_NODE, NAMESPACE, _NODE_LABELS),
        cluster_role(_NODE, _NODE_LABELS, _NODE_RULES),
        cluster_role(_MANAGER_ROLE, {"k8s-app": _MANAGER}, _MANAGER_RULES, COMPLETED_ROLE),
        *_manager_bindings(),
        cluster_role_binding(_NODE, _NODE, node, _NODE_LABELS),
        _manager(context),
        _node_manager(context.cluster),
    ]


def _manager_bindings() -> list[dict[str, Any]]:
    """The user is that of a manager outside of the cluster; upstream has it, with two ways to write its group."""
    reader = "extension-apiserver-authentication-reader"
    account, user = account_subject(_MANAGER, NAMESPACE), {"kind": "User", "name": _MANAGER}
    return [
        role_binding(f"{_MANAGER_ROLE}:{reader}", NAMESPACE, reader, (account, {"apiGroup": "", **user})),
        cluster_role_binding(_MANAGER_ROLE, _MANAGER_ROLE, (account, user)),
    ]


def _manager(context: AddonContext) -> dict[str, Any]:
    apart = {
        "labelSelector": {"matchLabels": dict(_PODS)},
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
    }
    token = {"audience": "api://AzureADTokenExchange", "expirationSeconds": 3600, "path": _TOKEN}
    pod = {
        "containers": [_manager_container(context.cluster)],
        "hostNetwork": True,
        "nodeSelector": {"node-role.kubernetes.io/control-plane": ""},
        "priorityClassName": "system-node-critical",
        "serviceAccountName": _MANAGER,
        "tolerations": [toleration()],
        "topologySpreadConstraints": [apart],
        "volumes": [
            host_path("etc-kubernetes", "/etc/kubernetes"),
            host_path("ssl-mount", "/etc/ssl"),
            host_path("msi", _IDENTITY),
            {"name": _TOKEN, "projected": {"defaultMode": 0o644, "sources": [{"serviceAccountToken": token}]}},
        ],
    }
    replicas = context.controller_replicas
    return deployment(_MANAGER, NAMESPACE, pod, selector=_PODS, labels=_COMPONENT, replicas=replicas)


def _manager_container(cluster: Cluster) -> dict[str, Any]:
    manager = manager_of(cluster)
    wanted = requests(limits={"cpu": 4, "memory": "2Gi"}, cpu=str(manager.cpu_request or "100m"), memory="128Mi")
    return {
        "name": _MANAGER,
        "image": manager.image or "",
        "imagePullPolicy": "IfNotPresent",
        "command": [_MANAGER],
        "args": _arguments(cluster),
        # It starts before kube-proxy translates the Service's address.
        "env": variables({"KUBERNETES_SERVICE_HOST": "127.0.0.1"}),
        "livenessProbe": http_probe(
            "/healthz", 10268, scheme="HTTPS", initialDelaySeconds=20, periodSeconds=10, timeoutSeconds=5
        ),
        "resources": wanted,
        "volumeMounts": [
            mount("etc-kubernetes", "/etc/kubernetes"),
            mount("ssl-mount", "/etc/ssl", readOnly=True),
            mount("msi", _IDENTITY, readOnly=True),
            mount(_TOKEN, "/var/run/secrets/azure/tokens", readOnly=True),
        ],
    }


def _arguments(cluster: Cluster) -> list[str]:
    """Mostly fixed ones: kops takes them from upstream's chart."""
    manager = manager_of(cluster)
    elects = manager.leader_election.leader_elect if manager.leader_election else True
    return [
        "--allocate-node-cidrs=false",
        "--cloud-config=",
        f"--cloud-config-secret-name={SECRET}",
        "--cloud-provider=azure",
        f"--cluster-cidr={cluster.spec.networking.pod_cidr or ''}",
        f"--cluster-name={cluster.metadata.name}",
        f"--configure-cloud-routes={str(bool(manager.configure_cloud_routes)).lower()}",
        "--controllers=*,-cloud-node",
        "--enable-dynamic-reloading=true",
        f"--leader-elect={str(bool(elects)).lower()}",
        "--route-reconciliation-period=10s",
        "--secure-port=10268",
        f"--v={manager.log_level or 0}",
    ]


def _node_manager(cluster: Cluster) -> dict[str, Any]:
    container = {
        "name": _NODE,
        "image": manager_of(cluster).azure_node_manager_image or "",
        "imagePullPolicy": "IfNotPresent",
        "command": [_NODE],
        "args": ["--node-name=$(NODE_NAME)", "--v=2"],
        "env": [field_variable("NODE_NAME", "spec.nodeName")],
        "resources": requests(limits={"cpu": 2, "memory": "512Mi"}, cpu="50m", memory="50Mi"),
    }
    pod = {
        "containers": [container],
        "hostNetwork": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-node-critical",
        "serviceAccountName": _NODE,
        "tolerations": [toleration()],
    }
    return daemon_set(
        _NODE,
        NAMESPACE,
        pod,
        selector=_NODE_APP,
        labels={"component": _NODE, **_SERVICE},
        pod_annotations={"cluster-autoscaler.kubernetes.io/daemonset-pod": "true"},
    )


ADDON = AddonDefinition(
    name="azure-cloud-controller.addons.k8s.io",
    condition=on_cloud(AZURE),
    build=_build,
    id="k8s-1.31",
    initializes_nodes=True,
)
