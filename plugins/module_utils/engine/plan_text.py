# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan for a reader: counts, then objects, then fields. Made from a plan's entries and from nothing else.

The terminal and the text of a result come from here, and Ansible's diff (plan_diff.py) from the same entries. A text is
bounded however large a cluster is: long values are shortened, and of many objects of a kind only some are named. The
entries have everything.
"""

from __future__ import annotations

import difflib
import enum
import itertools
import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..base.options import named
from .plan_data import Action, counts_of

# What a line may take in a document; a terminal says how much it has.
WIDTH = 100
# A plan of more objects is grouped by kind, and so many of each kind are named.
WIDE = 20
LISTED = 5
# So many lines of a difference between two texts are shown.
DIFFERENCE = 12
MARKS = {"create": "+", "update": "~", "delete": "-", "keep": "="}
_KEPT = "Kept, as it may still be in use"
_HOW_TO_DELETE = f"to delete it, set {named('prune')}"
_LABEL = 22
_ABSENT = "(not set)"


class Fields(enum.Enum):
    """Fields that a plan shows: none, the ones that change, or all fields of created objects, too."""

    NONE = "none"
    CHANGED = "changed"
    ALL = "all"


class Line(NamedTuple):
    """A line. action: what it tells of (the value of an Action), which a terminal may show as a colour; or ""."""

    text: str
    action: str = ""


class _Look(NamedTuple):
    """How to show it. See plan_lines."""

    width: int
    listed: int | None
    fields: Fields
    more: str


def plan_lines(
    entries: Sequence[Mapping[str, Any]],
    *,
    unchanged: int | None = None,
    plan_id: str = "",
    width: int = WIDTH,
    listed: int | None = LISTED,
    fields: Fields = Fields.CHANGED,
    more: str = "",
) -> list[Line]:
    """The lines of a plan.

    entries: see plan_data.Entry. unchanged: how many objects are as they should be, where that is known.
    listed: how many objects of a kind a wide plan names; None: all. more: where a reader finds what is left out.
    """
    look = _Look(width, listed, fields, more)
    lines = [Line(_head(counts_of(entries), unchanged, plan_id))]
    for action in (Action.CREATE, Action.UPDATE, Action.DELETE, Action.KEEP):
        chosen = sorted(
            (entry for entry in entries if entry["action"] == action.value),
            key=lambda entry: (entry["kind"].lower(), entry["name"]),
        )
        if chosen:
            lines += [Line(""), *([Line(f"{_KEPT}; {_HOW_TO_DELETE}:")] if action is Action.KEEP else [])]
        for _kind, group in itertools.groupby(chosen, key=lambda entry: str(entry["kind"])):
            lines += _group_lines(list(group), len(entries) > WIDE, look)
    return lines


def plan_text(
    entries: Sequence[Mapping[str, Any]],
    *,
    unchanged: int | None = None,
    plan_id: str = "",
    warnings: Sequence[str] = (),
) -> str:
    """The lines as one text, for documents. warnings: what was left alone and why."""
    lines = [line.text for line in plan_lines(entries, unchanged=unchanged, plan_id=plan_id)]
    lines += ["", *(f"Warning: {warning}" for warning in warnings)] if warnings else []
    return "\n".join([*lines, ""])


def done_lines(entries: Sequence[Mapping[str, Any]], *, unchanged: int | None = None) -> list[Line]:
    """What is left to say of a plan that was carried out."""
    count = counts_of(entries)
    if not _writes(count):
        lines = [Line(_head(count, unchanged, ""))]
    else:
        told = f"Done: {count['create']} created, {count['update']} changed, {count['delete']} deleted"
        lines = [Line(told + (f", {unchanged} unchanged" if unchanged is not None else ""))]
    if count["keep"]:
        lines.append(Line(kept(count["keep"])))
        lines += [Line(f"  {line}", Action.KEEP.value) for line in kept_for_a_reason(entries)]
    return lines


def kept_for_a_reason(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each kept object that has a reason, such as a rule that still lets somebody in; of many, some."""
    found = sorted(
        f"{MARKS['keep']} {each['kind']}/{each['name']}  ({each['reason']})"
        for each in entries
        if each["action"] == Action.KEEP.value and each["reason"]
    )
    return [*found[:LISTED], *([f"and {len(found) - LISTED} more"] if len(found) > LISTED else [])]


def kept(count: int) -> str:
    """A line about objects that are kept for instances that may run with them."""
    return f"{_KEPT}: {count}; {_HOW_TO_DELETE}"


def as_they_should_be(unchanged: int, kept_ones: int) -> str:
    """What there is when nothing is done. What is kept is not wanted, so that then it is not all."""
    if not unchanged and not kept_ones:
        return "no object is concerned"
    if not kept_ones:
        return f"all {unchanged} objects are as they should be"
    return f"{unchanged} objects are as they should be, and {kept_ones} kept that the specification does not have"


def plan_values(entries: Sequence[Mapping[str, Any]], *, nothing: str = "") -> dict[str, Any]:
    """What every module with a plan returns of it. nothing: the text of a plan without entries, if it says why."""
    text = f"{nothing}\n" if nothing and not entries else plan_text(entries)
    return {"plan": list(entries), "plan_text": text, "summary": counts_of(entries)}


def _writes(count: Mapping[str, int]) -> bool:
    return any(count[action] for action in ("create", "update", "delete"))


def _head(count: Mapping[str, int], unchanged: int | None, plan_id: str) -> str:
    if not _writes(count):
        return "Nothing to do" + (f": {as_they_should_be(unchanged, count['keep'])}" if unchanged is not None else "")
    title = f"Plan {plan_id}" if plan_id else "Plan"
    told = f"{title}: {count['create']} to create, {count['update']} to change, {count['delete']} to delete"
    return told + (f", {unchanged} unchanged" if unchanged is not None else "")


def _group_lines(entries: Sequence[Mapping[str, Any]], wide: bool, look: _Look) -> Iterator[Line]:
    """The objects of one kind with which the same is done."""
    action, kind = entries[0]["action"], entries[0]["kind"]
    grouped = wide and len(entries) > 1
    if grouped:
        yield Line(f"{MARKS[action]} {len(entries)} {kind}", action)
    # The line that would tell of a single one that is left out has room for it.
    shown = entries if not wide or look.listed is None or len(entries) <= look.listed + 1 else entries[: look.listed]
    for entry in shown:
        head = f"    {entry['name']}" if grouped else f"{MARKS[action]} {kind}/{entry['name']}"
        yield from _with_reason(head, entry["reason"], action, look.width)
        indent = " " * (8 if grouped else 4)
        yield from _field_lines(entry, indent, look)
    if len(shown) < len(entries):
        yield Line(f"    and {len(entries) - len(shown)} more {look.more}".rstrip(), action)


def _with_reason(head: str, reason: str, action: str, width: int) -> Iterator[Line]:
    """A name is never shortened; a reason that has no room beside it follows."""
    if not reason or len(head) + len(reason) + 4 <= width:
        yield Line(f"{head}  ({reason})" if reason else head, action)
        return
    yield Line(head, action)
    wrapped = textwrap.wrap(f"({reason})", max(width - 6, 20), break_long_words=False, break_on_hyphens=False)
    yield from (Line(f"      {each}", action) for each in wrapped)


def _field_lines(entry: Mapping[str, Any], indent: str, look: _Look) -> Iterator[Line]:
    before, after = entry["before"], entry["after"]
    if entry["action"] == Action.UPDATE.value and look.fields is not Fields.NONE:
        changes = [each for name in after for each in _changes(name, before.get(name), after[name])]
        pad = _pad(label for label, _old, _new in changes)
        for label, old, new in changes:
            yield from _change_lines(label.ljust(pad), old, new, indent, look)
    elif look.fields is Fields.ALL:
        values = after or before
        pad = _pad(values)
        for name, value in values.items():
            one, *others = _value_lines(value, 0) if isinstance(value, str) else [flat(value)]
            text = f"(text of {len(others) + 1} lines)" if others else one
            yield Line(_shortened(f"{indent}{name.ljust(pad)}  {text}", look.width))


def _pad(labels: Any) -> int:
    return max((len(label) for label in labels if len(label) <= _LABEL), default=0)


def _changes(label: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """What differs of a field: of a mapping only the keys that do."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key):
                yield from _changes(f"{label}[{key}]", old.get(key), new.get(key))
    else:
        yield label, old, new


def _change_lines(label: str, old: Any, new: Any, indent: str, look: _Look) -> Iterator[Line]:
    """One line if it has room, else the lines that differ."""
    one = f"{indent}{label}  {flat(old)} -> {flat(new)}"
    if "\n" not in one and len(one) <= look.width:
        yield Line(one)
        return
    room = look.width - len(indent) - 3
    was, now = ([] if value in (None, "") else _value_lines(value, room) for value in (old, new))
    if len(was) <= 1 and len(now) <= 1:
        was, now = _around_the_difference("".join(was), "".join(now))
    yield Line(f"{indent}{label.rstrip()}:")
    found = [each for each in list(difflib.unified_diff(was, now, n=0, lineterm=""))[2:] if not each.startswith("@@")]
    limit = len(found) if look.listed is None or len(found) <= DIFFERENCE + 1 else DIFFERENCE
    for each in found[:limit]:
        action = {"+": Action.CREATE.value, "-": Action.DELETE.value}.get(each[0], "")
        yield Line(_shortened(f"{indent}  {each}", look.width), action)
    if limit < len(found):
        yield Line(f"{indent}  and {len(found) - limit} more lines {look.more}".rstrip())


def _around_the_difference(old: str, new: str) -> tuple[list[str], list[str]]:
    """Two long values without what they have in common at their beginnings."""
    start = max(len(os.path.commonprefix([old, new])) - 12, 0)
    cut = (f"...{value[start:]}" if start > 3 else value for value in (old, new))
    was, now = ([value] if value else [] for value in cut)
    return was, now


def flat(value: Any) -> str:
    """A value on one line: a text as it is, all else as JSON."""
    if value is None:
        return _ABSENT
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _value_lines(value: Any, room: int) -> list[str]:
    """A value as it is read: a text by its lines, what else has no room on one line as indented JSON."""
    if isinstance(value, str):
        return value.splitlines() or [""]
    one = flat(value)
    if len(one) <= room or not isinstance(value, (dict, list)):
        return [one]
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2).splitlines()


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 3, 1)]}..."
