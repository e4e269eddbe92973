# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of etcd, as far as the Kubernetes API tells of them."""

from __future__ import annotations

from collections.abc import Iterable

from ..client import KubernetesClient, Object
from .readiness import is_ready

_NAMESPACE = "kube-system"
_APP = "k8s-app"
_API_SERVER = "kube-apiserver"
# What nodes of this collection run, and nodes of kops.
_APPS = ("etcd-{}", "etcd-manager-{}")


def etcd_members(client: KubernetesClient, names: Iterable[str]) -> dict[str, dict[str, bool]]:
    """Etcd cluster -> node with a member -> whether this is healthy, for the clusters with these names.

    A member is healthy if its pod is ready, and so is the API server of its node, which asks it all the time.
    """
    pods = list(client.list(client.kind("v1", "Pod").path(_NAMESPACE)))
    servers = {_node_of(pod) for pod in pods if _app_of(pod) == _API_SERVER and is_ready(pod)}
    found: dict[str, dict[str, bool]] = {}
    for name in names:
        apps = [app.format(name) for app in _APPS]
        members = [pod for pod in pods if _app_of(pod) in apps]
        found[name] = {_node_of(pod): is_ready(pod) and _node_of(pod) in servers for pod in members}
    return found


def _app_of(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get(_APP, ""))


def _node_of(pod: Object) -> str:
    return str((pod.get("spec") or {}).get("nodeName", ""))
