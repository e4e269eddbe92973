# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletes the Node objects of control planes that another host has replaced, as a cloud controller would."""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import datetime, timezone

from ...base.report import Step
from ..client import KubernetesClient
from .readiness import is_ready
from .static_pods import CONTROL_PLANE_LABEL

# A kubelet renews its lease every 10 s. A node that missed two renewals is gone, although it counts as ready until
# the controller manager's node-monitor-grace-period (50 s) is over.
_SILENCE = 25.0
_PAUSE = 1.0


def delete_replaced(client: KubernetesClient, control_planes: Collection[str], *, wait: float) -> list[Step]:
    """Delete the Node objects of control planes that are dead and not in the list. With an empty list, delete nothing.

    control_planes: node names of all control planes. A control plane that is not in the list has lost its etcd members
    to another host, so it cannot return as it was. If such a node is alive, it stays, and validation reports it.
    wait: longest time in seconds to find out whether a node is alive. Check mode does not wait.
    """
    if not control_planes:
        return []
    deadline = time.monotonic() + (0 if client.check else min(wait, _SILENCE))
    nodes = client.kind("v1", "Node")
    first: dict[str, str] = {}
    while True:
        others = {
            node["metadata"]["name"]: node
            for node in client.list(nodes.path())
            if CONTROL_PLANE_LABEL in (node["metadata"].get("labels") or {})
            and node["metadata"]["name"] not in control_planes
        }
        renewed = {name: _renewed(client, name) for name in others}
        first = {**renewed, **first}
        dead = {name for name, node in others.items() if not is_ready(node) or _silent(renewed[name])}
        unclear = [name for name in others if name not in dead and renewed[name] == first[name]]
        if not unclear or time.monotonic() >= deadline:
            break
        time.sleep(_PAUSE)
    for name in sorted(dead):
        client.delete(nodes.path("", name))
    return [Step(f"Node {name}", True, "a control plane that another host has replaced", None) for name in sorted(dead)]


def _renewed(client: KubernetesClient, node: str) -> str:
    lease = client.find(client.kind("coordination.k8s.io/v1", "Lease").path("kube-node-lease", node)) or {}
    return str((lease.get("spec") or {}).get("renewTime") or "")


def _silent(renewed: str) -> bool:
    if not renewed:
        return True
    moment = datetime.strptime(renewed.partition(".")[0].rstrip("Z"), "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    return (datetime.now(timezone.utc) - moment).total_seconds() > _SILENCE
