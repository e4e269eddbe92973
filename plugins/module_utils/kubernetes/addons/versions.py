# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addons a cluster has been given, and the nodes that have to be updated when one of them changes.

Source: channels/pkg/channels/addon.go and channel_version.go of kops. The record is an annotation of the namespace
kube-system for each addon. Nodes are marked only when an addon changes that was recorded before, not when it is new.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...base.labels import NEEDS_UPDATE
from ...base.report import Step
from ...exchange.addons import StoredAddons
from ..client import KubernetesClient, Object

_PREFIX = "addons.k8s.io/"
# Why a rolling update replaces a node, as plans and lists of instances say it.
MARKED = f"its node has the annotation {NEEDS_UPDATE}"
NAMESPACE = "kube-system"
# kops: since it prunes.
_GENERATION = 1
# needsRollingUpdate of kops' index -> the label of the nodes that it is about. kops itself looks for the former label
# of control planes, which no node has any more.
_SELECTORS = {
    "control-plane": "node-role.kubernetes.io/control-plane",
    "workers": "node-role.kubernetes.io/node",
    "all": "",
}


def record_versions(
    client: KubernetesClient, addons: Sequence[Mapping[str, Any]], retired: Sequence[str]
) -> list[Step]:
    """Record the addons that were applied, and mark the nodes whose update one of them needs.

    addons: as apply_addons() takes them; one with "version" is recorded by this text, others by the hash of their
    objects. retired: addons whose records go. Marks come first: if the run is killed in between, the next one marks
    again.
    """
    namespace = client.find(client.kind("v1", "Namespace").path(name=NAMESPACE))
    if namespace is None:
        return []
    present = namespace["metadata"].get("annotations") or {}
    wanted = {f"{_PREFIX}{addon['name']}": _version(addon) for addon in addons}
    changed = {name: version for name, version in wanted.items() if not _is_same(present.get(name), version)}
    selectors = {
        _SELECTORS[addon["needs_rolling_update"]]
        for addon in addons
        if addon.get("needs_rolling_update") and f"{_PREFIX}{addon['name']}" in {*changed} & {*present}
    }
    steps = _mark(client, selectors)
    gone = {name: None for name in (f"{_PREFIX}{each}" for each in retired) if name in present}
    if (changed or gone) and not client.check:
        texts = {name: json.dumps(version, separators=(",", ":")) for name, version in changed.items()}
        path = client.kind("v1", "Namespace").path(name=NAMESPACE)
        client.patch(path, {"metadata": {"annotations": {**texts, **gone}}})
    return steps


def needs_update(node: Object) -> bool:
    """Whether an addon, or somebody, has asked for an update of the node."""
    return NEEDS_UPDATE in (node["metadata"].get("annotations") or {})


def is_recorded(annotations: Mapping[str, str], addon: Mapping[str, Any]) -> bool:
    """Whether the namespace's annotations say that an addon is applied, in its "version" if it has one."""
    text = annotations.get(f"{_PREFIX}{addon['name']}")
    return text is not None and ("version" not in addon or _is_same(text, _version(addon)))


def not_applied(stored: StoredAddons, annotations: Mapping[str, str]) -> list[str]:
    """The names of addons that are not applied, or not gone, as the annotations of the namespace say."""
    left = [str(addon["name"]) for addon in stored.addons if not is_recorded(annotations, addon)]
    return [*left, *(name for name in stored.retired if is_recorded(annotations, {"name": name}))]


def recorded(annotations: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    """The addons of which the namespace's annotations tell, and what was applied: id, manifestHash, channel, version.

    What is no record says nothing.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for key, text in annotations.items():
        if key.startswith(_PREFIX):
            try:
                version = json.loads(text)
            except ValueError:
                version = {}
            found[key.removeprefix(_PREFIX)] = version if isinstance(version, dict) else {}
    return found


def _version(addon: Mapping[str, Any]) -> dict[str, Any]:
    content = addon.get("version") or hashlib.sha256(json.dumps(addon["objects"], sort_keys=True).encode()).hexdigest()
    named = {"id": addon["id"]} if addon.get("id") else {}
    return {**named, "manifestHash": content, "systemGeneration": _GENERATION}


def _is_same(text: str | None, version: Mapping[str, Any]) -> bool:
    try:
        known = json.loads(text or "{}")
    except ValueError:
        return False
    return isinstance(known, dict) and all(
        (known.get(name) or "") == (version.get(name) or "") for name in ("id", "manifestHash")
    )


def _mark(client: KubernetesClient, selectors: set[str]) -> list[Step]:
    if not selectors:
        return []
    steps = []
    path = client.kind("v1", "Node").path()
    for node in client.list(path):
        name, labels = node["metadata"]["name"], node["metadata"].get("labels") or {}
        if needs_update(node) or not any(not label or label in labels for label in selectors):
            continue
        if not client.check:
            client.patch(f"{path}/{name}", {"metadata": {"annotations": {NEEDS_UPDATE: ""}}})
        steps.append(Step(f"Node {name}", True, None, {NEEDS_UPDATE: ""}))
    return steps
