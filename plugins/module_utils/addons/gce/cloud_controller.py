# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of Google Cloud (gcp-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

import copy
from typing import Any

from ...api.clouds import GCE
from ...api.cluster import Cluster
from ..cloud_controllers import CONFIG, cloud_controller_arguments, manager_of
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.pods import host_path, http_probe, mount, on_control_plane, requests, selinux_options, variables
from ..objects.rbac import (
    account_subject,
    cluster_role,
    cluster_role_binding,
    role,
    role_binding,
    rule,
)
from ..objects.workloads import daemon_set

_NAME, _NAMESPACE = "cloud-controller-manager", "kube-system"
_COMPONENT = {"component": _NAME}
_LABELS = {"addonmanager.kubernetes.io/mode": "Reconcile"}
_MANAGER, _NODES = "system:cloud-controller-manager", "system:controller:cloud-node-controller"
_LEADER = "system::leader-locking-cloud-controller-manager"
_LOAD_BALANCERS = "gce:cloud-provider"

_RECORD_EVENTS = rule("", "events", "create patch update")
_ROLES = {
    _MANAGER: (
        rule(("", "events.k8s.io"), "events", "create patch update"),
        rule("", "services/status", "patch update"),
        rule("coordination.k8s.io", "leases", "create get list watch update"),
        rule("coordination.k8s.io", "leases", "get update", _NAME),
        rule("", "endpoints serviceaccounts", "create get update"),
        rule("", "nodes", "get update patch"),
        rule("", "namespaces", "get"),
        rule("", "nodes/status", "patch update"),
        rule("", "secrets", "create delete get update"),
        rule("authentication.k8s.io", "tokenreviews", "create"),
        rule("*", "*", "list watch"),
        rule("", "serviceaccounts/token", "create"),
    ),
    _NODES: (
        _RECORD_EVENTS,
        rule("", "nodes", "get list update delete patch"),
        rule("", "nodes/status", "get list update delete patch"),
        rule("", "pods", "list delete"),
        rule("", "pods/status", "list delete"),
    ),
    "system:controller:pvl-controller": (
        _RECORD_EVENTS,
        rule("", "persistentvolumeclaims persistentvolumes", "list watch"),
    ),
    _LOAD_BALANCERS: (_RECORD_EVENTS, rule("", "services/status", "patch update")),
}
_LOCK = (rule("", "configmaps", "watch"), rule("", "configmaps", "create patch get update", _NAME))
_ALL_CONFIG_MAPS = (rule("", "configmaps", "create get patch update list watch"),)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [_daemon_set(context.cluster), service_account(_NAME, _NAMESPACE), *_roles(), *_bindings()]


def _roles() -> list[dict[str, Any]]:
    return [
        *(cluster_role(name, _LABELS, rules) for name, rules in _ROLES.items()),
        role(_LEADER, _NAMESPACE, _LABELS, _LOCK),
        role(_LOAD_BALANCERS, _NAMESPACE, _LABELS, _ALL_CONFIG_MAPS),
        role("cloud-provider", _NAMESPACE, _LABELS, _ALL_CONFIG_MAPS, _deprecation("role")),
        cluster_role("cloud-provider", _LABELS, (_RECORD_EVENTS,), _deprecation("clusterrole")),
    ]


def _deprecation(kind: str) -> dict[str, str]:
    text = (
        f"cloud-provider {kind} is DEPRECATED in the concern of potential collisions and will be removed in 1.16."
        " Do not use this role."
    )
    return {"kubernetes.io/deprecation": text}


def _bindings() -> list[dict[str, Any]]:
    manager = account_subject(_NAME, _NAMESPACE)
    nodes, provider = (account_subject(name, _NAMESPACE) for name in ("cloud-node-controller", "cloud-provider"))
    reader = "extension-apiserver-authentication-reader"
    return [
        role_binding(f"{_NAME}:apiserver-authentication-reader", _NAMESPACE, reader, {"apiGroup": "", **manager}),
        role_binding(_LEADER, _NAMESPACE, _LEADER, manager, _LABELS),
        role_binding(_LOAD_BALANCERS, _NAMESPACE, _LOAD_BALANCERS, provider, _LABELS),
        cluster_role_binding(_MANAGER, _MANAGER, manager, _LABELS),
        cluster_role_binding(_NODES, _NODES, nodes, _LABELS),
        cluster_role_binding(_LOAD_BALANCERS, _LOAD_BALANCERS, provider, _LABELS),
    ]


def _daemon_set(cluster: Cluster) -> dict[str, Any]:
    return daemon_set(
        _NAME,
        _NAMESPACE,
        _pod(cluster),
        selector=_COMPONENT,
        labels=_COMPONENT,
        pod_labels={"tier": "control-plane", **_COMPONENT},
        updateStrategy={"type": "RollingUpdate"},
    )


def _pod(cluster: Cluster) -> dict[str, Any]:
    security = selinux_options(cluster)
    return {
        "nodeSelector": None,
        "affinity": on_control_plane(old_label=True),
        "tolerations": [{"operator": "Exists"}],
        **({"securityContext": security} if security else {}),
        "serviceAccountName": _NAME,
        "hostNetwork": True,
        "priorityClassName": "system-cluster-critical",
        "containers": [_container(cluster)],
        "volumes": [host_path("cloudconfig", CONFIG, "")],
    }


def _container(cluster: Cluster) -> dict[str, Any]:
    manager = manager_of(cluster)
    return {
        "name": _NAME,
        "image": manager.image or "",
        "imagePullPolicy": "IfNotPresent",
        "args": cloud_controller_arguments(cluster),
        # It starts before kube-proxy translates the Service's address.
        "env": variables({"KUBERNETES_SERVICE_HOST": "127.0.0.1"}),
        "livenessProbe": http_probe(
            "/healthz",
            10258,
            scheme="HTTPS",
            host="127.0.0.1",
            failureThreshold=3,
            initialDelaySeconds=15,
            periodSeconds=10,
            successThreshold=1,
            timeoutSeconds=15,
        ),
        "resources": requests(cpu=manager.cpu_request or "200m"),
        "volumeMounts": [mount("cloudconfig", CONFIG, readOnly=True)],
    }


def _with_arguments(context: AddonContext, obj: dict[str, Any]) -> dict[str, Any]:
    """The user's own cloud controller manager gets kops' arguments, in each of its containers."""
    metadata = obj.get("metadata") or {}
    named = (metadata.get("name"), metadata.get("namespace"))
    if obj.get("kind") != "DaemonSet" or named != (_NAME, _NAMESPACE):
        return obj
    changed = copy.deepcopy(obj)
    pod = changed["spec"]["template"]["spec"]
    for container in (*(pod.get("initContainers") or ()), *pod["containers"]):
        container["args"] = cloud_controller_arguments(context.cluster)
    return changed


ADDON = AddonDefinition(
    name="gcp-cloud-controller.addons.k8s.io",
    condition=on_cloud(GCE),
    build=_build,
    id="k8s-1.23",
    pruned=True,
    replaceable=True,
    adapt=_with_arguments,
    initializes_nodes=True,
)
