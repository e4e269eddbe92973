# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node labels that a node may not set itself: its role and its instance group (kops-controller sets them in kops)."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from ...base.errors import KopsError
from ...base.report import Step
from ..client import KubernetesClient, Object

# A field manager of its own: labels that it owns and that are not wanted any more are removed.
_MANAGER = "kops-node-labels"
_PAUSE = 0.5


def label_nodes(client: KubernetesClient, wanted: Mapping[str, Mapping[str, str]], wait: float) -> list[Step]:
    """Set the labels of nodes. Labels that were set here before and are not wanted any more are removed; others stay.

    wanted: node name -> labels. wait: seconds until all nodes must be registered; with 0, and in check mode, missing
    nodes are left out. Raises KopsError that names the nodes that did not register in time.
    """
    present = _nodes(client)
    deadline = time.monotonic() + wait
    while wait and not client.check and wanted.keys() - present.keys():
        if time.monotonic() >= deadline:
            missing = ", ".join(sorted(wanted.keys() - present.keys()))
            raise KopsError(f"these nodes did not register: {missing}; see the logs of their kubelets")
        time.sleep(_PAUSE)
        present = _nodes(client)
    return [label_node(client, present[name], labels) for name, labels in sorted(wanted.items()) if name in present]


def _nodes(client: KubernetesClient) -> dict[str, Object]:
    return {node["metadata"]["name"]: node for node in client.list(client.kind("v1", "Node").path())}


def label_node(client: KubernetesClient, node: Object, labels: Mapping[str, str], only: Collection[str] = ()) -> Step:
    """Set the labels of a Node as label_nodes() does. only: labels that it may have for no other reason.

    node: as the API gives it. Raises KopsError.
    """
    metadata = node["metadata"]
    name, present = metadata["name"], dict(metadata.get("labels") or {})
    step = _label(client, node, labels)
    foreign = sorted(label for label in set(only) & present.keys() - labels.keys() - _given(metadata))
    if not foreign:
        return step
    path = client.kind("v1", "Node").path(name=name)
    # With the uid, this does not change a Node of the same name that is new.
    client.patch(path, {"metadata": {"uid": metadata["uid"], "labels": dict.fromkeys(foreign)}})
    before = {**(step.before or {}), **{label: present[label] for label in foreign}}
    return Step(f"Node {name}", True, before, step.after)


def _label(client: KubernetesClient, node: Object, labels: Mapping[str, str]) -> Step:
    metadata = node["metadata"]
    name = metadata["name"]
    present: Mapping[str, Any] = metadata.get("labels") or {}
    given = _given(metadata)
    different = {label for label, value in labels.items() if present.get(label) != value or label not in given}
    stale = (given - labels.keys()) & present.keys()
    if not different and not stale:
        return Step(f"Node {name}")
    # Only its own kubelet creates a Node. With the uid, apply() cannot create a Node that was deleted meanwhile.
    identity = {"name": name, "uid": metadata["uid"], "labels": dict(labels)}
    client.apply({"apiVersion": "v1", "kind": "Node", "metadata": identity}, _MANAGER)
    before = {label: present[label] for label in sorted(different | stale) if label in present}
    after = {label: labels[label] for label in sorted(different)}
    return Step(f"Node {name}", True, before or None, after or None)


def own_fields(metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of the metadata of a Node: which labels were set here before."""
    return [dict(entry) for entry in metadata.get("managedFields") or () if entry.get("manager") == _MANAGER]


def _given(metadata: Mapping[str, Any]) -> set[str]:
    """The labels that were set here before, as managedFields say."""
    owned = own_fields(metadata)
    fields: dict[str, Any] = owned[0].get("fieldsV1", {}) if owned else {}
    return {name.removeprefix("f:") for name in fields.get("f:metadata", {}).get("f:labels", {})}
