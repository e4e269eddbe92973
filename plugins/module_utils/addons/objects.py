# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects that every addon has, and the parts of pods that several have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..api.cluster import Cluster

_RBAC_GROUP = "rbac.authorization.k8s.io"
_RBAC = f"{_RBAC_GROUP}/v1"

Labels = Mapping[str, str]


def thing(
    api_version: str, kind: str, name: str, *, namespace: str = "", labels: Labels | None = None, **more: Any
) -> dict[str, Any]:
    """An object: more holds its other fields, such as spec. No namespace: of the whole cluster."""
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def service_account(name: str, namespace: str, labels: Labels) -> dict[str, Any]:
    """A ServiceAccount."""
    return thing("v1", "ServiceAccount", name, namespace=namespace, labels=labels)


def config_map(name: str, namespace: str, labels: Labels, data: Mapping[str, str]) -> dict[str, Any]:
    """A ConfigMap."""
    return thing("v1", "ConfigMap", name, namespace=namespace, labels=labels, data=dict(data))


def rule(group: str | Sequence[str], resources: Sequence[str], verbs: Sequence[str]) -> dict[str, Any]:
    """A rule of a role. group: of the API, "" being the core."""
    groups = [group] if isinstance(group, str) else list(group)
    return {"apiGroups": groups, "resources": list(resources), "verbs": list(verbs)}


def cluster_role(name: str, labels: Labels, rules: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A ClusterRole."""
    return thing(_RBAC, "ClusterRole", name, labels=labels, rules=list(rules))


def cluster_role_binding(name: str, role: str, subject: dict[str, str], labels: Labels | None = None) -> dict[str, Any]:
    """A ClusterRoleBinding of one subject."""
    reference = {"apiGroup": _RBAC_GROUP, "kind": "ClusterRole", "name": role}
    return thing(_RBAC, "ClusterRoleBinding", name, labels=labels, roleRef=reference, subjects=[subject])


def account_subject(name: str, namespace: str) -> dict[str, str]:
    """A service account as the subject of a binding."""
    return {"kind": "ServiceAccount", "name": name, "namespace": namespace}


def user_subject(name: str) -> dict[str, str]:
    """A user as the subject of a binding."""
    return {"apiGroup": _RBAC_GROUP, "kind": "User", "name": name}


def dns_ports(*, targets: bool = False) -> list[dict[str, Any]]:
    """The ports of a DNS service; targets: name the pods' ports as well."""
    target = {"targetPort": 53} if targets else {}
    return [
        {"name": "dns", "port": 53, "protocol": "UDP", **target},
        {"name": "dns-tcp", "port": 53, "protocol": "TCP", **target},
    ]


def container_ports(ports: Mapping[str, tuple[int, str]]) -> list[dict[str, Any]]:
    """Ports of a container: name -> (number, protocol)."""
    return [{"containerPort": number, "name": name, "protocol": protocol} for name, (number, protocol) in ports.items()]


def xtables_lock() -> dict[str, Any]:
    """The volume by which all who change iptables wait for each other."""
    return {"name": "xtables-lock", "hostPath": {"path": "/run/xtables.lock", "type": "FileOrCreate"}}


def selinux_options(cluster: Cluster) -> dict[str, Any]:
    """What a security context needs besides to write to the host where containerd labels containers."""
    containerd = cluster.spec.containerd
    if containerd is None or not containerd.selinux_enabled:
        return {}
    return {"seLinuxOptions": {"type": "spc_t", "level": "s0"}}


def block_text(text: str) -> str:
    """A text as kops' templates embed it: of the line ends at its end, one stays."""
    return text.rstrip("\n") + ("\n" if text.endswith("\n") else "")
