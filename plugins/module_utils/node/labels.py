# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of nodes that a node may not give itself: its role and its instance group (kops-controller's work in kops)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .errors import NodeError
from .kubernetes import KubernetesClient, Object
from .report import Step

_PAUSE = 0.5


def label_nodes(client: KubernetesClient, wanted: Mapping[str, Mapping[str, str]], wait: float) -> list[Step]:
    """Give nodes their labels; others that a node has stay. Waits until all nodes have registered.

    wanted: labels by the name of the node. wait: seconds. In check mode nodes that are not there yet are left out.
    Raises NodeError that names the nodes that did not register.
    """
    present = _nodes(client)
    deadline = time.monotonic() + wait
    while not client.check and wanted.keys() - present.keys():
        if time.monotonic() >= deadline:
            missing = ", ".join(sorted(wanted.keys() - present.keys()))
            raise NodeError(f"no node has registered for {missing}; the logs of their kubelets say why")
        time.sleep(_PAUSE)
        present = _nodes(client)
    return [_label(client, name, present[name], labels) for name, labels in sorted(wanted.items()) if name in present]


def _nodes(client: KubernetesClient) -> dict[str, Object]:
    return {node["metadata"]["name"]: node for node in client.list("/api/v1/nodes")}


def _label(client: KubernetesClient, name: str, node: Object, labels: Mapping[str, str]) -> Step:
    present: Mapping[str, Any] = node["metadata"].get("labels") or {}
    different = {label: value for label, value in labels.items() if present.get(label) != value}
    if different:
        client.patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": different}})
    before = {label: present[label] for label in different if label in present}
    return Step(f"Node {name}", bool(different), before or None, different or None)
