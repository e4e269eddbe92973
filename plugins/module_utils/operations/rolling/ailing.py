# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances that must be repaired, with reasons, and which of them may be now. Rules on data: nothing is read here."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api.instance_group import InstanceGroup
from ...base.instance_ids import InstanceIds
from ...cloud.instances import DETACHED, STRAY, WARM, CloudInstance
from ...kubernetes.nodes.instances import claimed_id
from ...kubernetes.nodes.static_pods import Lack
from ...kubernetes.nodes.unready import Members, Patience, duration, held_back, seconds_unready, why_unready

_STOPPED = ("stopping", "stopped")


@dataclass(frozen=True)
class Observed:
    """State of a cluster at one moment. machines: instance group -> its instances. nodes: Node objects.

    ids: how the cloud names instances and their Nodes.
    impaired: instance -> since when the cloud finds it broken, and what of it. lacking: name of a Node that is ready ->
    what it lacks of its static pods.
    """

    machines: Mapping[str, Sequence[CloudInstance]]
    nodes: Sequence[Mapping[str, Any]]
    now: datetime.datetime
    ids: InstanceIds
    impaired: Mapping[str, tuple[datetime.datetime | None, str]] = field(default_factory=dict)
    lacking: Mapping[str, Lack] = field(default_factory=dict)

    def node_of(self, machine: CloudInstance) -> Mapping[str, Any] | None:
        """The Node of an instance, by its name or by its provider id."""
        names = {each for each in (machine.name, machine.by_address) if each}
        return next((each for each in self.nodes if names & {each["metadata"]["name"], self.claimed_id(each)}), None)

    def claimed_id(self, node: Mapping[str, Any]) -> str:
        """The id of the instance that a Node says it is; its name if it says nothing."""
        return claimed_id(node, self.ids) or str(node["metadata"]["name"])


@dataclass(frozen=True)
class Times:
    """join: seconds that an instance may take to become a node."""

    patience: Patience = field(default_factory=Patience)
    join: float = 900


@dataclass
class Diagnosis:
    """Diagnosis. reasons: instance -> why it is replaced. waiting: instance -> what is wrong, but not for long
    enough. dead: names of nodes whose kubelets do not answer. strays: instances of no group, with the name that their
    tag gives. orphans: Node -> why it seems to have no instance. held_back: instance group -> why none of it is
    repaired.
    """

    reasons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    strays: list[tuple[CloudInstance, str]] = field(default_factory=list)
    orphans: dict[str, str] = field(default_factory=dict)
    held_back: dict[str, str] = field(default_factory=dict)


def diagnose(groups: Sequence[InstanceGroup], observed: Observed, times: Times) -> Diagnosis:
    """Look at all instances and nodes.

    An instance is replaced if its node has not been ready for too long, or has lacked a static pod for too long, if it
    has not become a node in time, if it is stopped, if its machine has been impaired for too long, or if it belongs to
    no group. Warm pools, instances that an administrator has put on standby, and those that a rolling update has
    detached are left to others.
    """
    found = Diagnosis()
    known = {str(group.metadata.name): group for group in groups}
    for name, members in observed.machines.items():
        for machine in members:
            group = known.get(name)
            if machine.state == STRAY or (group is None and not machine.within):
                _stray(found, observed, machine, name, times)
            elif group is not None and machine.state not in (WARM, DETACHED) and not machine.standby:
                _member(found, observed, machine, group, times)
    _orphans(found, observed, times)
    found.held_back = held_back(_members_of(groups, found, observed), times.patience)
    return found


def _member(found: Diagnosis, observed: Observed, machine: CloudInstance, group: InstanceGroup, times: Times) -> None:
    reasons: list[str] = []
    waiting: list[str] = []
    node, age = observed.node_of(machine), _seconds_since(machine.launched, observed.now)
    unready = seconds_unready(dict(node), observed.now) if node else None
    if node and unready is not None:
        found.dead.add(str(node["metadata"]["name"]))
        (reasons if unready >= times.patience.after else waiting).append(why_unready(dict(node), unready))
    lack = observed.lacking.get(str(node["metadata"]["name"])) if node else None
    if lack is not None:
        (reasons if lack.seconds >= times.patience.after else waiting).append(lack.reason)
    if machine.power in _STOPPED and (node is None or unready is not None):
        reasons.append("its machine is stopped")
    elif node is None and group.spec.role != "Bastion":
        late = f"it was launched {duration(age)} ago and is not a node"
        (reasons if age >= times.join else waiting).append(late)
    if machine.name in observed.impaired:
        since, what = observed.impaired[machine.name]
        passed = _seconds_since(since, observed.now)
        impaired = f"the cloud has found its {what} impaired for {duration(passed)}"
        (reasons if passed >= times.patience.after else waiting).append(impaired)
    if reasons:
        found.reasons[machine.name] = tuple(reasons)
    elif waiting:
        found.waiting[machine.name] = "; ".join(waiting)


def _stray(found: Diagnosis, observed: Observed, machine: CloudInstance, name: str, times: Times) -> None:
    """A group that has just started an instance may not show it yet, so a young one is not believed to be a stray."""
    node = observed.node_of(machine)
    if node and seconds_unready(dict(node), observed.now) is not None:
        found.dead.add(str(node["metadata"]["name"]))
    if _seconds_since(machine.launched, observed.now) < times.join:
        found.waiting[machine.name] = f"it is in no instance group, though it has the tag of {name}"
        return
    found.strays.append((machine, name))
    found.reasons[machine.name] = (f"it belongs to no instance group, though it has the tag of {name}",)


def _orphans(found: Diagnosis, observed: Observed, times: Times) -> None:
    machines = [each for members in observed.machines.values() for each in members]
    if not any(observed.node_of(each) for each in machines):
        # The cloud that was asked may not be the one of these nodes.
        return
    names = {name for each in machines for name in (each.name, each.by_address) if name}
    for node in observed.nodes:
        name = str(node["metadata"]["name"])
        identity = observed.claimed_id(node)
        unready = seconds_unready(dict(node), observed.now)
        if names & {name, identity} or not observed.ids.is_id(identity):
            continue
        if unready is not None and unready >= times.patience.after:
            found.orphans[name] = f"it has no instance ({identity}), and {why_unready(dict(node), unready)}"


def _members_of(groups: Sequence[InstanceGroup], found: Diagnosis, observed: Observed) -> list[Members]:
    """The groups with what fails of them; that which has just failed, too."""
    ill = {*found.reasons, *found.waiting} - _new(found, observed)
    members = []
    for group in groups:
        name = str(group.metadata.name)
        names = [each.name for each in observed.machines.get(name, ()) if each.state not in (WARM, DETACHED, STRAY)]
        members.append(Members(name, str(group.spec.role), sorted(ill.intersection(names)), len(names)))
    return members


def _new(found: Diagnosis, observed: Observed) -> set[str]:
    """Instances that have just been started and do not have to be nodes yet: nothing has failed there."""
    machines = [each for members in observed.machines.values() for each in members]
    return {each.name for each in machines if each.name in found.waiting and observed.node_of(each) is None}


def _seconds_since(moment: datetime.datetime | None, now: datetime.datetime) -> float:
    """Seconds since a moment; infinite if there is none."""
    return max(0.0, (now - moment).total_seconds()) if moment else float("inf")
