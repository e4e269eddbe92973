# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan for storing manifests: the changes, and all problems that forbid them. It only reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api import manifest
from ...api.additional import AdditionalObject
from ...api.clouds import AWS, cloud_of
from ...api.cluster import Cluster
from ...api.differing import differing, without_store_keys
from ...api.instance_group import InstanceGroup
from ...api.meta import ObjectMeta
from ...api.origin import located
from ...api.ssh_credential import SSHCredential, SSHCredentialSpec
from ...api.validation.entry import (
    cross_validate_instance_group,
    of_group,
    validate_additional_objects,
    validate_cluster,
    validate_cluster_update,
    validate_location,
)
from ...api.validation.names import validate_instance_group_name
from ...api.validation.update import MEMBERS_STAY, has_lasting_members, listed_members
from ...base.errors import FieldError
from ...base.options import named
from ...base.outcome import Difference
from ...completion.settings import parse_feature_flags
from ...engine.plan_data import Action, Entry, entry_of
from ...statestore.objects import LABEL_CLUSTER, differ, labelled, revised, with_base
from ...statestore.ssh_keys import fingerprint, problem_for
from ...statestore.store import ClusterStore
from ..metal.network import problems_of_network
from ..refused import refused
from ..update.node_stores import problems_of_stores
from ..versions.supported import problems_of_channel, problems_of_version
from .manifests import WantedCluster, kind_of, name_of


@dataclass(frozen=True)
class StoredChange:
    """One object that was written or removed, or would be. before, after: the object; None if it does not exist."""

    cluster: str
    kind: str
    name: str
    before: Any = None
    after: Any = None

    @property
    def action(self) -> Action:
        """What is done with it."""
        if self.before is None:
            return Action.CREATE
        return Action.DELETE if self.after is None else Action.UPDATE

    def entry(self) -> Entry:
        """The object's entry in a plan: the fields that differ, by their paths in the manifest."""
        was, now = (without_store_keys(manifest.to_data(each)) if each else None for each in (self.before, self.after))
        found = list(differing(was, now))
        return entry_of(
            self.kind,
            self.name,
            self.action,
            {path: old for path, old, _new in found} if self.before else {},
            {path: new for path, _old, new in found} if self.after else {},
            task=f"{self.cluster}/{self.kind}/{self.name}",
        )

    def difference(self) -> Difference:
        """The object's manifest before and after."""
        texts = (manifest.dump(each) if each else "" for each in (self.before, self.after))
        return Difference(f"{self.cluster}: {self.kind}/{self.name}", *texts)


@dataclass(frozen=True)
class Stored:
    """What a store says of a cluster. Without the cluster, groups are what a creation left that broke off."""

    cluster: Cluster | None
    groups: list[InstanceGroup]


# What is wanted of one cluster, given what is stored of it.
Wanted = Callable[[Stored], WantedCluster]


@dataclass
class StorePlan:
    """What would change in the store of one cluster.

    writes: what is to be written, and nothing that is stored already. obsolete: names of groups to remove.
    objects: the Cluster, all its InstanceGroups, new SSHCredentials and the additional objects, as they would be then.
    """

    writes: WantedCluster
    obsolete: list[str] = field(default_factory=list)
    changes: list[StoredChange] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)


def plan_store(store: ClusterStore, asked: Wanted, create: bool, problems: list[FieldError]) -> StorePlan:
    """Compare what is wanted with what is stored. What is not allowed is appended to problems.

    create: objects that the store does not have would be created; without it they are a problem.
    """
    stored = Stored(store.find_cluster(), store.read_groups())
    wanted, plan = asked(stored), StorePlan(WantedCluster(store.name))
    after = wanted.cluster or stored.cluster
    if after is None:
        problems.append(FieldError("NotFound", "", f"there is no cluster {store.name} in {store.path}"))
        return plan
    cluster = after
    problems += located(store.foreign_places(cluster), [cluster])
    if wanted.cluster is not None:
        after, changes = _plan_cluster(store, wanted.cluster, stored.cluster, create, problems)
        plan.changes += changes
        plan.writes.cluster = wanted.cluster if changes else None
    groups = {str(group.metadata.name): group for group in stored.groups}
    if stored.cluster is None:
        plan.obsolete = sorted(groups.keys() - {group.metadata.name for group in wanted.groups})
        groups = {}
    for group in wanted.groups:
        name = str(group.metadata.name)
        groups[name], changes = _plan_group(store, group, groups.get(name), cluster, create, problems)
        plan.changes += changes
        plan.writes.groups += [group] if changes else []
    removed, found = _plan_removal(store, cluster, groups, wanted.removed)
    problems += found
    plan.changes += removed
    plan.obsolete += [each.name for each in removed]
    problems += _refused(after, groups, plan)
    plan.objects = [after, *(groups[name] for name in sorted(groups) if name not in plan.obsolete)]
    # Where a cluster keeps its keys, its specification says: one that is not stored has none.
    compared = bool(stored.cluster and wanted.ssh_public_keys)
    known = {fingerprint(key) for key in store.ssh_public_keys.list()} if compared else set()
    for key in wanted.ssh_public_keys:
        if fingerprint(key) not in known:
            message = problem_for(cloud_of(cluster), key)
            problems += [FieldError("Invalid", "spec.publicKey", f"SSHCredential: {message}")] if message else []
            plan.writes.ssh_public_keys.append(key)
            credential = ssh_credential(store.name, key)
            plan.changes += creations(store.name, [credential])
            plan.objects.append(credential)
    additional = store.additional_objects()
    if wanted.additional_objects is not None:
        changes = _plan_additional(store, additional, wanted.additional_objects, problems)
        plan.changes += changes
        plan.writes.additional_objects = wanted.additional_objects if changes else None
        additional = wanted.additional_objects
    if plan.changes:
        problems += problems_of_network(cluster)
        problems += located(problems_of_stores(cluster, store.path.path), [cluster])
    plan.objects += additional
    return plan


def _refused(cluster: Cluster, groups: Mapping[str, InstanceGroup], plan: StorePlan) -> list[FieldError]:
    """What nodes and the cloud would refuse of what changes: of all groups, where the cluster does."""
    changed = {change.name for change in plan.changes if change.kind == "InstanceGroup" and change.after}
    if plan.writes.cluster is None and not changed:
        return []
    looked_at = groups if plan.writes.cluster is not None else {name: groups[name] for name in changed}
    given = {str(group.metadata.name): group for group in plan.writes.groups}
    cluster_read = plan.writes.cluster or cluster
    found = refused(cluster, list(looked_at.values()))
    return located(found, [cluster_read, *given.values()])


def ssh_credential(cluster_name: str, public_key: str) -> SSHCredential:
    """An SSH public key as a manifest has it; kops keeps the first key of a cluster under this name."""
    return SSHCredential(
        ObjectMeta(name="admin", labels={LABEL_CLUSTER: cluster_name}), SSHCredentialSpec(public_key=public_key)
    )


def creations(cluster_name: str, objects: Iterable[Any]) -> list[StoredChange]:
    """The changes that store objects of a cluster for the first time."""
    return [StoredChange(cluster_name, kind_of(each), name_of(each), after=each) for each in objects]


def _plan_cluster(
    store: ClusterStore, wanted: Cluster, stored: Cluster | None, create: bool, problems: list[FieldError]
) -> tuple[Cluster, list[StoredChange]]:
    flags = parse_feature_flags(os.environ.get("KOPS_FEATURE_FLAGS", ""))
    filled = with_base(wanted, store.path.path)
    if stored is None:
        if not create:
            problems.append(_must_be_forced("cluster", store.name))
        found = validate_cluster(filled, strict=False, feature_flags=flags)
        problems += located([*found, *problems_of_version(filled), *problems_of_channel(filled)], [filled])
        problems += _several_regions(filled)
        created = revised(wanted, None)
        return created, creations(store.name, [created])
    after = revised(filled, stored)
    if not differ(after, stored):
        return stored, []
    problems += _several_regions(filled)
    if after.spec.kubernetes_version != stored.spec.kubernetes_version:
        problems += located(problems_of_version(filled), [filled])
    if after.spec.channel != stored.spec.channel:
        problems += located(problems_of_channel(filled), [filled])
    completed = store.completed() or (stored if store.broken else None)
    # Etcd clusters of a cluster that was updated once exist, and cannot be changed as freely.
    running = [str(etcd.name) for etcd in completed.spec.etcd_clusters] if completed else []
    problems += located(validate_cluster_update(filled, stored, running, feature_flags=flags), [filled])
    return after, [StoredChange(store.name, "Cluster", store.name, stored, after)]


def _several_regions(cluster: Cluster) -> list[FieldError]:
    """Zones that cannot be of one region. Which zones there are, the cloud is asked when the cluster is updated."""
    return located(validate_location(cluster), [cluster]) if cloud_of(cluster) is AWS else []


def _plan_group(
    store: ClusterStore,
    wanted: InstanceGroup,
    stored: InstanceGroup | None,
    cluster: Cluster,
    create: bool,
    problems: list[FieldError],
) -> tuple[InstanceGroup, list[StoredChange]]:
    name = str(wanted.metadata.name)
    if stored is None and not create:
        problems.append(_must_be_forced("instance group", name))
    after = revised(labelled(wanted, store.name), stored)
    if stored is not None and not differ(after, stored):
        return stored, []
    # kops' replace leaves what needs the cluster to the update; here a wrong subnet is known at once.
    found = cross_validate_instance_group(wanted, cluster)
    if stored is None:
        found = [*validate_instance_group_name(name, "metadata.name"), *found]
    problems += located([of_group(each, wanted) for each in found], [wanted])
    return after, [StoredChange(store.name, "InstanceGroup", name, stored, after)]


def _plan_removal(
    store: ClusterStore, cluster: Cluster, groups: Mapping[str, InstanceGroup], names: Collection[str]
) -> tuple[list[StoredChange], list[FieldError]]:
    """The removal of the groups of these names, and what forbids it. cluster, groups: as they would be stored."""
    going = [group for name, group in sorted(groups.items()) if name in names]
    staying = [group for name, group in groups.items() if name not in names]
    forbidden = _etcd_members(store, cluster, {str(group.metadata.name) for group in going})
    if _control_planes(going) and not _control_planes(staying):
        last = ", ".join(_control_planes(going))
        forbidden.insert(0, f"{last} is all that cluster {store.name} has of a control plane")
    changes = [StoredChange(store.name, "InstanceGroup", str(group.metadata.name), before=group) for group in going]
    return changes, [FieldError("Forbidden", "", message) for message in forbidden]


def _control_planes(groups: Iterable[InstanceGroup]) -> list[str]:
    return [str(group.metadata.name) for group in groups if group.spec.role == "ControlPlane"]


def _etcd_members(store: ClusterStore, cluster: Cluster, groups: Collection[str]) -> list[str]:
    """What keeps these groups: members of etcd clusters."""
    held = {
        str(etcd.name): [str(member.name) for member in etcd.etcd_members if member.instance_group in groups]
        for etcd in cluster.spec.etcd_clusters
    }
    if any(held.values()) and has_lasting_members(cluster) and (store.completed() or store.broken):
        kept = {str(member.instance_group) for etcd in cluster.spec.etcd_clusters for member in etcd.etcd_members}
        names = ", ".join(sorted(kept.intersection(groups)))
        return [f"{names}: etcd members cannot be removed ({listed_members(held)}): {MEMBERS_STAY}"]
    return [
        f"instance group {member.instance_group} holds member {member.name} of etcd cluster {etcd.name}:"
        " remove the member from spec.etcdClusters first"
        for etcd in cluster.spec.etcd_clusters
        for member in etcd.etcd_members
        if member.instance_group in groups
    ]


def _plan_additional(
    store: ClusterStore, stored: Sequence[Any], wanted: Sequence[Any], problems: list[FieldError]
) -> list[StoredChange]:
    if [each.data for each in stored] == [each.data for each in wanted]:
        return []
    problems += validate_additional_objects([each.data for each in wanted])
    before, after = ({_identity(each): each for each in objects} for objects in (stored, wanted))
    return [
        StoredChange(store.name, kind, name, before.get(key), after.get(key))
        for key in sorted({*before, *after})
        for kind, _namespace, name in [key]
        if key not in before or key not in after or before[key].data != after[key].data
    ]


def _identity(found: AdditionalObject) -> tuple[str, str, str]:
    return found.kind, str((found.data.get("metadata") or {}).get("namespace") or ""), found.name


def _must_be_forced(kind: str, name: str) -> FieldError:
    return FieldError("NotFound", "", f"the {kind} {name} does not exist; to create it, set {named('force')}")
