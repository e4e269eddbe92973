# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of the state store, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...api import manifest
from ...api.clouds import cloud_of
from ...base.errors import KopsError
from ...statestore.store import ClusterNotFound, ClusterStore, StateStore


def read_clusters(state_store: str, name: str = "", *, full: bool = False, required: bool = False) -> dict[str, Any]:
    """The clusters of a store, or the one of a name, if it exists; as a module returns them.

    required: the one of the name must exist (ClusterNotFound).
    full: also the complete specifications, as the last updates wrote them.
    A cluster among several that cannot be read is a warning; the one that was asked for is an error.
    """
    root = StateStore(state_store)
    names = [name] if name else root.clusters()
    clusters: list[dict[str, Any]] = []
    objects: list[Any] = []
    warnings: list[str] = []
    for each in names:
        store = root.cluster(each)
        try:
            found = _read_cluster(store, full, objects)
        except ClusterNotFound:
            if required:
                raise
            continue
        except KopsError as error:
            if name:
                raise
            warnings.append(f"cluster {each} is left out: {error}")
            continue
        clusters.append(found)
        warnings += store.warnings
    return {
        "names": [found["name"] for found in clusters],
        "clusters": clusters,
        "manifest": manifest.dump_all(objects),
        "warnings": warnings,
    }


def _read_cluster(store: ClusterStore, full: bool, objects: list[Any]) -> dict[str, Any]:
    cluster, groups = store.read()
    additional = store.additional_objects()
    objects += [cluster, *groups, *additional]
    found: dict[str, Any] = {
        "name": store.name,
        "cloud": cloud_of(cluster).name,
        "cluster": manifest.to_data(cluster),
        "instancegroups": [manifest.to_data(group) for group in groups],
        "additional_objects": [each.data for each in additional],
        "kops_version": store.kops_version(),
    }
    if full:
        completed = store.completed()
        found["completed"] = manifest.to_data(completed) if completed else None
    return found


def read_groups(state_store: str, cluster_name: str, names: Sequence[str] = ()) -> dict[str, Any]:
    """The instance groups of a cluster, all or the named ones, as a module returns them."""
    store = ClusterStore.open(state_store, cluster_name)
    _cluster, groups = store.read()
    chosen = [group for group in groups if not names or group.metadata.name in names]
    return {
        "names": [group.metadata.name for group in chosen],
        "instancegroups": [manifest.to_data(group) for group in chosen],
        "manifest": manifest.dump_all(chosen),
        "warnings": store.warnings,
    }
