# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances that a user names are drained and terminated, with or without others in their place.

With others it is a rolling update of these instances: UpdateSingleInstance in pkg/instancegroups of kops. kops has no
way to delete one for good.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...api.clouds import cloud_of
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...base.instance_ids import InstanceIds
from ...cloud.instances import DETACHED, SERVING, STRAY, WARM, CloudInstance
from ...completion.group_defaults import sizes
from ...kubernetes.nodes.drain import DrainOptions
from ...statestore.leases import Lease
from ...statestore.store import ClusterStore
from ..group_choice import ROLES
from ..next_steps import DELETE_INSTANCE
from ..ownership import open_own
from ..policy.policy import Policy
from ..progress import Progress
from ..status.instances import role_of_tags
from ..status.validation import CloudExpectation, CloudValidator
from ..store.edit import Edit, edit_groups
from ..store.write import StoreOptions
from .cloud import CloudFleet, RollingUpdate, carried_out, nodes_by_name
from .engine import Options, names_of
from .plan import GroupPlan, Wish, count_of_instances, plan, plan_strays

_REPLACED = "it was named, and another one starts in its place"
_REMOVED = "it was named, and none starts in its place"
_STRAY = "it was named, and belongs to no group"


@dataclass(frozen=True)
class Deletion:
    """What to do. instances: ids, or names of nodes. surge: others start before the first one is drained.

    replaced: whether others start in their place at all; otherwise the groups shrink, in the store and in the cloud.
    lease_wait, break_lease, policy: as of a rolling update.
    """

    state_store: str
    name: str
    instances: Sequence[str]
    api_server: str = ""
    surge: bool = True
    replaced: bool = True
    lease_wait: float | None = None
    break_lease: bool = False
    drain: DrainOptions = field(default_factory=DrainOptions)
    options: Options = field(default_factory=Options)
    policy: Sequence[str] = ()


@dataclass(frozen=True)
class Size:
    """What a group's size will be. smallest, largest: of its specification, None if they stay. fixed: whether the two
    are the same.
    """

    wanted: int
    smallest: int | None = None
    largest: int | None = None
    fixed: bool = False

    @classmethod
    def without(cls, group: InstanceGroup, wanted: int) -> Size:
        """The size for so many instances. A group of a fixed size keeps one."""
        smallest, largest = sizes(group)
        fixed = smallest == largest
        if smallest <= wanted:
            return cls(wanted, fixed=fixed and smallest == wanted)
        return cls(wanted, wanted, wanted if fixed else None, fixed)

    @property
    def edit(self) -> Edit:
        """The fields of the group to set."""
        sizes = {"minSize": self.smallest, "maxSize": self.largest}
        return Edit([f"spec.{name}={size}" for name, size in sizes.items() if size is not None])


class ShrinkingFleet(CloudFleet):
    """Instances that end for good. Each time, the store and the cloud agree on one fewer of their group."""

    def __init__(self, validator: CloudValidator, request: Deletion, lease: Lease | None, tell: Progress) -> None:
        super().__init__(validator, request.drain, lease)
        self.store_options = StoreOptions(request.state_store, progress=tell)
        self.members: dict[str, str] = {}

    def machines(self) -> Mapping[str, Sequence[CloudInstance]]:
        found = super().machines()
        self.members = {each.name: name for name, group in found.items() for each in group}
        return found

    def terminate(self, machine: CloudInstance) -> None:
        if not machine.within or machine.state in (DETACHED, WARM):
            super().terminate(machine)
            return
        self._ensure_lease()
        name, cluster = self.members[machine.name], self.validator.expected.name
        with self._lock:
            _cluster, groups = ClusterStore.open(self.store_options.state_store, cluster).read()
            (group,) = (each for each in groups if each.metadata.name == name)
            size = Size.without(group, self.validator.instances()[name].wanted - 1)
            # The store comes first: if this is all that happens, update_cluster does the rest.
            if size.edit:
                edit_groups(self.store_options, cluster, [name], size.edit)
                self.validator.groups = [
                    replace(each, size=size.smallest or 0) if each.name == name else each
                    for each in self.validator.groups
                ]
            self.validator.ask(self.validator.provider.replacing.remove, machine, size.wanted, size.fixed)


@dataclass(frozen=True)
class PlannedDeletion:
    """A deletion that can be carried out. gone: names of instances that are gone already. sizes: see _sizes_after."""

    update: RollingUpdate
    gone: list[str]
    sizes: list[dict[str, Any]]

    @property
    def has_work(self) -> bool:
        """Whether anything would be deleted."""
        return self.update.has_work

    @property
    def is_forbidden(self) -> bool:
        """Whether the policy stops it."""
        return self.update.is_forbidden

    @property
    def lines(self) -> list[str]:
        """What will be done, a line for each step."""
        lines = self.update.lines
        for each in self.sizes:
            fields = {"min_size": "minSize", "max_size": "maxSize"}
            changed = [f"{fields[key]} {each[key]}" for key in fields if key in each]
            stored = f", in its specification {' and '.join(changed)}" if changed else ""
            lines.append(
                f"instance group {each['instance_group']} then has {count_of_instances(each['instances'])}{stored}"
            )
        return lines + [f"{name} does not exist any more" for name in self.gone]

    def run(self) -> None:
        """Carry it out. What goes wrong is in problems of the update."""
        self.update.run()


def delete(request: Deletion, tell: Progress) -> PlannedDeletion:
    """Find the instances, and delete them. Raises KopsError as plan_deletion, and LeaseHeld."""
    store = ClusterStore.open(request.state_store, request.name)
    lease = store.instances_lease("delete instances", wait=request.lease_wait, break_existing=request.break_lease)
    return carried_out(functools.partial(plan_deletion, request, tell, lease), lease, tell)


def plan_deletion(request: Deletion, tell: Progress, lease: Lease | None = None) -> PlannedDeletion:
    """Find the instances. Nothing is written.

    Raises KopsError with all names that are not known, and all that may not be deleted.
    """
    names = [name for name in dict.fromkeys(request.instances) if name]
    if not names:
        raise KopsError("instances names no instance; give ids of instances or names of nodes")
    policy = Policy.read(request.policy)
    cluster, groups = ClusterStore.open(request.state_store, request.name).read()
    validator = open_own(CloudExpectation(request.state_store, request.name, api_server=request.api_server))
    fleet = (
        CloudFleet(validator, request.drain, lease)
        if request.replaced
        else ShrinkingFleet(validator, request, lease, tell)
    )
    machines = fleet.machines()
    chosen, gone = _chosen(names, machines, cloud_of(cluster).instance_ids)
    _refuse(request, groups, chosen)
    nodes = {} if request.options.cloud_only else nodes_by_name(validator)
    known = {str(group.metadata.name) for group in groups}
    strays = [
        (machine, ROLES.get(role_of_tags(machine.tags), "Node"), group)
        for group, machine in chosen
        if machine.state == STRAY or group not in known
    ]
    apart = {each.name for each, _role, _group in strays}
    reason = _REPLACED if request.replaced else _REMOVED
    wish = Wish(
        reasons={machine.name: (reason,) for _group, machine in chosen if machine.name not in apart},
        named=True,
        surge=int(request.surge and request.replaced and not request.options.cloud_only),
    )
    plans = [replace(each, replaced=request.replaced) for each in plan(cluster, groups, machines, nodes, wish)]
    plans += plan_strays(strays, nodes, dict.fromkeys(apart, (_STRAY,)))
    fleet.leaving = frozenset(name for one in plans for each in one.candidates for name in names_of(each))
    update = RollingUpdate.of(fleet, groups, plans, request.options, tell).judged(policy, DELETE_INSTANCE)
    return PlannedDeletion(update, gone, _sizes_after(fleet, plans, groups))


def _sizes_after(
    fleet: CloudFleet, plans: Sequence[GroupPlan], groups: Sequence[InstanceGroup]
) -> list[dict[str, Any]]:
    """How large the groups are that shrink: instance_group, instances, and min_size and max_size if they change."""
    if not isinstance(fleet, ShrinkingFleet):
        return []
    found, by_name = [], {str(each.metadata.name): each for each in groups}
    instances = fleet.validator.instances()
    for each in plans:
        leaving = sum(one.machine.state == SERVING for one in each.candidates)
        if each.name in by_name and leaving:
            size = Size.without(by_name[each.name], instances[each.name].wanted - leaving)
            sizes = {"min_size": size.smallest, "max_size": size.largest}
            changed = {name: number for name, number in sizes.items() if number is not None}
            found.append({"instance_group": each.name, "instances": size.wanted, **changed})
    return found


def _chosen(
    names: Sequence[str], machines: Mapping[str, Sequence[CloudInstance]], ids: InstanceIds
) -> tuple[list[tuple[str, CloudInstance]], list[str]]:
    """The named instances, each with its group, and the names of instances that are gone.

    What an instance can have been called may have been deleted before, so that the second run of a deletion succeeds.
    """
    every = [(group, each) for group, members in machines.items() for each in members]
    found = {name: one for one in every for name in (one[1].name, one[1].by_address) if name}
    unknown = [name for name in names if name not in found and not ids.is_name(name)]
    if unknown:
        known = ", ".join(sorted(each.name for _group, each in every)) or "none"
        raise KopsError(f"there is no instance {', nor '.join(unknown)} in the cluster; there are {known}")
    chosen = {found[name][1].name: found[name] for name in names if name in found}
    return list(chosen.values()), [name for name in names if name not in found]


def _refuse(request: Deletion, groups: Sequence[InstanceGroup], chosen: Sequence[tuple[str, CloudInstance]]) -> None:
    """Raise KopsError with all that cannot be deleted without a replacement."""
    if request.replaced:
        return
    by_name = {str(group.metadata.name): group for group in groups}
    problems = []
    for name, machine in chosen:
        group = by_name.get(name)
        if group is None or machine.state == STRAY:
            continue
        if group.spec.role == "ControlPlane":
            problems.append(
                f"{machine.name} is a control plane; it can only be replaced, as the member of etcd on its volume stays"
            )
        elif group.spec.manager == "Karpenter":
            problems.append(f"{machine.name} was started by Karpenter, which decides how many there are")
        elif machine.state == DETACHED:
            problems.append(f"{machine.name} was detached from {name}, which has started another one already")
        elif machine.state == WARM:
            problems.append(f"{machine.name} is prepared in the warm pool of {name}, which always has others")
    if problems:
        raise KopsError(
            "without a replacement, these cannot be deleted:\n" + "\n".join(f"- {each}" for each in problems)
        )
