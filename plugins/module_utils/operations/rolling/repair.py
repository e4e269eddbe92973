# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances whose nodes have failed are replaced; what belongs to no group, and Nodes without an instance, are deleted.

It is a rolling update of what ailing.py finds. A failed node is not drained as others are, since its kubelet
confirms nothing.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any

from ...api.clouds import cloud_of
from ...base.errors import KopsError
from ...base.table import table_of
from ...kubernetes.nodes.drain import DrainOptions, NotDrained, cordoned_for_update, set_node_state
from ...kubernetes.nodes.out_of_service import give_free, held_by
from ...kubernetes.nodes.readiness import ready_status
from ...kubernetes.nodes.static_pods import Lack, lacks
from ...statestore.leases import Lease
from ...statestore.store import ClusterStore
from ..group_choice import ROLES, choose_groups
from ..next_steps import REPAIR
from ..ownership import open_own
from ..policy.policy import Policy
from ..progress import Progress
from ..status.instances import role_of_tags
from ..status.validation import CloudExpectation, CloudValidator
from .ailing import Diagnosis, Observed, Times, diagnose
from .cloud import CloudFleet, RollingUpdate, carried_out
from .engine import Options, Record
from .plan import GroupPlan, Wish, count_of_instances, plan, plan_strays, text_of

# EC2 takes up to some minutes to end an instance that does not answer. In seconds.
_END, _PAUSE = 180.0, 5.0
# A kubelet starts a static pod anew when the one before has ended: longer than that takes. In seconds.
_ANEW = 60.0


@dataclass(frozen=True)
class Repair:
    """What to do. names, roles: of instance groups; one of them. drain: of nodes that answer. dead_drain: seconds for
    the evictions of one that does not. lease_wait, break_lease, policy: as of a rolling update.
    """

    state_store: str
    name: str
    api_server: str = ""
    names: Sequence[str] = ()
    roles: Sequence[str] = ()
    times: Times = field(default_factory=Times)
    lease_wait: float | None = None
    break_lease: bool = False
    drain: DrainOptions = field(default_factory=DrainOptions)
    dead_drain: float = 60
    options: Options = field(default_factory=Options)
    policy: Sequence[str] = ()


class RepairFleet(CloudFleet):
    """Instances of which some are dead. dead: their nodes, each with its instance."""

    def __init__(self, validator: CloudValidator, request: Repair, lease: Lease | None) -> None:
        super().__init__(validator, request.drain, lease)
        self.dead: dict[str, str] = {}
        self._of_dead = changed(self.drain_options, timeout=request.dead_drain, settle=0)
        self.tell: Progress = lambda line: None

    def drain(self, node: str, tell: Progress) -> None:
        if node not in self.dead:
            super().drain(node, tell)
            return
        try:
            set_node_state(self._client(), node, "drained", self._of_dead, tell)
        except NotDrained as error:
            # Its pods have not been ready since then, so nobody misses them.
            tell(f"{node}: its pods end with its instance: {'; '.join(str(error).splitlines()[1:])}")

    def forget(self, node: str) -> None:
        if node in self.dead and held_by(self._client(), node) and self._has_ended(self.dead[node]):
            give_free(self._client(), node, self.tell)
        super().forget(node)

    def existing(self, names: Sequence[str]) -> set[str]:
        """Which of these instances have not ended."""
        found: set[str] = self.validator.ask(self.validator.provider.looking.existing, names)
        return found

    def nodes(self) -> list[dict[str, Any]]:
        """The Node objects."""
        client = self._client()
        return list(client.list(client.kind("v1", "Node").path()))

    def observe(self, patience: float) -> Observed:
        """Everything as it is now. patience: seconds after which something counts as failed."""
        machines, nodes = self.machines(), self.nodes()
        impaired = self.validator.ask(self.validator.provider.looking.impaired)
        ids = cloud_of(self.validator.cluster).instance_ids
        return Observed(machines, nodes, self.validator.now(), ids, impaired, self._lacking(nodes, patience))

    def _lacking(self, nodes: Sequence[Mapping[str, Any]], patience: float) -> dict[str, Lack]:
        """What nodes lack of their static pods. One that a kubelet just starts anew is missing for a moment only."""
        found = self._lacks(nodes)
        missing = {name for name, each in found.items() if each.missing}
        if not missing:
            return found
        pause = min(patience, _ANEW)
        self.tell(
            "\n".join([f"looking again in {pause:g} s:", *(f"  {n}: {found[n].reason}" for n in sorted(missing))])
        )
        time.sleep(pause)
        return {name: each for name, each in self._lacks(nodes).items() if name in missing or not each.missing}

    def _lacks(self, nodes: Sequence[Mapping[str, Any]]) -> dict[str, Lack]:
        client = self._client()
        pods = list(client.list(client.kind("v1", "Pod").path("kube-system")))
        return lacks([dict(each) for each in nodes], pods, self.validator.now())

    def _has_ended(self, instance: str) -> bool:
        end = time.monotonic() + _END
        while self.existing([instance]):
            if time.monotonic() + _PAUSE > end:
                self.tell(
                    f"{instance} has not ended within {_END:g} s; its pods and volumes are left to the controllers"
                )
                return False
            time.sleep(_PAUSE)
        return True


@dataclass
class PlannedRepair:
    """A repair that can be carried out. deleted: Nodes without an instance that were deleted.

    missing: instance group -> how many instances it lacks, which are made; made: those that were.
    unseen: why nodes are not looked at; "".
    """

    update: RollingUpdate
    diagnosis: Diagnosis
    fleet: RepairFleet
    deleted: list[str] = field(default_factory=list)
    missing: Mapping[str, int] = field(default_factory=dict)
    unseen: str = ""
    made: dict[str, int] = field(default_factory=dict)

    def run(self) -> None:
        """Carry it out. What goes wrong is in problems of the update."""
        problems = list(self._make_missing())
        self.update.run()
        problems += self.update.problems
        for node in self.diagnosis.orphans:
            try:
                self.fleet.tell(f"deleting Node {node}, which has no instance")
                self.fleet.forget(node)
                self.deleted.append(node)
            except KopsError as error:
                problems.append(f"Node {node}: {error}")
        self.update.problems = problems
        if problems:
            self.fleet.tell(self._table())

    def _make_missing(self) -> Iterator[str]:
        """First, as others may wait for them. Gives what goes wrong."""
        for group, count in self.missing.items():
            try:
                self.fleet.tell(f"{group}: making {count_of_instances(count)}")
                self.fleet.replenish(group)
                self.made[group] = count
            except KopsError as error:
                yield f"instance group {group}: {error}"

    def _table(self) -> str:
        """What became of each instance, and of each Node without one."""
        rows = [
            (each.candidate.machine.name, each.group, each.result, (each.error or _why(each)).partition("\n")[0])
            for each in self.update.records
        ]
        rows += [
            (node, "", "deleted" if node in self.deleted else "failed", why)
            for node, why in self.diagnosis.orphans.items()
        ]
        return table_of(("INSTANCE", "INSTANCE GROUP", "RESULT", "REASON"), rows)

    @property
    def is_forbidden(self) -> bool:
        """Whether the policy stops it."""
        return self.update.is_forbidden

    @property
    def lines(self) -> list[str]:
        """What will be done, what not yet, and what not, a line each."""
        lines = [
            f"instance group {name}: {count_of_instances(count)} missing, to be made"
            for name, count in self.missing.items()
        ]
        lines += [f"   nodes are not looked at: {self.unseen}"] if self.unseen else []
        lines += text_of([each for each in self.update.plans if not each.left_alone])
        lines += [f"Node {node} is deleted: {why}" for node, why in self.diagnosis.orphans.items()]
        lines += [f"   {name} is watched: {why}" for name, why in self.diagnosis.waiting.items()]
        return lines + text_of([each for each in self.update.plans if each.left_alone])

    @property
    def refusals(self) -> list[str]:
        """Why instances that have failed are not repaired."""
        refused = {each.name for each in self.update.plans if each.left_alone}
        return [f"instance group {name}: {why}" for name, why in self.diagnosis.held_back.items() if name in refused]

    @property
    def has_work(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.missing or self.diagnosis.orphans) or self.update.has_work


def repair(request: Repair, tell: Progress) -> PlannedRepair:
    """Find what has to be repaired, and repair it. Raises KopsError as plan_repair, and LeaseHeld."""
    store = ClusterStore.open(request.state_store, request.name)
    lease = store.instances_lease("repair", wait=request.lease_wait, break_existing=request.break_lease)
    return carried_out(functools.partial(plan_repair, request, tell, lease), lease, tell)


def plan_repair(request: Repair, tell: Progress, lease: Lease | None = None) -> PlannedRepair:
    """Find what has to be repaired. Nothing is written.

    Raises KopsError if the cluster or a group is not there, or if the cloud or the API does not answer: without the
    API, it is not known which nodes have failed.
    """
    policy = Policy.read(request.policy)
    cluster, groups = ClusterStore.open(request.state_store, request.name).read()
    chosen = choose_groups(groups, request.names, request.roles)
    validator = open_own(CloudExpectation(request.state_store, request.name, api_server=request.api_server))
    validator.cloud.tell = tell
    fleet = RepairFleet(validator, request, lease)
    fleet.tell = tell
    missing = {name: count for name, count in fleet.lacking_instances().items() if chosen is None or name in chosen}
    options = changed(request.options, validate_first=False, each_is_tried=True)
    try:
        observed = fleet.observe(request.times.patience.after)
    except KopsError as error:
        if not missing:
            raise
        # Without the API, it is not known which nodes have failed. What is missing may be the control plane.
        nothing = RollingUpdate.of(fleet, groups, [], options, tell)
        return PlannedRepair(nothing, Diagnosis(), fleet, missing=missing, unseen=str(error))
    found = diagnose(groups, observed, request.times)
    _confirm(found, observed, fleet)
    nodes = {
        str(each["metadata"]["name"]): {
            "cordoned_for_update": cordoned_for_update(dict(each)),
            "ready": ready_status(each),
        }
        for each in observed.nodes
    }
    plans = plan(cluster, groups, observed.machines, nodes, Wish(chosen=chosen, surge=0, reasons=found.reasons))
    plans = [_allowed(each, found, fleet) for each in plans]
    if chosen is None:
        strays = [(each, ROLES.get(role_of_tags(each.tags), "Node"), name) for each, name in found.strays]
        plans += plan_strays(strays, nodes, found.reasons)
    else:
        found.orphans.clear()
    # Nothing is expected of what has failed, whoever repairs it.
    machines = {each.name: each for members in observed.machines.values() for each in members}
    ill = [machines[name] for name in {*found.reasons, *found.waiting}]
    fleet.leaving = frozenset(found.dead) | {name for each in ill for name in (each.name, each.by_address) if name}
    fleet.dead = _instances_of(found, observed)
    if chosen is not None:
        _restrict(found, observed, chosen)
    update = RollingUpdate.of(fleet, groups, plans, options, tell).judged(policy, REPAIR)
    return PlannedRepair(update, found, fleet, missing=missing)


def _why(record: Record) -> str:
    return "; ".join(record.candidate.reasons)


def _confirm(found: Diagnosis, observed: Observed, fleet: RepairFleet) -> None:
    """A Node goes only if its instance has ended, whatever tags that had."""
    if found.orphans:
        identities = {str(each["metadata"]["name"]): observed.claimed_id(each) for each in observed.nodes}
        there = fleet.existing([identities[name] for name in found.orphans])
        found.orphans = {name: why for name, why in found.orphans.items() if identities[name] not in there}


def _allowed(planned: GroupPlan, found: Diagnosis, fleet: RepairFleet) -> GroupPlan:
    """The plan, left alone if too much has failed, or if etcd could not do without what it takes away."""
    if planned.left_alone:
        return planned
    if planned.role == "ControlPlane" and planned.name not in found.held_back:
        (member, *_others) = planned.candidates
        lacking = fleet.lacking(member.node or member.machine.name)
        if lacking:
            found.held_back[planned.name] = "; ".join(lacking)
    return changed(planned, left_alone=found.held_back.get(planned.name, ""))


def _restrict(found: Diagnosis, observed: Observed, chosen: frozenset[str]) -> None:
    """What is watched, of the chosen groups only."""
    members = {each.name for name in chosen for each in observed.machines.get(name, ())}
    found.waiting = {name: why for name, why in found.waiting.items() if name in members}


def _instances_of(found: Diagnosis, observed: Observed) -> dict[str, str]:
    """Dead node -> its instance."""
    nodes = {}
    for members in observed.machines.values():
        for machine in members:
            node: Any = observed.node_of(machine)
            if node is not None and node["metadata"]["name"] in found.dead:
                nodes[str(node["metadata"]["name"])] = machine.name
    return {**nodes, **{name: name for name in found.orphans}}
