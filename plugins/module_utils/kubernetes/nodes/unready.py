# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes have failed for so long that they are repaired, and when so many fail that nothing is.

Source of the second rule: maxUnhealthy of MachineHealthCheck (machine-api, cluster-api). What fails at the same time
rarely fails because of the machines.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ...base.errors import KopsError
from ..client import KubernetesClient, Object
from ..validation.cluster import Group, members_of
from .readiness import is_ready, ready_condition
from .static_pods import lacks

_LIMIT = re.compile(r"\d+%?")


@dataclass(frozen=True)
class Patience:
    """after: seconds that a node may be not ready. most: how many of a group may fail, a number or a share ("40%")."""

    after: float = 600
    most: str = "40%"

    def __post_init__(self) -> None:
        problems = [] if self.after >= 0 else [f"after is {self.after:g}; give a number of seconds"]
        if not _LIMIT.fullmatch(self.most):
            problems.append(f"max_unhealthy is {self.most!r}; give a number of nodes, or a share such as 40%")
        if problems:
            raise KopsError("; ".join(problems))

    def allowed(self, count: int) -> int:
        """How many of so many may fail. A share of any group is at least one, but for 0%."""
        number = int(self.most.removesuffix("%"))
        if not self.most.endswith("%"):
            return number
        return max(count * number // 100, 1) if number else 0

    def too_many(self, what: str, failing: Collection[str], count: int) -> str:
        """Why nothing is repaired, if so many of so many fail; "" if it may be."""
        if len(failing) <= self.allowed(count):
            return ""
        verb = "fails" if len(failing) == 1 else "fail"
        return (
            f"{len(failing)} of {count} nodes of {what} {verb} at the same time, and {self.allowed(count)} may"
            f" ({', '.join(sorted(failing))}); that is rarely the fault of the nodes, so none of them is repaired"
        )


@dataclass(frozen=True)
class Members:
    """The nodes of an instance group. failing: those of them that fail now, for however long. count: of all."""

    group: str
    role: str
    failing: Collection[str]
    count: int


def held_back(groups: Sequence[Members], patience: Patience) -> dict[str, str]:
    """Instance group -> why nothing of it is repaired: too much of it fails together, or of all groups of its role."""
    found = {}
    for each in groups:
        alike = [other for other in groups if other.role == each.role]
        failing = [name for other in alike for name in other.failing]
        why = patience.too_many(f"instance group {each.group}", each.failing, each.count) or patience.too_many(
            f"role {each.role}", failing, sum(other.count for other in alike)
        )
        if why and each.failing:
            found[each.group] = why
    return found


@dataclass
class Failed:
    """Which nodes have failed. nodes, watched: name, instance_group and reason of each; the latter have failed, but not
    for long enough. held_back: instance group -> why none of it is repaired.
    """

    nodes: list[dict[str, str]] = field(default_factory=list)
    watched: list[dict[str, str]] = field(default_factory=list)
    held_back: dict[str, str] = field(default_factory=dict)


def failed_nodes(client: KubernetesClient, groups: Sequence[Group], patience: Patience) -> Failed:
    """Ask for all nodes, and find those that have not been ready, or have lacked static pods, for too long.

    Raises KopsError.
    """
    found, now = Failed(), datetime.datetime.now(datetime.timezone.utc)
    nodes = {each["metadata"]["name"]: each for each in client.list(client.kind("v1", "Node").path())}
    lacking = lacks(list(nodes.values()), list(client.list(client.kind("v1", "Pod").path("kube-system"))), now)
    members = []
    for group in groups:
        names = members_of(group, groups, nodes)
        failing = []
        for name in names:
            seconds = seconds_unready(nodes[name], now) if name in nodes else None
            if seconds is not None:
                reason = why_unready(nodes[name], seconds)
            elif name in lacking:
                seconds, reason = lacking[name].seconds, lacking[name].reason
            else:
                continue
            failing.append(name)
            about = {"name": name, "instance_group": group.name, "reason": reason}
            (found.nodes if seconds >= patience.after else found.watched).append(about)
        members.append(Members(group.name, group.role, failing, len(names)))
    found.held_back = held_back(members, patience)
    return found


def seconds_unready(node: Object, now: datetime.datetime) -> float | None:
    """For how long a node has not been ready; None if it is. Without a condition Ready, since it was created."""
    if is_ready(node):
        return None
    condition = ready_condition(node)
    since = condition.get("lastTransitionTime") or node["metadata"].get("creationTimestamp")
    if not since:
        return 0
    return max(0.0, (now - datetime.datetime.fromisoformat(str(since).replace("Z", "+00:00"))).total_seconds())


def why_unready(node: Object, seconds: float) -> str:
    """What is said of a node that is not ready."""
    message = str(ready_condition(node).get("message") or "").rstrip(".")
    return f"its node has not been ready for {duration(seconds)}" + (f": {message}" if message else "")


def duration(seconds: float) -> str:
    """Seconds or minutes, as people say it; infinity means that nobody knows."""
    if seconds == float("inf"):
        return "an unknown time"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
