# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletes objects that are no longer part of an addon (pruning.go of kops)."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.report import Step
from .client import KubernetesClient, Object
from .object_names import identity, shown, title
from .parallel import in_parallel
from .pruned import MANAGER_LABEL, NAME_LABEL, PRUNED_KINDS


def prune(client: KubernetesClient, names: Sequence[str], wanted: set[tuple[str, str, str, str]]) -> list[Step]:
    """Delete objects that have an addon's label but are not wanted."""
    selector = f"{MANAGER_LABEL}=kops,{NAME_LABEL} in ({','.join(names)})"

    def found(kind: tuple[str, str]) -> list[Object]:
        path = client.kind(*kind).path()
        return list(client.list(path, labelSelector=selector)) if names else []

    left = [
        obj
        for found_objects in in_parallel(found, PRUNED_KINDS)
        for obj in found_objects
        if not _is_wanted(obj, wanted) and not obj["metadata"].get("deletionTimestamp")
    ]
    for obj in left:
        if not client.check:
            client.delete(client.path_of(obj), {"propagationPolicy": "Background"})
    return [Step(title(obj), True, shown(obj), None) for obj in left]


def _is_wanted(obj: Object, wanted: set[tuple[str, str, str, str]]) -> bool:
    group, kind, namespace, name = identity(obj)
    if namespace:
        return (group, kind, namespace, name) in wanted
    # Manifests may give a namespace to an object of the whole cluster; the API server drops it.
    return any((group, kind, name) == (other[0], other[1], other[3]) for other in wanted)
