# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as Ansible's diff: both sides as text.

What changes is whole, with a line for each of its parts, so that the parts can be compared. Objects that are created or
deleted have nothing to be compared with: there, what several of them have in common is said once, empty fields and long
texts are left out.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .plan_data import Action
from .plan_text import DIFFERENCE, WIDTH, flat

_Fields = Mapping[str, Any]
# Actions whose objects are on one side only, and what they are called there.
_ALONE = {Action.DELETE.value: "before", Action.CREATE.value: "after"}
_OF_ALL = {Action.DELETE.value: "deleted", Action.CREATE.value: "new"}


def plan_diff(entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Both sides of Ansible's diff. entries: see plan_data.Entry; what is kept is not part of it."""
    sides: dict[str, list[str]] = {"before": [], "after": []}
    shared: dict[str, dict[str, dict[str, Any]]] = {}
    for action, side in _ALONE.items():
        shared[action] = _pairs_of_all([entry for entry in entries if entry["action"] == action], side)
        for name, pairs in shared[action].items():
            sides[side] += [f"All {_OF_ALL[action]} objects with {name}:", *_field(name, pairs, _packed(pairs))]
    by_kind = sorted(entries, key=_kind_and_action)
    for (_kind, action), found in itertools.groupby(by_kind, key=_kind_and_action):
        group = list(found)
        for side, lines in sides.items():
            if action == Action.UPDATE.value:
                lines += (line for entry in group for line in _update_lines(entry, side))
            elif side == _ALONE.get(action):
                lines += _group_lines(group, side, shared[action])
    return {side: "".join(f"{line}\n" for line in lines) for side, lines in sides.items()}


def _kind_and_action(entry: Mapping[str, Any]) -> tuple[str, str]:
    return entry["kind"], entry["action"]


def _update_lines(entry: Mapping[str, Any], side: str) -> Iterator[str]:
    """An object that changes."""
    yield f"{entry['kind']}/{entry['name']}:"
    for name, value in entry[side].items():
        # Both sides in the same form.
        room = min(_room(entry["before"].get(name)), _room(entry["after"].get(name)))
        yield from _field(name, value, _parts(value, room))


def _group_lines(entries: Sequence[Mapping[str, Any]], side: str, shared: _Fields) -> Iterator[str]:
    """The objects of a kind that are created, or deleted."""
    values = [_without(_set(entry[side]), shared) for entry in entries]
    same = _in_common(values) if len(values) > 1 else {}
    if same:
        yield f"{entries[0]['kind']}, the same in all {len(entries)}:"
        for name, value in same.items():
            yield from _field(name, value, _packed(value))
    for entry, fields in zip(entries, values):
        yield f"{entry['kind']}/{entry['name']}:"
        for name, value in _without(fields, same).items():
            yield from _field(name, value, _packed(value))


def _field(name: str, value: Any, lines: Sequence[str]) -> Iterator[str]:
    if _on_one_line(value, lines):
        yield f"  {name}: {lines[0]}"
        return
    yield f"  {name}: |" if isinstance(value, str) else f"  {name}:"
    yield from (f"    {line}" for line in lines)


def _on_one_line(value: Any, lines: Sequence[str]) -> bool:
    """Whether a value's only line is the value itself, and not its only part."""
    return len(lines) == 1 and (isinstance(value, str) or lines[0] == flat(value))


def _room(value: Any) -> int:
    """How much room a value gets on one line: none if it is too long for it."""
    return WIDTH if len(flat(value)) <= WIDTH else 0


def _parts(value: Any, room: int = WIDTH) -> list[str]:
    """A value with a line for each of its parts, on which nothing depends that stands in others (such as a comma)."""
    if isinstance(value, str):
        return value.splitlines() or [""]
    if not value or not isinstance(value, (dict, list)) or len(flat(value)) <= room:
        return [flat(value)]
    lines = []
    for mark, part in sorted(value.items()) if isinstance(value, dict) else (("-", part) for part in value):
        colon = ":" if isinstance(value, dict) else ""
        one = [_json(part)] if isinstance(part, str) else _parts(part)
        if isinstance(part, str) or _on_one_line(part, one):
            lines.append(f"{mark}{colon} {one[0]}")
        else:
            lines += [f"{mark}{colon}", *(f"  {each}" for each in one)]
    return lines


def _set(fields: _Fields) -> _Fields:
    return {name: value for name, value in fields.items() if value is not None and value not in ("", [], {})}


def _pairs_of_all(entries: Sequence[Mapping[str, Any]], side: str) -> dict[str, dict[str, Any]]:
    """Mappings (tags) of several kinds of objects: field -> the pairs that all have which have the field."""
    found: dict[str, list[dict[str, Any]]] = {}
    kinds: dict[str, set[str]] = {}
    for entry in entries:
        for name, value in _set(entry[side]).items():
            if isinstance(value, dict):
                found.setdefault(name, []).append(value)
                kinds.setdefault(name, set()).add(entry["kind"])
    pairs = {name: _in_common(mappings, within=False) for name, mappings in found.items() if len(kinds[name]) > 1}
    return {name: same for name, same in pairs.items() if same}


def _in_common(values: Sequence[_Fields], *, within: bool = True) -> dict[str, Any]:
    """What is the same in all. within: also the pairs of mappings that differ."""
    first, *others = values
    found: dict[str, Any] = {}
    for name, value in first.items():
        if all(name in other and other[name] == value for other in others):
            found[name] = value
        elif within and all(isinstance(each.get(name), dict) for each in values):
            pairs = _in_common([each[name] for each in values], within=False)
            found.update({name: pairs} if pairs else {})
    return found


def _without(fields: _Fields, shared: _Fields) -> _Fields:
    """The fields, and of mappings the pairs, that are not among the shared ones."""
    left: dict[str, Any] = {}
    for name, value in fields.items():
        of_all = shared.get(name)
        if isinstance(value, dict) and isinstance(of_all, dict):
            rest = {key: one for key, one in value.items() if key not in of_all}
            left.update({name: rest} if rest else {})
        elif name not in shared or value != of_all:
            left[name] = value
    return left


def _packed(value: Any) -> list[str]:
    """A value in few lines."""
    if isinstance(value, str):
        lines = _parts(value)
        return lines if len(lines) <= DIFFERENCE else [f"(text of {len(lines)} lines, in the result's plan)"]
    if not isinstance(value, (dict, list)) or len(flat(value)) <= WIDTH:
        return [flat(value)]
    if isinstance(value, dict):
        opening, *parts, closing = "{", *(f"{_json(key)}: {_json(one)}" for key, one in sorted(value.items())), "}"
    else:
        opening, *parts, closing = "[", *map(_json, value), "]"
    *others, last = parts
    lines = [opening]
    for part in (*(f"{other}," for other in others), f"{last}{closing}"):
        if lines == [opening]:
            lines[-1] += part
        elif len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(f" {part}")
    return lines


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
