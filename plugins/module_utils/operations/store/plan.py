# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What storing manifests would change: found by reading only, with all that stands in the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api import manifest
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.meta import ObjectMeta
from ...api.ssh_credential import SSHCredential, SSHCredentialSpec
from ...api.validation.entry import (
    cross_validate_instance_group,
    validate_additional_objects,
    validate_cluster,
    validate_cluster_update,
)
from ...api.validation.names import validate_instance_group_name
from ...base.errors import FieldError
from ...completion.settings import parse_feature_flags
from ...statestore.objects import LABEL_CLUSTER, differ, labelled, revised, with_base
from ...statestore.ssh_keys import fingerprint
from ...statestore.store import ClusterStore
from .manifests import WantedCluster


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
    plan.objects = [after, *(groups[name] for name in sorted(groups))]
    # Where a cluster keeps its keys, its specification says: one that is not stored has none.
    compared = bool(stored.cluster and wanted.ssh_public_keys)
    known = {fingerprint(key) for key in store.ssh_public_keys.list()} if compared else set()
    for key in wanted.ssh_public_keys:
        if fingerprint(key) not in known:
            plan.writes.ssh_public_keys.append(key)
            plan.changes.append(StoredChange(store.name, "SSHCredential", fingerprint(key), "create", after=f"{key}\n"))
            plan.objects.append(ssh_credential(store.name, key))
    additional = store.additional_objects()
    if wanted.additional_objects is not None:
        changes = _plan_additional(store, additional, wanted.additional_objects, problems)
        plan.changes += changes
        plan.writes.additional_objects = wanted.additional_objects if changes else None
        additional = wanted.additional_objects
    plan.objects += additional
    return plan


def ssh_credential(cluster_name: str, public_key: str) -> SSHCredential:
    """An SSH public key as a manifest has it; kops keeps the first key of a cluster under this name."""
    return SSHCredential(
        ObjectMeta(name="admin", labels={LABEL_CLUSTER: cluster_name}), SSHCredentialSpec(public_key=public_key)
    )


def _plan_cluster(
    store: ClusterStore, wanted: Cluster, stored: Cluster | None, create: bool, problems: list[FieldError]
) -> tuple[Cluster, list[StoredChange]]:
    flags = parse_feature_flags(os.environ.get("KOPS_FEATURE_FLAGS", ""))
    filled = with_base(wanted, store.path.path)
    if stored is None:
        if not create:
            problems.append(_must_be_forced("cluster", store.name))
        problems += validate_cluster(filled, strict=False, feature_flags=flags)
        created = revised(wanted, None)
        return created, [StoredChange(store.name, "Cluster", store.name, "create", after=manifest.dump(created))]
    after = revised(filled, stored)
    if not differ(after, stored):
        return stored, []
    completed = store.completed()
    # Etcd clusters of a cluster that was updated once exist, and cannot be changed as freely.
    running = [str(etcd.name) for etcd in completed.spec.etcd_clusters] if completed else []
    problems += validate_cluster_update(filled, stored, running, feature_flags=flags)
    before_text, after_text = manifest.dump(stored), manifest.dump(after)
    return after, [StoredChange(store.name, "Cluster", store.name, "update", before_text, after_text)]


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
    problems += [
        FieldError(each.type, each.path, f"instance group {name}: {each.message}", each.value) for each in found
    ]
    before = manifest.dump(stored) if stored else ""
    action = "update" if stored else "create"
    return after, [StoredChange(store.name, "InstanceGroup", name, action, before, manifest.dump(after))]


def _plan_additional(
    store: ClusterStore, stored: Sequence[Any], wanted: Sequence[Any], problems: list[FieldError]
) -> list[StoredChange]:
    if [each.data for each in stored] == [each.data for each in wanted]:
        return []
    problems += validate_additional_objects([each.data for each in wanted])
    before, after = manifest.dump_all(stored), manifest.dump_all(wanted)
    return [StoredChange(store.name, "additional objects", "default", "update" if stored else "create", before, after)]


def _must_be_forced(kind: str, name: str) -> FieldError:
    return FieldError("NotFound", "", f"the {kind} {name} does not exist; set force to create it")
