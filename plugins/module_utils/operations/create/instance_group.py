# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New instance groups of a stored cluster, by role, zones and subnets: kops create instancegroup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...api.cloud import Cloud
from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.codec import copy
from ...api.instance_group import InstanceGroup, InstanceGroupSpec
from ...api.meta import ObjectMeta
from ...api.origin import unmark
from ...base import labels
from ...base.errors import KopsError
from ...cloud.provider import explaining
from ...completion.filling import fill
from ...completion.group_defaults import default_image, default_machine_type, default_size, default_subnets
from ...statestore.objects import LABEL_CLUSTER
from ...statestore.store import ClusterStore
from ..clouds import open_cloud
from ..group_choice import ROLES, role_named
from ..store.edit import Edit, apply_edit
from ..store.manifests import WantedCluster
from ..store.plan import Stored
from ..store.write import StoreOptions, StoreResult, change
from ..update.desired import settings_of


@dataclass(frozen=True)
class NewGroups:
    """Options of new groups. role: as options write it. zones: give the subnets, where these are in zones."""

    names: Sequence[str]
    role: str
    subnets: Sequence[str] = ()
    zones: Sequence[str] = ()
    edit: Edit = Edit()


# Writes fields of placed groups of a cluster; the names are those of groups that are new.
Shape = Callable[[Cluster, Sequence[InstanceGroup], frozenset[str]], None]


def create_groups(
    options: StoreOptions,
    cluster_name: str,
    given: NewGroups,
    *,
    shape: Shape | None = None,
    check: bool = False,
) -> StoreResult:
    """Store groups with what kops gives a group of the role; of a group that is there, change only what is given.

    Fields are set and unset before the rest gets its defaults, so the image is one for the machine type that is set.
    shape: sets more fields before that.
    Raises KopsError for another role, an unknown zone, and for what cannot be inferred.
    """
    role = ROLES[role_named(given.role)]

    def wanted(stored: Stored) -> WantedCluster:
        if stored.cluster is None:
            raise ClusterStore.open(options.state_store, cluster_name).not_found()
        cluster, present = stored.cluster, {str(group.metadata.name): group for group in stored.groups}
        others = [name for name in given.names if name in present and present[name].spec.role != role]
        if others:
            raise KopsError(f"the role of an instance group cannot change: {', '.join(others)} is no {given.role}")
        groups = [_kept(present[name]) if name in present else _new(name, role, cluster) for name in given.names]
        for group in groups:
            _place(group.spec, cluster, given)
        new = [group for group in groups if group.metadata.name not in present]
        if shape:
            shape(cluster, groups, frozenset(str(group.metadata.name) for group in new))
        apply_edit(given.edit, groups)
        _spread(new, cluster, stored.groups)
        _fill(new, cluster)
        return WantedCluster(cluster_name, groups=groups)

    return change(options, {cluster_name: wanted}, check=check)


def _kept(group: InstanceGroup) -> InstanceGroup:
    made = copy(group)
    unmark(made)
    return made


def _new(name: str, role: str, cluster: Cluster) -> InstanceGroup:
    metadata = ObjectMeta(name=name, labels={LABEL_CLUSTER: str(cluster.metadata.name)})
    return InstanceGroup(
        metadata=metadata, spec=InstanceGroupSpec(role=role, node_labels={labels.INSTANCE_GROUP: name})
    )


def _place(spec: InstanceGroupSpec, cluster: Cluster, given: NewGroups) -> None:
    """Write subnets and zones that are given."""
    if given.subnets:
        spec.subnets = list(given.subnets)
    if not given.zones:
        return
    cloud: Cloud = cloud_of(cluster)
    usual = default_subnets(cluster, InstanceGroup(spec=InstanceGroupSpec(role="Node")))
    if cloud.has_regional_subnets:
        spec.zones = list(given.zones)
        spec.subnets = spec.subnets or usual
    elif not given.subnets:
        spec.subnets = _subnets_in(cluster, usual, given.zones)


def _subnets_in(cluster: Cluster, usual: Sequence[str], zones: Sequence[str]) -> list[str]:
    """Those of the usual subnets that are in some zones. Raises KopsError for zones in which the cluster has none."""
    by_name = {subnet.name: subnet.zone for subnet in cluster.spec.networking.subnets}
    missing = [zone for zone in zones if zone not in {by_name[name] for name in usual}]
    if missing:
        known = ", ".join(sorted({str(by_name[name]) for name in usual}))
        raise KopsError(f"the cluster has no subnet for nodes in {', '.join(missing)}; it has them in {known}")
    return [name for name in usual if by_name[name] in zones]


def _spread(groups: Sequence[InstanceGroup], cluster: Cluster, present: Sequence[InstanceGroup]) -> None:
    """Where subnets are no zones, a group without zones gets all those in which the cluster has instances.

    Not one of control planes: members of etcd belong to single zones.
    """
    if cloud_of(cluster).has_regional_subnets:
        zones = sorted({zone for group in present for zone in group.spec.zones or ()})
        for group in groups:
            if group.spec.role != ROLES["control-plane"]:
                group.spec.zones = group.spec.zones or zones


def _fill(groups: Sequence[InstanceGroup], cluster: Cluster) -> None:
    """Fill in the remaining fields as kops does. The cloud is asked only if there is a group."""
    if not groups:
        return
    provider, cloud = open_cloud(cluster)
    with explaining(provider):
        facts, settings = provider.facts(cloud, ahead_for=groups), settings_of(cluster)
        for group in groups:
            spec = group.spec
            spec.subnets = spec.subnets or default_subnets(cluster, group)
            if not spec.subnets:
                raise KopsError(f"instance group {group.metadata.name}: give zones or subnets, none can be inferred")
            if not spec.machine_type:
                spec.machine_type = default_machine_type(cluster, group, facts=facts)
            if not spec.image:
                spec.image = default_image(cluster, group, facts=facts, settings=settings)
            size = default_size(group)
            if size is not None:
                _fill_sizes(spec, size)


def _fill_sizes(spec: InstanceGroupSpec, size: int) -> None:
    """Set the size that is not given, so that min_size is never above max_size."""
    smallest, largest = spec.min_size, spec.max_size
    values: dict[str, Any] = {
        "min_size": size if largest is None else min(size, largest),
        "max_size": size if smallest is None else max(size, smallest),
    }
    fill(spec, **values)
