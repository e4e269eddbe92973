# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The entries of a plan, as plain data: what modules return, and all that a plan's text is made from."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict


class Action(str, enum.Enum):
    """What an apply does with one object. KEEP: it is not wanted any more, and only deleted with prune."""

    NONE = "none"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    KEEP = "keep"


class Entry(TypedDict):
    """One object of a plan.

    task: the key of the task that it is about. kind, name: of the object. action: the value of an Action.
    before, after: the fields that differ, as they exist and as they are wanted. reason: why, where it is not obvious,
    or what follows of a change.
    """

    task: str
    kind: str
    name: str
    action: str
    before: dict[str, Any]
    after: dict[str, Any]
    reason: str


def entry_of(
    kind: str,
    name: str,
    action: Action,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    *,
    task: str = "",
    reason: str = "",
) -> Entry:
    """An entry. task: kind/name, if it is not given."""
    return {
        "task": task or f"{kind}/{name}",
        "kind": kind,
        "name": name,
        "action": action.value,
        "before": dict(before or {}),
        "after": dict(after or {}),
        "reason": reason,
    }


def entry_of_change(change: Mapping[str, Any]) -> Entry:
    """The entry of a change of a host. change: item ("file:/etc/hosts"), before, after: fields, a text, or None."""
    kind, _colon, name = str(change["item"]).partition(":")
    before, after = (_fields(change[side]) for side in ("before", "after"))
    action = Action.CREATE if change["before"] is None else Action.DELETE if change["after"] is None else Action.UPDATE
    return entry_of(kind, name, action, before, after)


def _fields(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else {"content": value}


def counts_of(entries: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many objects are created, updated, deleted, and kept until a run with prune."""
    actions = [entry["action"] for entry in entries]
    return {action.value: actions.count(action.value) for action in Action if action is not Action.NONE}
