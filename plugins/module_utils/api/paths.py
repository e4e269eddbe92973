# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets and unsets a field by its path, as kops' ``--set path=value`` and ``--unset path`` do.

A path consists of the hub's manifest keys, with ``[0]`` for an item of a list and ``[*]`` for all items:
``spec.networking.subnets[*].zone``. The rules are kops':

- A leading ``cluster.`` or ``instancegroup.`` is ignored, and a few v1alpha2 paths are accepted (``OLD_PLACES``).
- Unset structs on the way are created; the index after the last item appends one.
- A list takes comma-separated values and appends them. A mapping takes ``key=value`` and sets that key.
- An unset struct takes the empty value, which creates it.
- Unsetting sets a field to its zero value; an item of a list stays as an empty item.

Two rules differ from kops', so that the same settings can be applied again: a value that a list already has is not
appended, and unsetting a field of an unset struct is not an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Callable, Union

from ..base.errors import KopsError
from .common import EnvVar
from .scalars import IntOrString
from .shapes import ListOf, MapOf, Problems, Scalar, Shape, Struct, shape_of, struct_of
from .suggest import did_you_mean

# path in v1alpha2 -> path in the hub
OLD_PLACES = {
    "spec.masterPublicName": "spec.api.publicName",
    "spec.topology.dns.type": "spec.networking.topology.dns",
    "spec.topology.bastion.loadBalancer.type": "spec.networking.topology.bastion.loadBalancer.type",
    "spec.externalDns.provider": "spec.externalDNS.provider",
    "spec.externalDns.priorityClassName": "spec.externalDNS.priorityClassName",
}

_PREFIX = re.compile(r"(cluster|instancegroup)\.")
_ELEMENT = re.compile(r"[./]|([^\W\d]\w*)|\[\s*(\d+|\*)\s*\]")
_ALL = "*"
_TRUE = frozenset(("1", "t", "T", "TRUE", "true", "True"))
_FALSE = frozenset(("0", "f", "F", "FALSE", "false", "False"))
_INTEGER = re.compile(r"[+-]?\d{1,20}")

Element = Union[str, int]  # a key or "*", an index


class PathError(KopsError):
    """The path does not exist, or the value has the wrong type."""


def apply_settings(obj: Any, *, sets: Iterable[str] = (), unsets: Iterable[str] = ()) -> list[str]:
    """Apply ``path`` texts to unset, then ``path=value`` texts to set. Raises PathError with all errors.

    Returns sentences about lists that have had other values and keep them: who narrows an access expects them gone.
    """
    problems, kept = [], []
    for path in unsets:
        try:
            unset_path(obj, path)
        except PathError as error:
            problems.append(str(error))
    for setting in sets:
        try:
            kept += set_path(obj, *split_setting(setting))
        except PathError as error:
            problems.append(str(error))
    if problems:
        raise PathError("\n".join(problems))
    return kept


def split_setting(setting: str) -> tuple[str, str]:
    """``path=value`` -> (path, value). Raises PathError if there is no equals sign."""
    path, separator, value = setting.partition("=")
    if not separator or not path:
        raise PathError(f"{setting!r} is not a setting; write path=value, for example spec.channel=stable")
    return path, value


def set_path(obj: Any, path: str, value: str) -> list[str]:
    """Set the field of a hub object at path. The text is parsed according to the field's type. Raises PathError.

    Returns a sentence about a list that keeps the values that it had.
    """
    kept = []
    for place in _places(obj, path, create=True):
        before = place.get()
        try:
            place.put(_parse(place.shape, value, before, optional=place.optional))
        except ValueError as error:
            raise PathError(f"{place.path}: {error}") from error
        if isinstance(place.shape, ListOf) and before and place.get() != before:
            had = f" ({', '.join(before)})" if all(isinstance(each, str) for each in before) else ""
            kept.append(f"{place.path}: the list keeps what it had{had}; to replace that, unset {place.path} as well")
    return kept


def unset_path(obj: Any, path: str) -> None:
    """Set the field of a hub object at path to its zero value. Raises PathError."""
    for place in _places(obj, path, create=False):
        place.put(None if place.optional else _zero(place.shape))


@dataclass(frozen=True)
class _Place:
    """A place in an object: its value, and how to replace it."""

    path: str
    shape: Shape
    optional: bool
    get: Callable[[], Any]
    put: Callable[[Any], None]


def _places(obj: Any, path: str, *, create: bool) -> list[_Place]:
    """The places that a path matches; several if it contains ``[*]``."""
    path = _PREFIX.sub("", path, count=1) if _PREFIX.match(path) else path
    elements = _split(OLD_PLACES.get(path, path))
    _check(struct_of(type(obj)), elements, path)
    places = [_Place("", struct_of(type(obj)), False, lambda: obj, _refuse_root)]
    for element in elements:
        places = [step for place in places for step in _steps(place, element, create=create)]
    return places


def _split(path: str) -> list[Element]:
    elements: list[Element] = []
    position = 0
    while position < len(path):
        found = _ELEMENT.match(path, position)
        if found is None:
            raise PathError(f"{path!r} is not a valid path, from {path[position:]!r} on")
        key, index = found.groups()
        if key:
            elements.append(key)
        elif index:
            elements.append(index if index == _ALL else int(index))
        position = found.end()
    if not elements:
        raise PathError("the path is empty")
    return elements


def _check(root: Struct, elements: list[Element], path: str) -> None:
    """Check that the types have the path, before anything is changed."""
    shape: Shape = root
    done = ""
    for element in elements:
        indexing = isinstance(element, int) or element == _ALL
        if isinstance(shape, ListOf) and indexing:
            shape = shape.item
        elif isinstance(shape, ListOf):
            raise PathError(f"{path}: {done} is a list; write {done}[0] for an item or {done}[*] for all items")
        elif isinstance(shape, MapOf):
            raise PathError(f"{path}: {done} is a mapping; set one of its keys with {done}=key=value")
        elif indexing or not isinstance(shape, Struct):
            raise PathError(
                f"{path}: {done or 'the object'} is not a list" if indexing else f"{path}: {done} has no fields"
            )
        elif element not in shape.by_key:
            hint = _elsewhere(root, str(element)) or did_you_mean(str(element), shape.by_key)
            raise PathError(f"{path}: {done or shape.cls.__name__} has no field {element}{hint}")
        else:
            shape = shape.by_key[str(element)].shape
        done = _join(done, element)


def _elsewhere(root: Struct, key: str) -> str:
    """``; did you mean spec.networking.networkCIDR?`` if exactly one other struct has the key, else nothing.

    This helps users who know the path of the field in v1alpha2.
    """
    found = []
    ahead: list[tuple[str, Struct]] = [("", root)]
    while ahead:
        path, struct = ahead.pop()
        for field in struct.by_key.values():
            here = _join(path, field.key)
            if field.key == key:
                found.append(here)
            if isinstance(field.shape, Struct):
                ahead.append((here, field.shape))
    return f"; did you mean {found[0]}?" if len(found) == 1 else ""


def _join(path: str, element: Element) -> str:
    if isinstance(element, int) or element == _ALL:
        return f"{path}[{element}]"
    return f"{path}.{element}" if path else element


def _steps(place: _Place, element: Element, *, create: bool) -> list[_Place]:
    """The places that one element of a path matches."""
    holder = place.get()
    if isinstance(place.shape, ListOf):
        return _items(place, holder, element, create=create)
    if not isinstance(place.shape, Struct):
        return []
    if holder is None:
        if not create:
            return []
        holder = place.shape.cls()
        place.put(holder)
    field = place.shape.by_key[str(element)]

    def put(value: Any) -> None:
        setattr(holder, field.name, None if field.rules.plain and not value else value)

    optional = field.optional
    return [_Place(_join(place.path, element), field.shape, optional, lambda: getattr(holder, field.name), put)]


def _items(place: _Place, items: list[Any], element: Element, *, create: bool) -> list[_Place]:
    item_shape = place.shape.item if isinstance(place.shape, ListOf) else place.shape
    if element == _ALL:
        if not items and create:
            raise PathError(f"{place.path}[*]: the list is empty")
        indices = list(range(len(items)))
    else:
        index = int(element)
        if create and index == len(items):
            items.append(_zero(item_shape))
        if index >= len(items):
            raise PathError(f"{place.path}[{index}]: there is no such item; the list has {len(items)}, counted from 0")
        indices = [index]
    return [_item(place, items, index, item_shape) for index in indices]


def _item(place: _Place, items: list[Any], index: int, shape: Shape) -> _Place:
    def put(value: Any) -> None:
        items[index] = value

    return _Place(f"{place.path}[{index}]", shape, False, lambda: items[index], put)


def _refuse_root(value: Any) -> None:
    raise PathError("the path must name a field")


def _zero(shape: Shape) -> Any:
    if isinstance(shape, Struct):
        return shape.cls()
    if isinstance(shape, ListOf):
        return []
    if isinstance(shape, MapOf):
        return {}
    return shape.zero if isinstance(shape, Scalar) else None


def _parse(shape: Shape, text: str, current: Any, *, optional: bool = False) -> Any:
    """Parse a text as a value of the shape. current: the present value. Raises ValueError."""
    if isinstance(shape, ListOf):
        given = [_parse(shape.item, token, None) for token in text.split(",")]
        return [*current, *(item for item in given if item not in current)]
    if isinstance(shape, MapOf):
        return _parse_entry(shape, text, current)
    if isinstance(shape, Struct):
        return _parse_struct(shape, text, current, optional=optional)
    if not isinstance(shape, Scalar):
        raise ValueError("has any type, so it cannot be set from text; use a manifest")
    return _parse_scalar(shape, text)


def _parse_entry(shape: MapOf, text: str, current: dict[str, Any]) -> dict[str, Any]:
    if text == "":
        return current
    if shape.value not in (shape_of(str), shape_of(IntOrString), shape_of(list[str])):
        raise ValueError("cannot be set from text; use a manifest")
    key, _equals, value = text.partition("=")
    return {**current, key: _parse(shape.value, value, [])}


def _parse_struct(shape: Struct, text: str, current: Any, *, optional: bool) -> Any:
    if text == "":
        return shape.cls() if optional or current is None else current
    if shape.cls is EnvVar:
        name, separator, value = text.partition("=")
        return EnvVar(name=name, value=value if separator and value else None)
    raise ValueError(f"has fields of its own; set one of them, such as {next(iter(shape.by_key), '')}")


def _parse_scalar(shape: Scalar, text: str) -> Any:
    value: Any = text
    if shape is shape_of(bool) and text in _TRUE | _FALSE:
        value = text in _TRUE
    elif shape.accepts[0] is int and _INTEGER.fullmatch(text):
        value = int(text)
    problems = Problems()
    parsed = shape.read(value, "", problems)
    if problems:
        raise ValueError(problems[0])
    return parsed
