# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters and instance groups in the state store: written from manifests, and removed. The cloud is left alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api import manifest
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.validation.entry import raise_for
from ...base.errors import FieldError, KopsError
from ...statestore.leases import Lease
from ...statestore.store import ClusterStore, StateStore
from .manifests import WantedCluster
from .plan import StoredChange, Wanted, plan_store


@dataclass(frozen=True)
class StoreOptions:
    """Which store, and how to get the right to write. See statestore.leases.Lease for the last two."""

    state_store: str
    lease_wait: float | None = None
    break_lease: bool = False


@dataclass
class StoreResult:
    """What was done, or in check mode would be.

    warnings: what was found and is not understood. objects: all that the store says then of the clusters.
    """

    changes: list[StoredChange] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)


def put(
    options: StoreOptions, wanted: Sequence[WantedCluster], *, create: bool = True, check: bool = False
) -> StoreResult:
    """Make the store say what manifests say; objects that they do not name stay as they are.

    create: objects that the store does not have are created; without it they are an error, as in kops replace.
    Everything is validated before anything is written: ValidationError has all problems of all objects.
    """
    return change(options, {each.name: _whatever_is_stored(each) for each in wanted}, create=create, check=check)


def _whatever_is_stored(wanted: WantedCluster) -> Wanted:
    return lambda stored: wanted


def change(
    options: StoreOptions, wanted: Mapping[str, Wanted], *, create: bool = True, check: bool = False
) -> StoreResult:
    """Make the store say what is wanted of each cluster, by name. See put()."""
    root = StateStore(options.state_store)
    stores = {root.cluster(name): each for name, each in wanted.items()}
    leases = {store: _lease(store, "store manifests", options) for store in stores}
    problems: list[FieldError] = []
    subject = f"cluster {', '.join(wanted)}"
    for lease in [] if check else leases.values():
        lease.look()
    plans = {store: plan_store(store, each, create, problems) for store, each in stores.items()}
    raise_for(problems, subject)
    for store, lease in [] if check else leases.items():
        if not plans[store].changes:
            store.renew_group_copy()
            continue
        with store.holding(lease):
            if not lease.undisturbed:
                # Another process may have written since; what counts is what is there now.
                plans[store] = plan_store(store, stores[store], create, problems)
                raise_for(problems, subject)
            write(store, plans[store].writes, plans[store].obsolete)
    return StoreResult(
        changes=[change for plan in plans.values() for change in plan.changes],
        warnings=list(dict.fromkeys(warning for store in stores for warning in store.warnings)),
        objects=[found for plan in plans.values() for found in plan.objects],
    )


def _lease(store: ClusterStore, operation: str, options: StoreOptions) -> Lease:
    return store.lease_for(operation, wait=options.lease_wait, break_existing=options.break_lease)


def write(store: ClusterStore, wanted: WantedCluster, obsolete: Iterable[str] = ()) -> None:
    """Write what manifests say of a cluster, and remove obsolete groups, under a lease.

    Broken off anywhere, it can be started again: a cluster exists from the moment that its specification is written,
    which may place keys elsewhere, so these follow.
    """
    for name in obsolete:
        store.remove_group(name)
    for group in wanted.groups:
        store.write_group(group)
    if wanted.additional_objects is not None:
        store.write_additional_objects(wanted.additional_objects)
    if wanted.cluster is not None:
        store.write_cluster(wanted.cluster)
    for key in wanted.ssh_public_keys:
        store.ssh_public_keys.add(key)


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
        with store.holding(_lease(store, "remove cluster", options)):
            store.remove()
    return StoreResult([StoredChange(name, "Cluster", name, "delete", before=manifest.dump(cluster))], store.warnings)


def remove_groups(
    options: StoreOptions, cluster_name: str, names: Sequence[str], *, check: bool = False
) -> StoreResult:
    """Remove instance groups from the store.

    The last one of the control plane stays, and those that members of etcd clusters are in (KopsError).
    """
    store = ClusterStore.open(options.state_store, cluster_name)
    lease = _lease(store, "remove instance groups", options)
    if not check:
        lease.look()
    result = StoreResult(_plan_removal(store, names), store.warnings)
    if check or not result.changes:
        return result
    with store.holding(lease):
        if not lease.undisturbed:
            result.changes = _plan_removal(store, names)
        for change in result.changes:
            store.remove_group(change.name)
    return result


def _plan_removal(store: ClusterStore, names: Sequence[str]) -> list[StoredChange]:
    cluster, groups = store.read()
    going = [group for group in groups if group.metadata.name in names]
    staying = [group for group in groups if group.metadata.name not in names]
    if _control_planes(going) and not _control_planes(staying):
        raise KopsError(f"{', '.join(_control_planes(going))} is all that cluster {store.name} has of a control plane")
    members = _etcd_members(cluster, {str(group.metadata.name) for group in going})
    if members:
        raise KopsError(f"{'; '.join(members)}: remove the members from spec.etcdClusters first")
    return [
        StoredChange(store.name, "InstanceGroup", str(group.metadata.name), "delete", before=manifest.dump(group))
        for group in going
    ]


def _control_planes(groups: Sequence[InstanceGroup]) -> list[str]:
    return [str(group.metadata.name) for group in groups if group.spec.role == "ControlPlane"]


def _etcd_members(cluster: Cluster, groups: Collection[str]) -> list[str]:
    """What groups hold of etcd, each as a part of a sentence."""
    return [
        f"instance group {member.instance_group} holds member {member.name} of etcd cluster {etcd.name}"
        for etcd in cluster.spec.etcd_clusters
        for member in etcd.etcd_members
        if member.instance_group in groups
    ]
