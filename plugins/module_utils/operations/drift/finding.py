# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between the specification, the state store, the cloud, hosts and the cluster: as data, and as text.

A finding is an entry of a plan that is only looked at, so it is shown by what shows plans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...engine.plan_data import Action, Entry, entry_of
from ...engine.plan_text import kept, plan_lines

STORE, CLOUD, HOSTS, CLUSTER, STACK = "store", "cloud", "hosts", "cluster", "stack"
# Those that are looked at unless others are asked for, and all of them.
PARTS = (STORE, CLOUD, HOSTS, CLUSTER)
ALL_PARTS = (*PARTS, STACK)
MISSING, DIFFERENT, UNWANTED = "missing", "different", "unwanted"
_ACTIONS = {MISSING: Action.CREATE, DIFFERENT: Action.UPDATE, UNWANTED: Action.DELETE}
WHAT = {action.value: what for what, action in _ACTIONS.items()}
_TITLES = {
    STORE: "In the state store",
    CLOUD: "In the cloud",
    HOSTS: "On the hosts",
    CLUSTER: "In the cluster",
    STACK: "In the stack",
}


@dataclass(frozen=True)
class Finding:
    """One object that is not as it should be.

    where: one of ALL_PARTS. what: MISSING, DIFFERENT or UNWANTED. before, after: the fields that differ, as they are
    and as they should be; secrets are masked. reason: why, where that is not obvious. mend: what makes it as it should
    be, a command or a sentence. host: of an inventory, if it is there.
    """

    where: str
    what: str
    kind: str
    name: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    mend: str = ""
    host: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {
            "kind": self.kind,
            "name": self.name,
            "where": self.where,
            "what": self.what,
            "change": {"before": dict(self.before), "after": dict(self.after)},
            "reason": self.reason,
            "mend": self.mend,
            "host": self.host,
        }

    def entry(self) -> Entry:
        """The finding as an entry of a plan."""
        return entry_of(self.kind, self.name, _ACTIONS[self.what], self.before, self.after, reason=self.reason)


@dataclass(frozen=True)
class Unseen:
    """A part that could not be compared, and the reason. failed: it should have been possible."""

    what: str
    why: str
    failed: bool = True

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass
class Drift:
    """Findings about a cluster. unseen: parts that were not compared. kept: only an update with prune deletes them."""

    name: str
    found: list[Finding] = field(default_factory=list)
    unseen: list[Unseen] = field(default_factory=list)
    kept: int = 0
    warnings: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether all was looked at that could have been."""
        return not any(each.failed for each in self.unseen)

    def text(self) -> str:
        """The findings as text."""
        return "\n".join([*_lines(self), ""])

    def report(self) -> list[str]:
        """Summary in a few lines: counts, parts that were not compared, and what comes next."""
        return [f"{self.name}: {_summary(self)}", *map(_not_looked_at, self.unseen), *_next(self)]


def _lines(drift: Drift) -> Iterator[str]:
    yield f"{drift.name}: {_summary(drift)}"
    for part in ALL_PARTS:
        entries = [each.entry() for each in drift.found if each.where == part]
        if entries:
            count = Counter(each.what for each in drift.found if each.where == part)
            yield ""
            yield f"{_TITLES[part]}: {_counts(count)}"
            # Its first line counts what an apply would do.
            yield from (line.text for line in plan_lines(entries)[1:])
    if drift.unseen:
        yield ""
        yield from map(_not_looked_at, drift.unseen)
    following = [*_next(drift)]
    if following:
        yield ""
        yield from following


def _summary(drift: Drift) -> str:
    if drift.found:
        where = Counter(each.where for each in drift.found)
        told = ", ".join(f"{where[part]} {_TITLES[part].lower()}" for part in ALL_PARTS if where[part])
        one = len(drift.found) == 1
        return f"{'1 object is not as it' if one else f'{len(drift.found)} objects are not as they'} should be ({told})"
    return "no drift" if drift.is_complete else "no drift in what could be looked at"


def _counts(count: Mapping[str, int]) -> str:
    words = {MISSING: "missing", DIFFERENT: "different", UNWANTED: "not wanted"}
    return ", ".join(f"{count[what]} {word}" for what, word in words.items() if count.get(what))


def _not_looked_at(unseen: Unseen) -> str:
    return f"Not looked at: {unseen}"


def _next(drift: Drift) -> Iterator[str]:
    """Commands that mend the findings; the one for most of them first."""
    for mend, count in Counter(each.mend for each in drift.found).most_common():
        yield f"Next, for {count} of them: {mend}"
    if drift.kept:
        yield kept(drift.kept)
