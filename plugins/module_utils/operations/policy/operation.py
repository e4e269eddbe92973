# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations as subjects of rules: which operation it is, when it runs, and how many machines it takes."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ...engine.plan_data import Action, entry_of
from .policy import Policy, subjects_of_plan
from .rule import OPERATION, Subject, Violation

INSTANCE, HOST = "Instance", "Host"
_CONTROL_PLANE = "ControlPlane"
# Not %a, which depends on the locale: Ansible sets that of its user.
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Affected:
    """An instance, or a host, that an operation drains, replaces, changes or deletes.

    role: of its instance group, as manifests have it. node: its Node's name; "" if it has none. stays: whether another
    one takes its place, or on bare metal whether it stays a node.
    """

    name: str
    group: str = ""
    role: str = ""
    node: str = ""
    reason: str = ""
    stays: bool = True
    kind: str = INSTANCE


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def subjects_of_operation(name: str, machines: Iterable[Affected], now: datetime.datetime) -> Iterator[Subject]:
    """The operation, and a change for each machine. name: of the operation's playbook. now: in UTC."""
    taken = list(machines)
    data = {
        "name": name,
        "instances": len(taken),
        "control_planes": sum(each.role == _CONTROL_PLANE for each in taken),
        "groups": sorted({each.group for each in taken if each.group}),
        "time": {"date": now.strftime("%Y-%m-%d"), "weekday": _WEEKDAYS[now.weekday()], "hour": now.hour},
    }
    yield Subject(OPERATION, "Operation", name, data)
    for each in taken:
        before = {"instance_group": each.group, "role": each.role, "node": each.node}
        entry = entry_of(
            each.kind, each.name, Action.UPDATE if each.stays else Action.DELETE, before, reason=each.reason
        )
        yield from subjects_of_plan([entry])


def violations_of(
    policy: Policy, name: str, machines: Iterable[Affected] = (), now: Callable[[], datetime.datetime] = _now
) -> list[Violation]:
    """Violations of the policy by an operation. Rules about specifications and objects are left out."""
    return policy.violations(subjects_of_operation(name, machines, now())) if policy else []
