# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan: what would be done. It is made by reading only, can be printed, approved by its id, and applied."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any

from .plan_data import Action, Entry, counts_of, entry_of
from .plan_diff import plan_diff
from .plan_text import plan_text
from .task import Change, Deletion, Task, comparable, properties

SENSITIVE = "(sensitive)"
_CREATION_TIME = re.compile(r"^  creationTimestamp: .*\n", re.MULTILINE)


@dataclass
class Step:
    """One task of a plan: the object as it exists (or None), and the fields that differ.

    data: its entry, as it was when the plan was made: an apply fills ids into tasks, and the plan stays what it was.
    before and after hold only what differs. Secrets are masked. secrets: field -> a hash of the secret that it holds.
    """

    task: Task[Any]
    action: Action
    actual: Task[Any] | None = None
    changes: dict[str, Change] = field(default_factory=dict)
    data: Entry = field(init=False)
    secrets: dict[str, str] = field(init=False, repr=False)

    def freeze(self) -> None:
        """Fix data; the planner calls it when everything that exists has been found."""
        if self.action is Action.CREATE:
            before: dict[str, Any] = {}
            after = {name: value for name, value in properties(self.task).items() if value is not None}
        else:
            before = {name: change.before for name, change in self.changes.items()}
            after = {name: change.after for name, change in self.changes.items()}
        shown = (_shown(self.task, values) for values in (before, after))
        reason = self.task.consequence(self.actual, self.changes) if self.action is Action.UPDATE else ""
        self.data = entry_of(self.task.kind, self.task.name, self.action, *shown, task=self.task.key, reason=reason)
        # What is written of them may only be known when it is written.
        self.secrets = {
            name: hashlib.sha256(json.dumps(comparable(getattr(self.task, name)), sort_keys=True).encode()).hexdigest()
            for name in _is_secret(self.task) & self.data["after"].keys()
        }


@dataclass
class Plan:
    """Steps in the order of their keys, what another program does then, and what would be deleted.

    outside: entries of what that program does. outside_unchanged: how many of its objects are as they should be.
    warnings: what was left alone and why.
    """

    steps: list[Step] = field(default_factory=list)
    outside: list[Entry] = field(default_factory=list)
    outside_unchanged: int = 0
    deletions: list[Deletion] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    prune: bool = False

    def active(self) -> list[Step]:
        """The steps that would write."""
        return [step for step in self.steps if step.action is not Action.NONE]

    def due_deletions(self) -> list[Deletion]:
        """The deletions that an apply makes: the deferred ones only when pruning."""
        return [deletion for deletion in self.deletions if self._is_due(deletion)]

    def _is_due(self, deletion: Deletion) -> bool:
        return self.prune or not deletion.deferred

    @property
    def changed(self) -> bool:
        """Whether an apply would write anything."""
        return bool(self.active() or self.outside or self.due_deletions())

    def as_data(self) -> list[Entry]:
        """The plan's entries: what check mode returns."""
        deletions = [
            entry_of(
                deletion.kind,
                deletion.item,
                Action.DELETE if self._is_due(deletion) else Action.KEEP,
                task=deletion.task,
                reason=deletion.reason,
            )
            for deletion in self.deletions
        ]
        return [*(step.data for step in self.active()), *self.outside, *deletions]

    def pending(self) -> dict[str, str]:
        """What changes of that which instances are started from: its name -> what those that run do not get by that.

        And instances that leave their groups -> why.
        """
        updates = [step for step in self.active() if step.action is Action.UPDATE and step.task.starts_instances]
        leaving = {each.leaves: each.reason for each in self.due_deletions() if each.leaves}
        return {**{step.task.name: step.data["reason"] for step in updates}, **leaving}

    @property
    def id(self) -> str:
        """A fingerprint of what would be done: an apply that is bound to it refuses to do anything else."""
        content = sorted(json.dumps(_fingerprint(step), sort_keys=True) for step in self.active())
        content += sorted(json.dumps({**entry, "reason": ""}, sort_keys=True) for entry in self.outside)
        content += sorted(f"{deletion.kind} {deletion.item}" for deletion in self.due_deletions())
        return hashlib.sha256("\n".join(content).encode()).hexdigest()[:16]

    def summary(self) -> dict[str, int]:
        """How many objects an apply creates, updates, deletes, keeps for later, and how many are as they should be."""
        unchanged = [step for step in self.steps if step.action is Action.NONE and not step.task.is_absence]
        return {**counts_of(self.as_data()), "unchanged": len(unchanged) + self.outside_unchanged}

    def text(self) -> str:
        """The plan for a reader, with its warnings."""
        unchanged = self.summary()["unchanged"]
        return plan_text(self.as_data(), unchanged=unchanged, plan_id=self.id, warnings=self.warnings)

    def diff(self) -> dict[str, str]:
        """Ansible's diff."""
        return plan_diff(self.as_data())


def object_of(task: Task[Any]) -> dict[str, Any]:
    """An object as it is wanted, as plain data: kind, name, and the fields that are set. Secrets are masked."""
    fields = {name: value for name, value in properties(task).items() if value is not None}
    return {"kind": task.kind, "name": task.name, "fields": _shown(task, fields)}


def _is_secret(task: Task[Any]) -> set[str]:
    return {declared.name for declared in dataclass_fields(task) if declared.metadata.get("secret")}


def _shown(task: Task[Any], values: dict[str, Any]) -> dict[str, Any]:
    masked = _is_secret(task)
    return {name: SENSITIVE if name in masked else comparable(value) for name, value in values.items()}


def _fingerprint(step: Step) -> dict[str, Any]:
    """What counts of a step, in a form that stays, so that approved ids hold.

    When its object was first stored is not known before, and does not count.
    """
    after = {
        name: _CREATION_TIME.sub("", value) if isinstance(value, str) else value
        for name, value in step.data["after"].items()
    }
    return {
        "task": step.data["task"],
        "action": step.data["action"],
        "before": step.data["before"],
        "after": {**after, **step.secrets},
        "reason": "",
    }
