# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single fields of stored clusters and instance groups, set and unset by their paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...api.cluster import Cluster
from ...api.codec import copy
from ...api.instance_group import InstanceGroup
from ...api.origin import unmark
from ...api.paths import PathError, apply_settings
from ...api.suggest import did_you_mean
from ...base.errors import FieldError, KopsError, ValidationError
from ...statestore.store import ClusterStore
from .manifests import WantedCluster
from .plan import Stored
from .write import StoreOptions, StoreResult, change


@dataclass(frozen=True)
class Edit:
    """Fields to set (texts ``path=value``) and to unset (paths), which comes first. See api.paths."""

    sets: Sequence[str] = ()
    unsets: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.sets or self.unsets)


def edit_cluster(options: StoreOptions, name: str, edit: Edit, *, check: bool = False) -> StoreResult:
    """Edit the stored specification of a cluster. Raises ValidationError with all paths and values that are wrong."""
    kept: list[str] = []

    def wanted(stored: Stored) -> WantedCluster:
        cluster = copy(_cluster(stored, options, name))
        unmark(cluster)
        kept[:] = apply_edit(edit, [cluster])
        return WantedCluster(name, cluster=cluster)

    return _with_warnings(kept, change(options, {name: wanted}, create=False, check=check))


def edit_groups(
    options: StoreOptions, cluster_name: str, names: Sequence[str], edit: Edit, *, check: bool = False
) -> StoreResult:
    """Edit the stored specifications of instance groups. Raises ValidationError as edit_cluster does, and KopsError
    for a group that is not there.
    """
    kept: list[str] = []

    def wanted(stored: Stored) -> WantedCluster:
        _cluster(stored, options, cluster_name)
        groups = {str(group.metadata.name): group for group in stored.groups}
        missing = [f"{name}{did_you_mean(name, groups)}" for name in names if name not in groups]
        if missing:
            raise KopsError(f"cluster {cluster_name} has no instance group {', nor '.join(missing)}")
        chosen = [copy(groups[name]) for name in dict.fromkeys(names)]
        for group in chosen:
            unmark(group)
        kept[:] = apply_edit(edit, chosen)
        return WantedCluster(cluster_name, groups=chosen)

    return _with_warnings(kept, change(options, {cluster_name: wanted}, create=False, check=check))


def _with_warnings(warnings: Sequence[str], result: StoreResult) -> StoreResult:
    result.warnings[:0] = warnings
    return result


def _cluster(stored: Stored, options: StoreOptions, name: str) -> Cluster:
    if stored.cluster is None:
        raise ClusterStore.open(options.state_store, name).not_found()
    return stored.cluster


def apply_edit(edit: Edit, objects: Sequence[Cluster | InstanceGroup]) -> list[str]:
    """Edit objects in place. Raises ValidationError with all that cannot be set or unset in them.

    Returns sentences about lists that keep what they had.
    """
    problems: dict[str, FieldError] = {}
    kept: list[str] = []
    for each in objects:
        before = each.metadata.name
        try:
            told = apply_settings(each, sets=edit.sets, unsets=edit.unsets)
            kept += [f"{_kind(each)} {before}: {sentence}" for sentence in told]
        except PathError as error:
            # What is wrong with a path is wrong for all groups alike.
            problems.update({line: FieldError("Invalid", "", line) for line in str(error).splitlines()})
        if each.metadata.name != before:
            message = f"{_kind(each)} {before} cannot be renamed; create another one"
            problems[message] = FieldError("Forbidden", "metadata.name", message)
    if problems:
        raise ValidationError(problems.values(), "set and unset")
    return kept


def _kind(found: Any) -> str:
    return "cluster" if isinstance(found, Cluster) else "instance group"
