# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which versions of Kubernetes run in a cluster, as its nodes report them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from .client import KubernetesClient

_LABELS = {f"node-role.kubernetes.io/{role}" for role in ("control-plane", "api-server")}


@dataclass(frozen=True)
class RunningVersions:
    """What runs. servers: nodes with an API server -> its version; kubelets: all other nodes -> that of their kubelet.

    unknown: why the versions of some, or of all, are not known; "" if they are.
    """

    servers: Mapping[str, str] = field(default_factory=dict)
    kubelets: Mapping[str, str] = field(default_factory=dict)
    unknown: str = ""


def running_versions(client: KubernetesClient, serving: Collection[str] = ()) -> RunningVersions:
    """Ask the API. An API server has the version of its node's kubelet, as for kops: one NodeConfig gives both.

    serving: names of nodes that run API servers although their labels do not say so yet. Raises KopsError.
    """
    servers: dict[str, str] = {}
    kubelets: dict[str, str] = {}
    for node in client.list(client.kind("v1", "Node").path()):
        name, labels = node["metadata"]["name"], node["metadata"].get("labels") or {}
        info = (node.get("status") or {}).get("nodeInfo") or {}
        found = servers if name in serving or _LABELS & {*labels} else kubelets
        found[name] = str(info.get("kubeletVersion", "")).removeprefix("v")
    return RunningVersions(servers, kubelets)
