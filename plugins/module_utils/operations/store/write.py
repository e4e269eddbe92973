# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters and instance groups in the state store: written from manifests, and removed. The cloud is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...api.instance_group import InstanceGroup
from ...api.manifest import dump_all
from ...api.validation.entry import raise_for
from ...api.without_effect import warnings_of
from ...base.errors import FieldError
from ...engine.plan_data import Entry
from ...engine.plan_text import plan_values
from ...statestore.leases import Lease
from ...statestore.objects import LABEL_CLUSTER
from ...statestore.ssh_keys import fingerprint
from ...statestore.store import ClusterStore, StateStore
from ..progress import Progress, silent
from .manifests import WantedCluster
from .plan import Stored, StoredChange, Wanted, plan_store


@dataclass(frozen=True)
class StoreOptions:
    """Which store, and how to get the right to write. See statestore.leases.Lease for lease_wait and break_lease.

    progress: gets a line for each object that is written. adopt: names of what is taken over from other clusters.
    """

    state_store: str
    lease_wait: float | None = None
    break_lease: bool = False
    adopt: Sequence[str] = ()
    progress: Progress = silent


@dataclass
class StoreResult:
    """What was done, or in check mode would be.

    warnings: what was found and is not understood. objects: all that the store says then of the clusters.
    unnamed: instance groups that the store has beside those of manifests of whole clusters, which kops_prune removes.
    """

    changes: list[StoredChange] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)

    def as_values(self) -> dict[str, Any]:
        """The plan, its text and its summary, as modules return them."""
        return plan_values(self.entries())

    def entries(self) -> list[Entry]:
        """The entries of its plan. With several clusters each says which one it is about."""
        several = len({change.cluster for change in self.changes}) > 1
        return [
            {**change.entry(), "reason": f"cluster {change.cluster}"} if several else change.entry()
            for change in self.changes
        ]


def put(
    options: StoreOptions,
    wanted: Sequence[WantedCluster],
    *,
    create: bool = True,
    prune: bool = False,
    check: bool = False,
) -> StoreResult:
    """Make the store say what manifests say; objects that they do not name stay as they are.

    create: objects that the store does not have are created; without it they are an error, as in kops replace.
    prune: instance groups that the manifests do not name are removed.
    Everything is validated before anything is written: ValidationError has all problems of all objects.
    """
    result = change(options, {each.name: _wanted(each, prune) for each in wanted}, create=create, check=check)
    result.unnamed = list(_unnamed(wanted, result.objects))
    return result


def _unnamed(wanted: Sequence[WantedCluster], objects: Sequence[Any]) -> Iterator[str]:
    """Instance groups of the store that manifests with their Cluster do not name. Single groups may be given alone."""
    for given in wanted:
        named = {str(group.metadata.name) for group in given.groups}
        for each in objects if given.cluster is not None else ():
            of_cluster = (
                isinstance(each, InstanceGroup) and (each.metadata.labels or {}).get(LABEL_CLUSTER) == given.name
            )
            if of_cluster and each.metadata.name not in named:
                yield str(each.metadata.name)


def would_be_stored(options: StoreOptions, wanted: Sequence[WantedCluster]) -> str:
    """Manifests of the clusters as the store would have them, as one YAML text. It only reads."""
    return dump_all(put(options, wanted, check=True).objects)


def _wanted(given: WantedCluster, prune: bool) -> Wanted:
    def wanted(stored: Stored) -> WantedCluster:
        names, kept = ({str(group.metadata.name) for group in groups} for groups in (stored.groups, given.groups))
        return replace(given, removed=names - kept) if prune and stored.cluster else given

    return wanted


def change(
    options: StoreOptions, wanted: Mapping[str, Wanted], *, create: bool = True, check: bool = False
) -> StoreResult:
    """Make the store say what is wanted of each cluster, by name. See put()."""
    root = StateStore(options.state_store)
    stores = {root.cluster(name, adopt=options.adopt): each for name, each in wanted.items()}
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
            write(store, plans[store].writes, plans[store].obsolete, options.progress)
    objects = [found for plan in plans.values() for found in plan.objects]
    warnings = [warning for store in stores for warning in (*store.takeovers, *store.warnings)] + warnings_of(objects)
    return StoreResult(
        changes=[change for plan in plans.values() for change in plan.changes],
        warnings=[*dict.fromkeys(warnings), *root.root.advice()],
        objects=objects,
    )


def _lease(store: ClusterStore, operation: str, options: StoreOptions) -> Lease:
    return store.lease_for(operation, wait=options.lease_wait, break_existing=options.break_lease)


def write(
    store: ClusterStore, wanted: WantedCluster, obsolete: Iterable[str] = (), progress: Progress = silent
) -> None:
    """Write what manifests say of a cluster, and remove obsolete groups, under a lease.

    Broken off anywhere, it can be started again: a cluster exists from the moment that its specification is written,
    which may place keys elsewhere, so these follow.
    """
    steps = list(_steps(store, wanted, obsolete))
    for number, (told, step) in enumerate(steps, 1):
        step()
        progress(f"[{number}/{len(steps)}] {told}")


def _steps(
    store: ClusterStore, wanted: WantedCluster, obsolete: Iterable[str]
) -> Iterator[tuple[str, Callable[[], object]]]:
    for name in obsolete:
        yield f"removed InstanceGroup/{name} from the state store", partial(store.remove_group, name)
    for group in wanted.groups:
        yield f"stored InstanceGroup/{group.metadata.name}", partial(store.write_group, group)
    if wanted.additional_objects is not None:
        yield "stored additional objects", partial(store.write_additional_objects, wanted.additional_objects)
    if wanted.cluster is not None:
        yield f"stored Cluster/{store.name}", partial(store.write_cluster, wanted.cluster)
    for key in wanted.ssh_public_keys:
        yield f"stored SSHCredential/{fingerprint(key)}", partial(_add_key, store, key)


def _add_key(store: ClusterStore, key: str) -> None:
    # Where keys are kept, the cluster says, which is written just before.
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
    return StoreResult([StoredChange(name, "Cluster", name, before=cluster)], store.warnings)


def remove_groups(
    options: StoreOptions, cluster_name: str, names: Sequence[str], *, check: bool = False
) -> StoreResult:
    """Remove instance groups from the store; one that is not there is no change.

    The last one of the control plane stays, and those that members of etcd clusters are in (ValidationError).
    """

    def wanted(stored: Stored) -> WantedCluster:
        return WantedCluster(cluster_name, removed=names)

    return change(options, {cluster_name: wanted}, create=False, check=check)
