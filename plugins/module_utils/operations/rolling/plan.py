# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan of a rolling update: instances, reasons and order. Rules on data: nothing is read here.

Source: of kops, pkg/instancegroups/rollingupdate.go (the order of roles), instancegroups.go (the order within a group,
surges) and pkg/cloudinstances (what needs an update).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...cloud.instances import DETACHED, STRAY, WARM, CloudInstance
from ...kubernetes.addons.versions import MARKED
from .settings import ROLES, Limits, in_order, limits

_FORCED = "force was given"
_DETACHED = "it was taken out of its group"
_DISABLED = "spec.rollingUpdate.drainAndTerminate is false"
_KARPENTER = "Karpenter starts and replaces its instances"


@dataclass(frozen=True)
class Wish:
    """A wanted rolling update.

    chosen: names of instance groups; None means all. most: no more instances than these; 0 means
    no limit. surge: how many more instances a group gets that says nothing of it; 0 means that none gets any.
    pending: name of a group in the cloud -> how an update that is still to come changes its template; and instance that
    this update takes out of its group -> why.
    reasons: instance -> why it goes; these go and no others, whatever else is odd about them. named: a user has named
    them, which counts more than what their groups say of rolling updates.
    """

    force: bool = False
    chosen: frozenset[str] | None = None
    most: int = 0
    surge: int = 1
    pending: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, Sequence[str]] | None = None
    named: bool = False


@dataclass(frozen=True)
class Candidate:
    """An instance to replace. node: its Node's name; "" if it has none. unfinished: an earlier run has cordoned it.

    unhealthy: it is not a node, or its node is not Ready, or something of it fails. Replacing it may be what makes the
    cluster valid again.
    """

    machine: CloudInstance
    reasons: tuple[str, ...]
    node: str = ""
    unfinished: bool = False
    unhealthy: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The candidate as plain data."""
        return {"instance": self.machine.name, "node": self.node, "reasons": list(self.reasons)}


@dataclass(frozen=True)
class GroupPlan:
    """Plan for one instance group.

    candidates: in the order in which they are drained. warm: those that are only deleted. detached: names of those that
    are taken out of their group before anything is drained, so that others start. alone: nothing of the group is as it
    should be, so that the first replacement must prove itself before more is done. left_alone: why nothing is done.
    replaced: whether others start in their place.
    """

    name: str
    role: str
    limits: Limits
    candidates: tuple[Candidate, ...] = ()
    warm: tuple[Candidate, ...] = ()
    detached: tuple[str, ...] = ()
    alone: bool = False
    left_alone: str = ""
    replaced: bool = True

    @property
    def is_urgent(self) -> bool:
        """Whether it has something that an earlier run has begun, or that fails."""
        return any(each.unfinished or each.unhealthy for each in self.candidates)

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        return {
            "instance_group": self.name,
            "role": self.role,
            "instances": [each.as_dict() for each in self.candidates],
            "warm": [each.as_dict() for each in self.warm],
            "detached": list(self.detached),
            "at_once": self.limits.at_once,
            "left_alone": self.left_alone,
        }


def plan(
    cluster: Cluster,
    groups: Sequence[InstanceGroup],
    machines: Mapping[str, Sequence[CloudInstance]],
    nodes: Mapping[str, Mapping[str, Any]],
    wish: Wish,
) -> list[GroupPlan]:
    """Groups with instances to replace, also where that is not allowed now, in the order of the work.

    machines: instance group -> its instances. nodes: name of a Node -> what a validation says of it (ready, failing,
    needs_update, cordoned_for_update); empty without a validation.
    """
    found: list[GroupPlan] = []
    left = wish.most
    ordered = in_order((group, machines.get(str(group.metadata.name), ())) for group in groups)
    plans = [
        _of_group(cluster, group, present, nodes, wish)
        for group, present in ordered
        if wish.chosen is None or group.metadata.name in wish.chosen
    ]
    # Of the groups of a role, one with something that is begun or that fails comes first: the others wait for it.
    plans.sort(key=lambda each: (ROLES.index(each.role), each.left_alone != "" or not each.is_urgent))
    for made in plans:
        if wish.most and not made.left_alone:
            made = _shortened(made, left)
            left -= len(made.candidates)
        if made.candidates or made.warm:
            found.append(made)
    return found


def plan_strays(
    strays: Sequence[tuple[CloudInstance, str, str]],
    nodes: Mapping[str, Mapping[str, Any]],
    reasons: Mapping[str, Sequence[str]],
) -> list[GroupPlan]:
    """The plans for instances that belong to no group any more: one after the other, and nothing starts in their place.

    strays: each with the role and the name of the group that it was of. Those without a reason stay.
    """
    going: dict[tuple[str, str], list[Candidate]] = {}
    for machine, role, name in strays:
        found = _candidate(role, machine, nodes, Wish(reasons=reasons))
        if found.reasons:
            going.setdefault((role, name), []).append(found)
    return [
        GroupPlan(name, role, Limits(True, 0, 1), tuple(members), replaced=False)
        for (role, name), members in sorted(going.items())
    ]


def text_of(plans: Sequence[GroupPlan]) -> list[str]:
    """The plan, a line for each step."""
    lines: list[str] = []
    number = 0
    for each in plans:
        title = f"instance group {each.name} ({each.role})"
        if each.left_alone:
            names = ", ".join(one.machine.name for one in (*each.candidates, *each.warm))
            lines.append(f"{title} is left alone, as {each.left_alone}: {names}")
            continue
        together = f", {each.limits.at_once} at a time" if each.limits.at_once > 1 else ""
        count = _count(len(each.candidates) + len(each.warm), "replace" if each.replaced else "delete")
        lines.append(f"{title}: {count}{together}")
        lines += [f"   {one.machine.name} of the warm pool is deleted: {_why(one)}" for one in each.warm]
        lines += [
            f"   {name} is detached, so that another one starts before the first is drained" for name in each.detached
        ]
        for one in each.candidates:
            number += 1
            node = f" (node {one.node})" if one.node not in ("", one.machine.name) else ""
            lines.append(f"{number:>2} {one.machine.name}{node}: {_why(one)}")
    return lines


def _of_group(
    cluster: Cluster,
    group: InstanceGroup,
    machines: Sequence[CloudInstance],
    nodes: Mapping[str, Mapping[str, Any]],
    wish: Wish,
) -> GroupPlan:
    machines = [each for each in machines if each.state != STRAY]
    template = cloud_of(cluster).template_word
    after = [_after(wish.pending, machine, template) for machine in machines]
    members = [_candidate(str(group.spec.role), machine, nodes, wish) for machine in after]
    old = [each for each in members if each.reasons]
    size = sum(each.state != WARM for each in machines)
    own = limits(cluster, group, size, surge=wish.surge)
    if wish.named and wish.surge and group.spec.role != "ControlPlane":
        own = replace(own, surge=max(own.surge, 1))
    candidates = [each for each in old if each.machine.state != WARM]
    # What an earlier run has begun comes first, then what serves nobody; what was detached comes last: that is what
    # keeps the number of nodes.
    candidates.sort(key=lambda each: (each.machine.state == DETACHED, not each.unfinished, not each.unhealthy))
    made = GroupPlan(
        str(group.metadata.name),
        str(group.spec.role),
        own,
        tuple(candidates),
        tuple(each for each in old if each.machine.state == WARM),
        alone=all(each.machine.outdated or each.machine.state == DETACHED for each in members),
    )
    if wish.named:
        return _with_surge(made)
    if group.spec.manager == "Karpenter":
        return replace(made, left_alone=_KARPENTER)
    if not own.enabled:
        return replace(made, left_alone=_DISABLED)
    return _with_surge(made)


def _after(pending: Mapping[str, str], machine: CloudInstance, template: str) -> CloudInstance:
    """A machine as it will be after an update. template: what its cloud calls that."""
    if machine.name in pending:
        return replace(machine, outdated=pending[machine.name], state=DETACHED)
    if machine.outdated or machine.state == DETACHED or machine.within not in pending:
        return machine
    reason = pending[machine.within]
    return replace(machine, outdated=f"its {template} is to be changed{f': {reason}' if reason else ''}")


def _candidate(role: str, machine: CloudInstance, nodes: Mapping[str, Mapping[str, Any]], wish: Wish) -> Candidate:
    name = next((name for name in (machine.name, machine.by_address) if name and name in nodes), "")
    node = nodes.get(name, {})
    cordoned = str(node.get("cordoned_for_update") or "")
    should_be_ready = bool(nodes) and role != "Bastion" and machine.state != WARM
    unhealthy = should_be_ready and (node.get("ready") != "True" or bool(node.get("failing")))
    if wish.reasons is not None:
        return Candidate(machine, tuple(wish.reasons.get(machine.name, ())), name, bool(cordoned), unhealthy)
    reasons = [
        machine.outdated,
        _DETACHED if machine.state == DETACHED else "",
        MARKED if node.get("needs_update") else "",
        f"an earlier rolling update has cordoned its node at {cordoned}" if cordoned else "",
    ]
    found = tuple(filter(None, reasons))
    if wish.force and not found:
        found = (_FORCED,)
    return Candidate(machine, found, name, bool(cordoned), unhealthy)


def _with_surge(made: GroupPlan) -> GroupPlan:
    """Add the instances to detach first. Already detached ones count; cordoned ones have no pods to keep."""
    surge = min(made.limits.surge, len(made.candidates))
    last = [each.machine for each in made.candidates[len(made.candidates) - surge :]]
    # Those that Karpenter has started are within nothing that they could be taken out of.
    detached = tuple(each.name for each in reversed(last) if each.state != DETACHED and each.within)
    return replace(made, detached=detached)


def _shortened(made: GroupPlan, most: int) -> GroupPlan:
    """Limit the number of candidates. Instances of a warm pool have no nodes, and do not count."""
    return _with_surge(replace(made, candidates=made.candidates[: max(most, 0)]))


def _why(candidate: Candidate) -> str:
    return "; ".join(candidate.reasons)


def count_of_instances(number: int) -> str:
    """So many instances, in words."""
    return f"{number} instance{'' if number == 1 else 's'}"


def _count(number: int, verb: str) -> str:
    return f"{count_of_instances(number)} to {verb}"
