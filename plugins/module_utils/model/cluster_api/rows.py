# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that say which field of a manifest is which field of another object; they are read in both directions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Convert = Callable[[Any], Any]

# A key, or in brackets a key with dots in it or the place in a list: spec.cidrBlocks[0], metadata.annotations[a.b/c].
_PART = re.compile(r"\[([^\]]+)\]|([^.\[\]]+)")


def same(value: Any) -> Any:
    """Both objects spell it alike."""
    return value


def text_of(value: Any) -> str | None:
    """A number as text; None for anything else."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def number_of(value: Any) -> int | None:
    """Such a text as the number; None for anything else."""
    return int(value) if isinstance(value, str) and value.isdecimal() else None


@dataclass(frozen=True)
class Row:
    """A field. ours: its path in a manifest of v1alpha2. theirs: in the other object; "" is all of it.

    to, back: its value there, and here again; None if it cannot be said.
    """

    ours: str
    theirs: str
    to: Convert = same
    back: Convert = same


def words(ours: str, theirs: str, meaning: Mapping[Any, Any]) -> Row:
    """A field whose values have other words there. meaning: ours -> theirs; of two that mean one, the first is ours."""
    backwards = {meaning[key]: key for key in reversed(list(meaning))}
    return Row(ours, theirs, lambda value: _looked_up(meaning, value), lambda value: _looked_up(backwards, value))


def items(ours: str, theirs: str, rows: Sequence[Row]) -> Row:
    """A list of objects that have rows of their own."""
    return Row(ours, theirs, lambda value: [say(rows, each) for each in value], lambda value: _read_items(rows, value))


def named(ours: str, theirs: str, key: str) -> Row:
    """A list of texts, which there are objects with one key."""
    return Row(
        ours,
        theirs,
        lambda value: [{key: each} for each in value],
        lambda value: [each[key] for each in value if isinstance(each, Mapping) and key in each],
    )


def say(rows: Iterable[Row], manifest: Mapping[str, Any], target: dict[str, Any] | None = None) -> dict[str, Any]:
    """The other object, as far as the rows say it. target: to add to."""
    return _carry(((row.ours, row.theirs, row.to) for row in rows), manifest, {} if target is None else target)


def read(rows: Iterable[Row], found: Mapping[str, Any], target: dict[str, Any] | None = None) -> dict[str, Any]:
    """The manifest, as far as the rows say it. target: to add to."""
    return _carry(((row.theirs, row.ours, row.back) for row in rows), found, {} if target is None else target)


def get(data: Any, path: str) -> Any:
    """What is at a path; None for nothing."""
    for key in _keys(path):
        if isinstance(key, int):
            data = data[key] if isinstance(data, list) and len(data) > key else None
        else:
            data = data.get(key) if isinstance(data, Mapping) else None
    return data


def put(data: dict[str, Any], path: str, value: Any) -> None:
    """Put a value at a path, with all that is above it. A mapping is added to one that is there; "" is the whole.

    Of lists, paths name the first item only.
    """
    if not path:
        _add(data, value)
        return
    *above, last = _keys(path)
    place: Any = data
    for key, following in zip(above, [*above[1:], last]):
        empty: Any = [] if isinstance(following, int) else {}
        place = _first(place, empty) if isinstance(key, int) else place.setdefault(key, empty)
    if isinstance(last, int):
        place[:] = [value, *place[1:]]
    elif isinstance(value, Mapping) and isinstance(place.get(last), dict):
        _add(place[last], value)
    else:
        place[last] = value


def leaves(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each value of an object with its path, as users read it; an empty mapping or list is one, too."""
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            own = f"[{key}]" if re.search(r"[.\[\]]", key) else f".{key}" if path else key
            yield from leaves(value, path + own)
    elif isinstance(data, list) and any(isinstance(each, Mapping) for each in data):
        for index, value in enumerate(data):
            yield from leaves(value, f"{path}[{index}]")
    else:
        yield path, data


def _keys(path: str) -> list[str | int]:
    return [
        int(inside) if inside.isdecimal() else inside or outside
        for inside, outside in (found.groups(default="") for found in _PART.finditer(path))
    ]


def _add(place: dict[str, Any], value: Mapping[str, Any]) -> None:
    for key, each in value.items():
        put(place, f"[{key}]", each)


def _first(place: list[Any], empty: Any) -> Any:
    if not place:
        place.append(empty)
    return place[0]


def _carry(rows: Iterator[tuple[str, str, Convert]], source: Any, target: dict[str, Any]) -> dict[str, Any]:
    for here, there, convert in rows:
        value = get(source, here)
        said = None if value is None else convert(value)
        if said is not None and said != {} and said != []:
            put(target, there, said)
    return target


def _looked_up(meaning: Mapping[Any, Any], value: Any) -> Any:
    return meaning.get(value) if isinstance(value, (str, bool, int)) else None


def _read_items(rows: Sequence[Row], value: Any) -> list[dict[str, Any]]:
    return [read(rows, each) for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
