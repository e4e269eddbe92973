# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of an operation: the one form in which every module gets it. Here it becomes Ansible's result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Difference:
    """One object before and after, as texts for a reader; "" where it does not exist. header: what it is."""

    header: str
    before: str = ""
    after: str = ""

    @classmethod
    def of_lines(cls, header: str, before: Iterable[str] = (), after: Iterable[str] = ()) -> Difference:
        """A list before and after, one line for each entry."""
        return cls(header, *("".join(f"{line}\n" for line in lines) for lines in (before, after)))

    def as_dict(self) -> dict[str, str]:
        """An entry of Ansible's ``diff``."""
        return {
            "before_header": self.header,
            "after_header": self.header,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class Outcome:
    """What was done, or in check mode would be done.

    values: what the module returns besides, by its documented name; plain data without secrets.
    differences: what changed. warnings: for the user.
    failure: why the module fails although there are values to return; an operation without values raises KopsError.
    next_steps: what the user may do next, each a playbook or "the same" with what it does, as it reads after "Next: ".
    """

    changed: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)
    differences: Sequence[Difference] = ()
    warnings: Sequence[str] = ()
    failure: str = ""
    next_steps: Sequence[str] = ()

    def as_result(self) -> dict[str, Any]:
        """The result in the keys of Ansible. Parts that are empty are left out, but for ``changed``."""
        parts = {
            "diff": [each.as_dict() for each in self.differences],
            "warnings": list(self.warnings),
            "next": list(self.next_steps),
            "msg": self.failure,
            "failed": bool(self.failure),
        }
        return {"changed": self.changed, **self.values, **{name: part for name, part in parts.items() if part}}
