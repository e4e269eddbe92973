# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletes objects that are no longer part of an addon (pruning.go and channels/pkg/channels/prune.go of kops)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...base.report import Step
from ..client import KubernetesClient, Object
from ..parallel import in_parallel
from .object_names import identity, shown, title
from .owners import is_ours
from .pruned import ADDON_ANNOTATION, KEPT_KINDS, MANAGER_LABEL, NAME_LABEL, PRUNED_KINDS

Identity = tuple[str, str, str, str]
Wanted = set[Identity]


def prune(client: KubernetesClient, names: Sequence[str], wanted: Wanted) -> list[Step]:
    """Delete objects that have an addon's label but are not wanted.

    Copies with all labels that somebody else has made stay. kops looks at labels only, in the addon's namespaces.
    """
    selector = f"{MANAGER_LABEL}=kops,{NAME_LABEL} in ({','.join(names)})"

    def found(kind: tuple[str, str]) -> list[Object]:
        path = client.kind(*kind).path()
        return list(client.list(path, labelSelector=selector)) if names else []

    left = [
        obj
        for found_objects in in_parallel(found, PRUNED_KINDS)
        for obj in found_objects
        if is_ours(obj) and not _is_wanted(obj, wanted) and not obj["metadata"].get("deletionTimestamp")
    ]
    return _delete(client, left)


def prune_as_said(
    client: KubernetesClient, name: str, kinds: Sequence[Mapping[str, Any]], wanted: Wanted
) -> list[Step]:
    """Delete objects that were applied as part of an addon of a channel, and that no addon wants any more.

    name: of the addon. kinds: what its channel says: group, kind, namespaces, labelSelector and fieldSelector of the
    objects that are looked at. kops deletes all that they select; here an object must also carry the addon's name, and
    be no copy that somebody else has made.
    """
    found: dict[Identity, Object] = {}
    for said in kinds:
        group_kind = said.get("group", ""), said["kind"]
        kind = None if group_kind in KEPT_KINDS else client.kind_in_group(*group_kind)
        if kind is None:
            continue
        query = {key: said[key] for key in ("labelSelector", "fieldSelector") if said.get(key)}
        for path in [kind.path(namespace) for namespace in said.get("namespaces") or [""]]:
            found.update({identity(obj): obj for obj in client.list(path, **query)})
    return _delete(client, [obj for obj in found.values() if _has_left(obj, name, wanted)])


def _has_left(obj: Object, addon: str, wanted: Wanted) -> bool:
    metadata = obj["metadata"]
    mine = is_ours(obj) and (metadata.get("annotations") or {}).get(ADDON_ANNOTATION) == addon
    group, kind, namespace, name = identity(obj)
    # Manifests may leave out the namespace "default".
    unnamed = namespace == "default" and (group, kind, "", name) in wanted
    return mine and not unnamed and not _is_wanted(obj, wanted) and not metadata.get("deletionTimestamp")


def _delete(client: KubernetesClient, objects: Sequence[Object]) -> list[Step]:
    for obj in objects:
        if not client.check:
            client.delete(client.path_of(obj), {"propagationPolicy": "Background"})
    return [Step(title(obj), True, shown(obj), None) for obj in objects]


def _is_wanted(obj: Object, wanted: Wanted) -> bool:
    group, kind, namespace, name = identity(obj)
    if namespace:
        return (group, kind, namespace, name) in wanted
    # Manifests may give a namespace to an object of the whole cluster; the API server drops it.
    return any((group, kind, name) == (other[0], other[1], other[3]) for other in wanted)
