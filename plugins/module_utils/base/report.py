# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run did, or in check mode would do: the same either way, since it is put together before the first change."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .outcome import Difference, Outcome


@dataclass
class Step:
    """One item. before, after: texts, mappings or None, only with changed; never with a secret in them.

    act: makes the change. Steps that are done together with others have none of their own.
    interrupts: the change ends something that runs, be it only to start it anew.
    waits: the change does not interrupt, but it is made together with those that do.
    deferred: the change is left to a later run, because this one may not interrupt anything.
    """

    item: str
    changed: bool = False
    before: Any = None
    after: Any = None
    act: Callable[[], None] | None = field(default=None, repr=False, compare=False)
    interrupts: bool = False
    waits: bool = False
    deferred: bool = False

    @property
    def due(self) -> bool:
        """Whether this run makes the change."""
        return self.changed and not self.deferred

    def as_dict(self) -> dict[str, Any]:
        """The step as plain data."""
        return {"item": self.item, "changed": self.changed, "before": self.before, "after": self.after}


@dataclass
class Report:
    """The steps of a run in their order; hash: of the configuration. warnings: what is odd, but does not matter."""

    hash: str = ""
    steps: list[Step] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether anything changed."""
        return any(step.due for step in self.steps)

    @property
    def deferred(self) -> bool:
        """Whether changes are left to a later run."""
        return any(step.deferred for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "changed": self.changed,
            "hash": self.hash,
            "items": [step.as_dict() for step in self.steps],
            "warnings": list(self.warnings),
        }

    def changes(self) -> list[dict[str, Any]]:
        """What changed, as modules return it."""
        return [_plain(step) for step in self.steps if step.due]

    def deferred_changes(self) -> list[dict[str, Any]]:
        """What is left to a later run, in the same form."""
        return [_plain(step) for step in self.steps if step.deferred]

    def differences(self) -> list[Difference]:
        """What changed, for a reader."""
        return [Difference(step.item, _readable(step.before), _readable(step.after)) for step in self.steps if step.due]

    def outcome(self, **values: Any) -> Outcome:
        """The report as the outcome of a module that returns values besides. What is deferred is no difference yet."""
        return Outcome(self.changed, {"changes": self.changes(), **values}, self.differences(), self.warnings)


def _plain(step: Step) -> dict[str, Any]:
    return {"item": step.item, "before": step.before, "after": step.after}


def _readable(value: Any) -> str:
    """A value for people: short properties line by line, long texts below them."""
    if value is None:
        return ""
    if not isinstance(value, dict):
        return f"{value}\n"
    short = {name: each for name, each in value.items() if not isinstance(each, str) or "\n" not in each}
    lines = [f"{name}: {each if isinstance(each, str) else json.dumps(each)}\n" for name, each in short.items()]
    long = [
        f"{name}:\n{each}" + ("" if each.endswith("\n") else "\n") for name, each in value.items() if name not in short
    ]
    return "".join(lines + long)
