# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups of mixed machine types that meet requirements: kops toolbox instance-selector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup, InstanceRootVolumeSpec, MixedInstancesPolicySpec
from ...base.errors import KopsError
from ...cloud.provider import Provider, explaining
from ...cloud.reads import Reads
from ...cloud.type_selection import FIRST_RATIO, OfferedType, Requirements, Span, flexible, like_base, matching
from ...completion.group_defaults import default_subnets, group_zones
from ..clouds import open_cloud
from ..store.write import StoreOptions, StoreResult
from .instance_group import NewGroups, create_groups

# Sizes of a new group.
MIN_SIZE, MAX_SIZE = 1, 10
ARCHITECTURE = "amd64"
NO_GPU = Span(0, 0)
SPOT = "spot"
# The tags by which the cluster autoscaler finds groups; the second one is followed by the cluster's name.
AUTOSCALED, AUTOSCALED_OF = "k8s.io/cluster-autoscaler/enabled", "k8s.io/cluster-autoscaler/"


@dataclass(frozen=True)
class SelectedGroups:
    """Groups for nodes, and what their machine types must have.

    name: of the group; of several groups, what their names begin with. count: groups; None for one, without a number.
    base_type: a machine type that others must resemble. flexible: usual types where nothing else is required.
    most: machine types of a group. None of the rest means that a new group gets the default, and a stored one keeps
    what it has.
    """

    name: str
    requirements: Requirements
    base_type: str = ""
    flexible: bool = False
    most: int = 20
    count: int | None = None
    subnets: Sequence[str] = ()
    min_size: int | None = None
    max_size: int | None = None
    volume_size: int | None = None
    security_groups: Sequence[str] = ()
    autoscaled: bool | None = None

    @property
    def names(self) -> list[str]:
        """Names of the machine types of all groups."""
        return [self.name] if self.count in (None, 1) else [f"{self.name}{each + 1}" for each in range(self.count or 0)]


@dataclass
class Selection:
    """Chosen machine types, by name of the group. left_out: how many more would have met the requirements."""

    types: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)


def create_selected_groups(
    options: StoreOptions, cluster_name: str, given: SelectedGroups, *, check: bool = False
) -> tuple[StoreResult, Selection]:
    """Store groups with the machine types that all their zones offer and that meet the requirements.

    A group that is there gets the types that are found now; of the rest, only what is given is changed.
    Raises KopsError if too few types meet them, and as create_groups does.
    """
    found = Selection()

    def shape(cluster: Cluster, groups: Sequence[InstanceGroup], new: frozenset[str]) -> None:
        for group in groups:
            group.spec.subnets = group.spec.subnets or default_subnets(cluster, group)
        if not found.types:
            _select(cluster, groups, given, found)
        for group in groups:
            name = str(group.metadata.name)
            _write_types(group, found.types[name], given.requirements.usage_class)
            _write_given(group, given, new=name in new)
            if given.autoscaled is not None or name in new:
                _tag(group, cluster, autoscaled=given.autoscaled is not False)

    groups = NewGroups(given.names, "node", given.subnets)
    result = create_groups(options, cluster_name, groups, shape=shape, check=check)
    for name, more in found.left_out.items():
        what = f"{more} more machine types meet the requirements; the first {given.most} by name are taken"
        result.warnings.append(f"instance group {name}: {what}")
    return result, found


def _select(cluster: Cluster, groups: Sequence[InstanceGroup], given: SelectedGroups, found: Selection) -> None:
    provider, cloud = open_cloud(cluster)
    with explaining(provider):
        wanted = _requirements(provider, cloud, given)
        types = provider.machine_types(cloud, wanted)
        meeting = [matching(types, _of_group(wanted, number)) for number in range(len(groups))]
        offered = provider.zones_of_types(cloud, sorted({name for names in meeting for name in names}))
    for group, names in zip(groups, meeting):
        zones = group_zones(cluster, group)
        _note(group, [name for name in names if offered.get(name, set()).issuperset(zones)], zones, given, found)


def _of_group(wanted: Requirements, number: int) -> Requirements:
    """Machine types of the first group, of the second one and so on."""
    return wanted if wanted.ratio is None else replace(wanted, ratio=wanted.ratio * 2**number)


def _note(
    group: InstanceGroup, names: Sequence[str], zones: Sequence[str], given: SelectedGroups, found: Selection
) -> None:
    name = str(group.metadata.name)
    if not names:
        raise KopsError(
            f"instance group {name}: no machine type that {' and '.join(zones)} offer meets all requirements;"
            " require less, or choose other subnets"
        )
    found.types[name] = list(names[: given.most])
    if len(names) > given.most:
        found.left_out[name] = len(names) - given.most


def _requirements(provider: Provider[Any], cloud: Reads, given: SelectedGroups) -> Requirements:
    """Requirements of the first group."""
    wanted = given.requirements
    if given.base_type:
        base = _base_type(provider, cloud, given.base_type)
        wanted = like_base(wanted, base)
        if wanted.architecture is None:
            wanted = replace(wanted, architecture=next(iter(base.described.architectures), None))
    if given.flexible:
        wanted = flexible(wanted)
    if wanted.ratio is None and (given.flexible or given.count is not None):
        wanted = replace(wanted, ratio=FIRST_RATIO)
    if wanted.gpus is None and wanted.gpu_memory_mib is None:
        # A group has machines with a GPU, or without one.
        wanted = replace(wanted, gpus=NO_GPU)
    return replace(wanted, architecture=wanted.architecture or ARCHITECTURE)


def _base_type(provider: Provider[Any], cloud: Reads, name: str) -> OfferedType:
    for found in provider.machine_types(cloud, Requirements(), [name]):
        return found
    raise KopsError(f"the region has no machine type {name}")


def _write_types(group: InstanceGroup, types: list[str], usage_class: str | None) -> None:
    policy = MixedInstancesPolicySpec(instances=list(types))
    if usage_class == SPOT:
        policy.on_demand_base = policy.on_demand_above_base = 0
        policy.spot_allocation_strategy = "capacity-optimized"
    group.spec.machine_type, group.spec.mixed_instances_policy = types[0], policy


def _write_given(group: InstanceGroup, given: SelectedGroups, *, new: bool) -> None:
    spec = group.spec
    smallest, largest = (given.min_size, given.max_size)
    if new:
        smallest = MIN_SIZE if smallest is None else smallest
        largest = max(MAX_SIZE, smallest) if largest is None else largest
    spec.min_size = spec.min_size if smallest is None else smallest
    spec.max_size = spec.max_size if largest is None else largest
    if given.volume_size is not None:
        spec.root_volume = spec.root_volume or InstanceRootVolumeSpec()
        spec.root_volume.size = given.volume_size
    if given.security_groups:
        spec.additional_security_groups = list(given.security_groups)


def _tag(group: InstanceGroup, cluster: Cluster, *, autoscaled: bool) -> None:
    for tag in (AUTOSCALED, f"{AUTOSCALED_OF}{cluster.metadata.name}"):
        if autoscaled:
            group.spec.cloud_labels[tag] = "1"
        else:
            group.spec.cloud_labels.pop(tag, None)
