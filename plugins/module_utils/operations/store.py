# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters and instance groups in the state store: written from manifests, and removed. The cloud is left alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..api import manifest
from ..api.cluster import Cluster
from ..api.errors import FieldError, KopsError
from ..api.instance_group import InstanceGroup
from ..api.validation.entry import (
    raise_for,
    validate_additional_objects,
    validate_cluster,
    validate_cluster_update,
    validate_instance_group,
)
from ..completion.settings import parse_feature_flags
from ..statestore.objects import differ, labelled, revised, with_base
from ..statestore.ssh_keys import fingerprint
from ..statestore.store import ClusterStore, StateStore
from .clouds import provider_name
from .manifests import WantedCluster


@dataclass(frozen=True)
class StoreOptions:
    """Which store, and how to get the right to write. See statestore.leases.Lease for the last two."""

    state_store: str
    lease_wait: float | None = None
    break_lease: bool = False


@dataclass(frozen=True)
class StoredChange:
    """One object that was written or removed, or would be. action: create, update or delete. Texts are manifests."""

    cluster: str
    kind: str
    name: str
    action: str
    before: str = ""
    after: str = ""

    @property
    def header(self) -> str:
        """What a diff calls the object."""
        return f"{self.cluster}: {self.kind} {self.name}"


@dataclass
class StoreResult:
    """What was done, or in check mode would be. warnings: what was found and is not understood."""

    changes: list[StoredChange] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def put(
    options: StoreOptions, wanted: Sequence[WantedCluster], *, create: bool = True, check: bool = False
) -> StoreResult:
    """Make the store say what manifests say; objects that they do not name stay as they are.

    create: objects that the store does not have are created; without it they are an error, as in kops replace.
    Everything is validated before anything is written: ValidationError has all problems of all objects.
    """
    root = StateStore(options.state_store)
    stores = [root.cluster(each.name) for each in wanted]
    result = StoreResult()
    problems: list[FieldError] = []
    changed = []
    for store, each in zip(stores, wanted):
        planned = _plan(store, each, create, problems)
        result.changes += planned
        result.warnings += store.warnings
        if planned:
            changed.append((store, each))
    raise_for(problems, "manifests")
    if check or not changed:
        return result
    result.changes = []
    for store, each in changed:
        with store.lease("store manifests", wait=options.lease_wait, break_existing=options.break_lease):
            # Somebody may have written since; what counts is what is there now.
            result.changes += _plan(store, each, create, problems)
            raise_for(problems, "manifests")
            _write(store, each)
    return result


def remove_cluster(options: StoreOptions, name: str, *, check: bool = False) -> StoreResult:
    """Remove a cluster from the store, with its keys and secrets; a cluster that is not there is no change.

    Raises StoreError when there are files that are no part of a cluster; nothing is removed then.
    """
    store = ClusterStore.open(options.state_store, name)
    cluster = store.find_cluster()
    if cluster is None:
        return StoreResult()
    store.check_removable()
    if not check:
        with store.lease("remove cluster", wait=options.lease_wait, break_existing=options.break_lease):
            store.remove()
    return StoreResult([StoredChange(name, "Cluster", name, "delete", before=manifest.dump(cluster))], store.warnings)


def remove_groups(
    options: StoreOptions, cluster_name: str, names: Sequence[str], *, check: bool = False
) -> StoreResult:
    """Remove instance groups from the store; the last one of the control plane stays (KopsError)."""
    store = ClusterStore.open(options.state_store, cluster_name)
    result = StoreResult(_plan_removal(store, names), store.warnings)
    if check or not result.changes:
        return result
    with store.lease("remove instance groups", wait=options.lease_wait, break_existing=options.break_lease):
        result.changes = _plan_removal(store, names)
        for change in result.changes:
            store.remove_group(change.name)
    return result


def _plan_removal(store: ClusterStore, names: Sequence[str]) -> list[StoredChange]:
    _cluster, groups = store.read()
    going = [group for group in groups if group.metadata.name in names]
    staying = [group for group in groups if group.metadata.name not in names]
    if _control_planes(going) and not _control_planes(staying):
        raise KopsError(f"{', '.join(_control_planes(going))} is all that cluster {store.name} has of a control plane")
    return [
        StoredChange(store.name, "InstanceGroup", str(group.metadata.name), "delete", before=manifest.dump(group))
        for group in going
    ]


def _control_planes(groups: Sequence[InstanceGroup]) -> list[str]:
    return [str(group.metadata.name) for group in groups if group.spec.role == "ControlPlane"]


# -- planning -------------------------------------------------------------------------------------------------------


def _plan(store: ClusterStore, wanted: WantedCluster, create: bool, problems: list[FieldError]) -> list[StoredChange]:
    stored = store.find_cluster()
    cluster = wanted.cluster or stored
    if cluster is None:
        problems.append(FieldError("NotFound", "", f"there is no cluster {store.name} in {store.path}"))
        return []
    planned = []
    if wanted.cluster is not None:
        planned += _plan_cluster(store, wanted.cluster, stored, create, problems)
    groups = {group.metadata.name: group for group in store.read_groups()} if wanted.groups and stored else {}
    for group in wanted.groups:
        planned += _plan_group(store, group, groups.get(group.metadata.name), cluster, create, problems)
    known = {fingerprint(key) for key in store.ssh_public_keys.list()} if wanted.ssh_public_keys else set()
    for key in wanted.ssh_public_keys:
        if fingerprint(key) not in known:
            planned.append(StoredChange(store.name, "SSHCredential", fingerprint(key), "create", after=f"{key}\n"))
    if wanted.additional_objects is not None:
        planned += _plan_additional(store, wanted.additional_objects, problems)
    return planned


def _plan_cluster(
    store: ClusterStore, wanted: Cluster, stored: Cluster | None, create: bool, problems: list[FieldError]
) -> list[StoredChange]:
    flags = parse_feature_flags(os.environ.get("KOPS_FEATURE_FLAGS", ""))
    filled = with_base(wanted, store.path.path)
    if stored is None:
        if not create:
            problems.append(_must_be_forced("cluster", store.name))
        problems += validate_cluster(filled, strict=False, feature_flags=flags)
        return [StoredChange(store.name, "Cluster", store.name, "create", after=manifest.dump(revised(wanted, None)))]
    after = revised(filled, stored)
    if not differ(after, stored):
        return []
    completed = store.completed()
    # Etcd clusters of a cluster that was updated once exist, and cannot be changed as freely.
    running = [str(etcd.name) for etcd in completed.spec.etcd_clusters] if completed else []
    problems += validate_cluster_update(filled, stored, running, feature_flags=flags)
    before_text, after_text = manifest.dump(stored), manifest.dump(after)
    return [StoredChange(store.name, "Cluster", store.name, "update", before_text, after_text)]


def _plan_group(
    store: ClusterStore,
    wanted: InstanceGroup,
    stored: InstanceGroup | None,
    cluster: Cluster,
    create: bool,
    problems: list[FieldError],
) -> list[StoredChange]:
    name = str(wanted.metadata.name)
    if stored is None and not create:
        problems.append(_must_be_forced("instance group", name))
    after = revised(labelled(wanted, store.name), stored)
    if stored is not None and not differ(after, stored):
        return []
    found = validate_instance_group(wanted, None, False, cloud=provider_name(cluster))
    problems += [
        FieldError(each.type, each.path, f"instance group {name}: {each.message}", each.value) for each in found
    ]
    before = manifest.dump(stored) if stored else ""
    action = "update" if stored else "create"
    return [StoredChange(store.name, "InstanceGroup", name, action, before, manifest.dump(after))]


def _plan_additional(store: ClusterStore, wanted: Sequence[Any], problems: list[FieldError]) -> list[StoredChange]:
    stored = store.additional_objects()
    if [each.data for each in stored] == [each.data for each in wanted]:
        return []
    problems += validate_additional_objects([each.data for each in wanted])
    before, after = manifest.dump_all(stored), manifest.dump_all(wanted)
    return [StoredChange(store.name, "additional objects", "default", "update" if stored else "create", before, after)]


def _must_be_forced(kind: str, name: str) -> FieldError:
    return FieldError("NotFound", "", f"the {kind} {name} does not exist; set force to create it")


def _write(store: ClusterStore, wanted: WantedCluster) -> None:
    for group in wanted.groups:
        store.write_group(group)
    known = {fingerprint(key) for key in store.ssh_public_keys.list()} if wanted.ssh_public_keys else set()
    for key in wanted.ssh_public_keys:
        if fingerprint(key) not in known:
            store.ssh_public_keys.add(key)
    if wanted.additional_objects is not None:
        store.write_additional_objects(wanted.additional_objects)
    if wanted.cluster is not None:
        # Last, because a cluster exists from the moment that this is written.
        store.write_cluster(wanted.cluster)
