# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rule of a policy, and what violates it. Rules on data: nothing is asked here."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as declared
from typing import Any, get_type_hints

from ...api.shapes import struct_of
from ...api.suggest import did_you_mean
from ...api.v1alpha2 import conversion
from ...engine.plan_data import Action, Entry
from .expression import Expression, Known

CLUSTER, GROUP, OBJECT, CHANGE, OPERATION = "cluster", "group", "object", "change", "operation"
ABOUT = (CLUSTER, GROUP, OBJECT, CHANGE, OPERATION)
DENY, WARN = "deny", "warn"
ACTIONS = tuple(action.value for action in Action if action is not Action.NONE)
_CONDITIONS = ("allowed", "forbidden", "matches", "min", "max", "required")
_LONGEST = 80


def _known() -> dict[str, Known]:
    """Kinds of subjects of rules, and the shape of their data."""
    manifest = {"apiVersion": None, "kind": None}
    cluster, group = (struct_of(conversion.KINDS[kind][0]) for kind in ("Cluster", "InstanceGroup"))
    return {
        CLUSTER: {**manifest, **{key: each.shape for key, each in cluster.by_key.items()}},
        GROUP: {**manifest, **{key: each.shape for key, each in group.by_key.items()}},
        OBJECT: dict.fromkeys(("kind", "name", "fields")),
        CHANGE: dict.fromkeys(get_type_hints(Entry)),
        OPERATION: {
            **dict.fromkeys(("name", "instances", "control_planes", "groups")),
            "time": dict.fromkeys(("date", "weekday", "hour")),
        },
    }


@dataclass
class Rule:
    """A rule as a file says it.

    message: why there is the rule, and what to do instead. about: one of ABOUT. effect: DENY or WARN.

    Which ones it looks at: names: patterns, any of which must match. kinds: the same, of objects and changes.
    actions: of changes. when: an expression that must hold.

    What it asks of them: must: an expression that must hold. never: there must be none. field: an expression for the
    value, or a list of values, which must be one of those that are allowed, and none that is forbidden; match a regular
    expression from beginning to end; be a number not below min and not above max. required: there must be one. Without
    a value, all of these but forbidden are violated; a list without items violates required only.
    """

    name: str = ""
    message: str = ""
    about: str = ""
    effect: str = DENY
    kinds: list[str] = declared(default_factory=list)
    names: list[str] = declared(default_factory=list)
    actions: list[str] = declared(default_factory=list)
    when: str | None = None
    must: str | None = None
    never: bool | None = None
    field: str | None = None
    allowed: list[Any] | None = None
    forbidden: list[Any] | None = None
    matches: str | None = None
    min: float | None = None
    max: float | None = None
    required: bool | None = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the rule itself: the key that it is about ("" for the rule), and a sentence."""
        for key in ("name", "message", "about"):
            if not getattr(self, key):
                yield key if key != "name" else "", f"a rule needs {key}"
        yield from _choice("about", [self.about] if self.about else [], ABOUT)
        yield from _choice("effect", [self.effect], (DENY, WARN))
        yield from _choice("actions", self.actions, ACTIONS)
        if self.kinds and self.about not in (OBJECT, CHANGE):
            yield "kinds", f"only objects and changes have kinds; a rule about {OBJECT} or {CHANGE} can name some"
        if self.actions and self.about != CHANGE:
            yield "actions", f"only a rule about {CHANGE} can name actions"
        yield from self._problems_of_conditions()
        for key in ("when", "must", "field"):
            yield from ((key, problem) for problem in self._problems_of_expression(key))

    def _problems_of_conditions(self) -> Iterator[tuple[str, str]]:
        given = [key for key in _CONDITIONS if getattr(self, key) is not None]
        if self.field is not None and not given:
            yield "field", f"what must it be? Give one of {', '.join(_CONDITIONS)}"
        if self.field is None and given:
            yield given[0], "of which field? Give field"
        if self.field is None and not given and self.must is None and self.never is None:
            yield "", "a rule needs must, never, or a field and what it must be"
        for key in ("never", "required"):
            if getattr(self, key) is False:
                yield key, "expected true; leave it out instead"
        if self.min is not None and self.max is not None and self.min > self.max:
            yield "min", f"it is more than max, {self.max:g}"
        try:
            re.compile(self.matches or "")
        except re.error as error:
            yield "matches", f"it is no regular expression: {error}"

    def _problems_of_expression(self, key: str) -> list[str]:
        text = getattr(self, key)
        if text is None:
            return []
        try:
            return Expression.of(text).unknown_fields(_known().get(self.about))
        except ValueError as error:
            return [str(error)]


def _choice(key: str, given: Sequence[str], known: Sequence[str]) -> Iterator[tuple[str, str]]:
    for each in given:
        if each not in known:
            yield key, f"there is no {each!r}; it is one of {', '.join(known)}{did_you_mean(each, known)}"


@dataclass(frozen=True)
class Subject:
    """What rules are about. about: as of Rule. data: the manifest, {kind, name, fields}, the entry of a plan, or
    what operation.py says of an operation.
    """

    about: str
    kind: str
    name: str
    data: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Name of the rule."""
        return f"{self.kind}/{self.name}"


@dataclass(frozen=True)
class Violation:
    """A rule that something violates. object: its kind and name. where: file and line of the rule.

    value: what violates it; None if nothing is there. what: a sentence without its end.
    """

    rule: str
    effect: str
    message: str
    about: str
    object: str
    field: str
    value: Any
    what: str
    where: str

    def as_dict(self) -> dict[str, Any]:
        """The violation as plain data."""
        return dict(vars(self))

    def __str__(self) -> str:
        return f"{self.object}: {self.what}. {self.message} (rule {self.rule}, {self.where})"


class Check:
    """A rule that is ready to be asked. where: its file and line."""

    def __init__(self, rule: Rule, where: str) -> None:
        self.rule, self.where = rule, where
        self._when, self._must, self._field = (
            None if text is None else Expression.of(text) for text in (rule.when, rule.must, rule.field)
        )

    def violations(self, subject: Subject) -> Iterator[Violation]:
        """Violations of the rule by a subject. A rule that cannot be evaluated counts as violated."""
        rule = self.rule
        if subject.about != rule.about or not self._selects(subject):
            return
        try:
            found = list(self._found(subject))
        except ValueError as error:
            found = [(None, str(error))]
        for value, what in found:
            yield Violation(
                rule.name,
                rule.effect,
                rule.message,
                rule.about,
                subject.title,
                rule.field or "",
                value,
                what,
                self.where,
            )

    def _selects(self, subject: Subject) -> bool:
        rule = self.rule
        return (
            (not rule.kinds or _matches(subject.kind, rule.kinds))
            and (not rule.names or _matches(subject.name, rule.names))
            and (not rule.actions or subject.data.get("action") in rule.actions)
        )

    def _found(self, subject: Subject) -> Iterator[tuple[Any, str]]:
        data, rule = subject.data, self.rule
        if self._when is not None and not self._when.holds(data):
            return
        if rule.never:
            yield None, f"{data['action']} is forbidden" if rule.about == CHANGE else "it is forbidden"
        if self._must is not None and not self._must.holds(data):
            yield None, f"{rule.must} does not hold"
        if self._field is not None:
            value = self._field.value(data)
            values = value if isinstance(value, list) else [value]
            if rule.required and not [each for each in values if each is not None]:
                yield None, f"{rule.field} is not set"
                return
            for each in values:
                what = _wrong(rule, each)
                if what:
                    yield each, f"{rule.field} is {_shown(each)}{what}"


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _wrong(rule: Rule, value: Any) -> str:
    """Problem of a value, as text that follows it; "" for none."""
    if rule.forbidden is not None and any(_same(value, each) for each in rule.forbidden):
        return ", which is forbidden"
    if rule.allowed is not None and not any(_same(value, each) for each in rule.allowed):
        return f"; allowed: {', '.join(map(_shown, rule.allowed))}"
    if rule.matches is not None and not (isinstance(value, str) and re.fullmatch(rule.matches, value)):
        return f"; it must match {rule.matches}"
    if rule.min is None and rule.max is None:
        return ""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return "; it must be a number"
    if rule.min is not None and value < rule.min:
        return f"; at least {rule.min:g} is allowed"
    if rule.max is not None and value > rule.max:
        return f"; at most {rule.max:g} is allowed"
    return ""


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON, where true is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
