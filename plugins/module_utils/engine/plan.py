# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan: what would be done, as data. It is made by reading only, can be printed, approved by its id, and applied."""

from __future__ import annotations

import difflib
import enum
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any

from .task import Change, Deletion, Task, comparable, properties

SENSITIVE = "(sensitive)"
_CREATION_TIME = re.compile(r"^  creationTimestamp: .*\n", re.MULTILINE)


class Action(str, enum.Enum):
    """What an apply does with one object."""

    NONE = "none"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass
class Step:
    """One task of a plan: the object as it exists (or None), and the fields that differ.

    data: {task, action, before, after, reason} as it was when the plan was made: an apply fills ids into tasks, and
    the plan stays what it was. before and after hold only what differs. Secrets are masked.
    """

    task: Task[Any]
    action: Action
    actual: Task[Any] | None = None
    changes: dict[str, Change] = field(default_factory=dict)
    reason: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    def freeze(self) -> None:
        """Fix data; the planner calls it when everything that exists has been found."""
        if self.action is Action.CREATE:
            before: dict[str, Any] = {}
            after = {name: value for name, value in properties(self.task).items() if value is not None}
        else:
            before = {name: change.before for name, change in self.changes.items()}
            after = {name: change.after for name, change in self.changes.items()}
        self.data = {
            "task": self.task.key,
            "action": self.action.value,
            "before": _shown(self.task, before),
            "after": _shown(self.task, after),
            "reason": self.reason,
        }


@dataclass
class Plan:
    """Steps in the order of their keys, then what would be deleted. warnings: what was left alone and why."""

    steps: list[Step] = field(default_factory=list)
    deletions: list[Deletion] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    prune: bool = False

    def active(self) -> list[Step]:
        """The steps that would write."""
        return [step for step in self.steps if step.action is not Action.NONE]

    def due_deletions(self) -> list[Deletion]:
        """The deletions that an apply makes: the deferred ones only when pruning."""
        return [deletion for deletion in self.deletions if self.prune or not deletion.deferred]

    @property
    def changed(self) -> bool:
        """Whether an apply would write anything."""
        return bool(self.active() or self.due_deletions())

    def as_data(self) -> list[dict[str, Any]]:
        """The plan as a list of {task, action, before, after, reason}: what check mode returns."""
        steps = [step.data for step in self.active()]
        return steps + [
            {
                "task": deletion.task,
                "action": Action.DELETE.value,
                "before": {deletion.kind: deletion.item},
                "after": {},
                "reason": "deferred until pruned" if deletion.deferred and not self.prune else deletion.reason,
            }
            for deletion in self.deletions
        ]

    @property
    def id(self) -> str:
        """A fingerprint of what would be done: an apply that is bound to it refuses to do anything else."""
        content = sorted(json.dumps(_fingerprint(step), sort_keys=True) for step in self.active())
        content += sorted(f"{deletion.kind} {deletion.item}" for deletion in self.due_deletions())
        return hashlib.sha256("\n".join(content).encode()).hexdigest()[:16]

    def summary(self) -> dict[str, int]:
        """How many objects an apply creates, updates and deletes, and how many are as they should be."""
        counted = {action: sum(step.action is action for step in self.steps) for action in Action}
        return {
            "create": counted[Action.CREATE],
            "update": counted[Action.UPDATE],
            "delete": len(self.due_deletions()),
            "unchanged": counted[Action.NONE],
        }

    def text(self) -> str:
        """The plan for a reader: what is created, what changes from what to what, what goes."""
        return "\n".join(_text_lines(self)) + "\n"

    def diff(self) -> dict[str, str]:
        """Ansible's diff: both sides as text, of what differs only."""
        before: list[str] = []
        after: list[str] = []
        for entry in self.as_data():
            for side, lines in ((entry["before"], before), (entry["after"], after)):
                if side:
                    lines.append(f"{entry['task']}:")
                    lines += [line for name in side for line in _field_lines(name, side[name])]
        return {"before": "\n".join([*before, ""]), "after": "\n".join([*after, ""])}


def _is_secret(task: Task[Any]) -> set[str]:
    return {declared.name for declared in dataclass_fields(task) if declared.metadata.get("secret")}


def _shown(task: Task[Any], values: dict[str, Any]) -> dict[str, Any]:
    masked = _is_secret(task)
    return {name: SENSITIVE if name in masked else comparable(value) for name, value in values.items()}


def _fingerprint(step: Step) -> dict[str, Any]:
    """What counts of a step. When its object was first stored is not known before, and does not."""
    secrets = {
        name: hashlib.sha256(json.dumps(comparable(getattr(step.task, name)), sort_keys=True).encode()).hexdigest()
        for name in _is_secret(step.task) & step.data["after"].keys()
    }
    after = {
        name: _CREATION_TIME.sub("", value) if isinstance(value, str) else value
        for name, value in step.data["after"].items()
    }
    return {**step.data, "after": {**after, **secrets}, "reason": ""}


def _field_lines(name: str, value: Any) -> Iterator[str]:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    if "\n" in text:
        yield f"  {name}: |"
        yield from (f"    {line}" for line in text.splitlines())
    else:
        yield f"  {name}: {text}"


def _text_lines(plan: Plan) -> Iterator[str]:
    headings = {Action.CREATE: "Will create:", Action.UPDATE: "Will change:"}
    for action, heading in headings.items():
        steps = [step.data for step in plan.steps if step.action is action]
        if not steps:
            continue
        yield heading
        for entry in steps:
            yield f"  {entry['task']}{_reason(entry['reason'])}"
            for name, after in entry["after"].items():
                yield from _change_lines(name, entry["before"].get(name), after, action is Action.UPDATE)
        yield ""
    now = plan.due_deletions()
    yield from _deletion_lines("Will delete:", now)
    yield from _deletion_lines(
        "Will delete only when pruning (prune: true):", [item for item in plan.deletions if item not in now]
    )
    yield from (f"Warning: {warning}" for warning in plan.warnings)
    count = plan.summary()
    if plan.changed:
        done = f"{count['create']} to create, {count['update']} to change, {count['delete']} to delete"
        yield f"Plan {plan.id}: {done}, {count['unchanged']} as they should be."
    else:
        yield f"Nothing to do: all {count['unchanged']} objects are as they should be."


def _reason(text: str) -> str:
    return f"  ({text})" if text else ""


def _deletion_lines(heading: str, deletions: Iterable[Deletion]) -> Iterator[str]:
    lines = [f"  {deletion.kind} {deletion.item}{_reason(deletion.reason)}" for deletion in deletions]
    if lines:
        yield from (heading, *lines, "")


def _change_lines(name: str, before: Any, after: Any, is_update: bool) -> Iterator[str]:
    old, new = (value if isinstance(value, str) else json.dumps(value, sort_keys=True) for value in (before, after))
    if is_update and ("\n" in new or "\n" in old):
        yield f"    {name}:"
        was = (before or "") if isinstance(before, str) else old
        lines = list(difflib.unified_diff(was.splitlines(), new.splitlines(), n=1, lineterm=""))[2:]
        yield from (f"      {line}" for line in lines)
    elif "\n" in new:
        yield f"    {name.ljust(22)} (text of {len(new.splitlines())} lines)"
    elif is_update:
        yield f"    {name.ljust(22)} {old} -> {new}"
    else:
        yield f"    {name.ljust(22)} {new}"
