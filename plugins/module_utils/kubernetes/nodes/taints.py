# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taints of registered nodes. A kubelet gives them to its node only when it creates the Node object.

Others taint nodes, too (the node lifecycle controller, network plug-ins, people), and the list of taints has a single
owner in the API. So an annotation says which of them were set here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...base.report import Step
from ..client import KubernetesClient, KubernetesError, Object

ANNOTATION = "kubeops.kops/taints"
_CONFLICT = 409
_ATTEMPTS = 5

Taint = Mapping[str, Any]


def taint_nodes(client: KubernetesClient, wanted: Mapping[str, Sequence[Taint]]) -> list[Step]:
    """Set the taints of nodes. Taints that were set here before and are not wanted any more are removed; others stay.

    wanted: node name -> taints as in a Node object (key, effect, value). Nodes that are not registered are left out.
    Raises KubernetesError.
    """
    if not wanted:
        return []
    nodes = {node["metadata"]["name"]: node for node in client.list(client.kind("v1", "Node").path())}
    return [_taint(client, nodes[name], taints) for name, taints in sorted(wanted.items()) if name in nodes]


def add_taint(client: KubernetesClient, name: str, taint: Taint) -> None:
    """Add a taint to a node, unless it has one of this key; a node that is not registered is left out.

    Raises KubernetesError.
    """
    path = client.kind("v1", "Node").path(name=name)
    for attempt in range(_ATTEMPTS):
        node = client.find(path)
        present = (node or {}).get("spec", {}).get("taints") or []
        if node is None or any(each["key"] == taint["key"] for each in present):
            return
        metadata = {"resourceVersion": node["metadata"]["resourceVersion"]}
        try:
            client.patch(path, {"metadata": metadata, "spec": {"taints": [*present, dict(taint)]}})
            return
        except KubernetesError as error:
            if error.status != _CONFLICT or attempt == _ATTEMPTS - 1:
                raise


def _taint(client: KubernetesClient, node: Object, wanted: Sequence[Taint]) -> Step:
    name = node["metadata"]["name"]
    path = client.kind("v1", "Node").path(name=name)
    for attempt in range(_ATTEMPTS):
        node = node if attempt == 0 else client.get(path)
        present = node["spec"].get("taints") or []
        taints = _merged(present, wanted, _given(node))
        noted = ",".join(sorted(map(_identity, wanted)))
        if taints == present and noted == _note(node):
            break
        # With the version, the taints that someone else sets at the same time are not lost.
        metadata = {"resourceVersion": node["metadata"]["resourceVersion"], "annotations": {ANNOTATION: noted or None}}
        try:
            client.patch(path, {"metadata": metadata, "spec": {"taints": taints or None}})
        except KubernetesError as error:
            if error.status != _CONFLICT or attempt == _ATTEMPTS - 1:
                raise
            continue
        return Step(f"Taints of node {name}", True, _texts(present), _texts(taints))
    return Step(f"Taints of node {name}")


def _merged(present: Sequence[Taint], wanted: Sequence[Taint], given: set[str]) -> list[Taint]:
    """The wanted taints, and those of others; equal ones stay as they are, with the time at which they were added."""
    by_identity = {_identity(taint): taint for taint in wanted}
    kept = []
    for taint in present:
        same = by_identity.get(_identity(taint))
        if same is None and _identity(taint) not in given:
            kept.append(taint)
        elif same is not None:
            kept.append(taint if (taint.get("value") or "") == (same.get("value") or "") else dict(same))
    there = {_identity(taint) for taint in kept}
    return [*kept, *(dict(taint) for name, taint in by_identity.items() if name not in there)]


def _note(node: Object) -> str:
    return str((node["metadata"].get("annotations") or {}).get(ANNOTATION) or "")


def _given(node: Object) -> set[str]:
    """The taints that were set here before."""
    return set(filter(None, _note(node).split(",")))


def _identity(taint: Taint) -> str:
    """A node has one taint of a key and an effect; neither may hold a comma or a colon."""
    return f"{taint['key']}:{taint['effect']}"


def _texts(taints: Sequence[Taint]) -> list[str]:
    """The taints as in spec.taints of an instance group."""
    return [f"{each['key']}{f'={value}' if (value := each.get('value')) else ''}:{each['effect']}" for each in taints]
