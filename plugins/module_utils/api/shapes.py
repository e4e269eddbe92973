# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of a field's type: how its values are read from plain data, written, copied and merged.

A shape is created once for each type (``shape_of``), so that codec, conversion and paths need not read annotations.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any, Callable, Union

from .fields import FieldRules, camel_case, fields_of, rules_of
from .scalars import CONTROL_CHARACTER, Duration, FileText, Int16, Int32, IntOrString, Quantity, UInt8, UInt32
from .suggest import did_you_mean


class Problems(list[str]):
    """Errors of data that cannot be read, each as ``path: message``.

    unknown: if given, unknown fields are added to it and otherwise ignored.
    """

    unknown: list[str] | None = None


class Shape:
    """A type of the API. ``expected``: its name in messages."""

    expected: str

    def read(self, data: Any, path: str, problems: Problems) -> Any:
        """The value from plain data. Errors are added to problems, as ``path: message``."""
        raise NotImplementedError

    def write(self, value: Any) -> Any:
        """Plain data of a value."""
        return value

    def copy(self, value: Any) -> Any:
        """A copy that shares no mutable data."""
        return value

    def merge(self, base: Any, overlay: Any) -> Any:
        """The result of merging overlay into base; base may be changed and returned."""
        return self.copy(overlay)

    def refuse(self, data: Any, path: str, problems: Problems, reason: str = "") -> None:
        """Add the error that data does not have this shape."""
        message = reason or f"expected {self.expected}, not {describe(data)}{self.advice(data)}"
        problems.append(f"{path}: {message}" if path else message)

    def advice(self, data: Any) -> str:
        """What to write instead of data, to append to a message; or nothing."""
        return ""


@dataclasses.dataclass(frozen=True)
class Scalar(Shape):
    """One value. ``zero``: what Go writes if it is unset. ``parse``: makes it canonical (ValueError: not allowed).

    ``check``: refuses what no new object may have (ValueError), but stored ones of kops may.
    """

    expected: str
    accepts: tuple[type, ...]
    zero: Any
    parse: Callable[[Any], Any] | None = None
    check: Callable[[Any], None] | None = None

    def read(self, data: Any, path: str, problems: Problems) -> Any:
        if isinstance(data, float) and data.is_integer() and self.zero == 0 and self.zero is not False:
            data = int(data)  # YAML's 3.0 is JSON's 3
        if not isinstance(data, self.accepts) or (isinstance(data, bool) and bool not in self.accepts):
            return self.refuse(data, path, problems)
        try:
            if self.check is not None and problems.unknown is None:
                self.check(data)
            return data if self.parse is None else self.parse(data)
        except ValueError as error:
            return self.refuse(data, path, problems, str(error))

    def advice(self, data: Any) -> str:
        is_text = str in self.accepts and self.parse is None
        return "; put it in quotes" if is_text and isinstance(data, (bool, int, float)) else ""

    def write(self, value: Any) -> Any:
        return str(value) if isinstance(value, (Duration, Quantity)) else value


class Free(Shape):
    """Plain data of any type; it is not interpreted."""

    expected = "anything"

    def read(self, data: Any, path: str, problems: Problems) -> Any:
        return copy_plain(data)

    def write(self, value: Any) -> Any:
        return copy_plain(value)

    def copy(self, value: Any) -> Any:
        return copy_plain(value)


@dataclasses.dataclass(frozen=True)
class ListOf(Shape):
    """A list; empty is the same as unset."""

    expected = "a list"
    item: Shape

    def read(self, data: Any, path: str, problems: Problems) -> Any:
        if not isinstance(data, list):
            return self.refuse(data, path, problems)
        return [self.item.read(value, f"{path}[{index}]", problems) for index, value in enumerate(data)]

    def write(self, value: Any) -> Any:
        return [self.item.write(item) for item in value]

    def copy(self, value: Any) -> Any:
        return [self.item.copy(item) for item in value]

    def merge(self, base: Any, overlay: Any) -> Any:
        # Go decodes a list over another one item by item, and drops the rest.
        if not isinstance(self.item, Struct):
            return self.copy(overlay)
        common = [self.item.merge(under, item) for under, item in zip(base, overlay)]
        return common + [self.item.copy(item) for item in overlay[len(base) :]]


@dataclasses.dataclass(frozen=True)
class MapOf(Shape):
    """A mapping from text; empty is the same as unset."""

    expected = "a mapping"
    value: Shape

    def read(self, data: Any, path: str, problems: Problems) -> Any:
        if not isinstance(data, dict):
            return self.refuse(data, path, problems)
        keys = shape_of(str)
        return {
            keys.read(str(key), path, problems): self.value.read(item, f"{path}[{key}]", problems)
            for key, item in data.items()
        }

    def write(self, value: Any) -> Any:
        return {key: self.value.write(item) for key, item in value.items()}

    def copy(self, value: Any) -> Any:
        return {key: self.value.copy(item) for key, item in value.items()}

    def merge(self, base: Any, overlay: Any) -> Any:
        base.update(self.copy(overlay))
        return base


@dataclasses.dataclass(frozen=True)
class Field:
    """One field of a struct: attribute, manifest key, shape, rules. optional: None if unset, also for a struct."""

    name: str
    key: str
    shape: Shape
    rules: FieldRules
    optional: bool

    def is_unset(self, value: Any) -> bool:
        """Whether value means the same as an omitted field."""
        if value is None:
            return True
        return not value and (self.rules.plain or isinstance(self.shape, (ListOf, MapOf)))


class Struct(Shape):
    """A dataclass of the API. Its fields are read at the first use, so that classes can be declared in any order."""

    expected = "a mapping"

    def __init__(self, cls: type) -> None:
        self.cls = cls

    @functools.cached_property
    def fields(self) -> list[Field]:
        """All fields, including those that are never in manifests."""
        modules = {name: base.__module__ for base in reversed(self.cls.__mro__) for name in _declared_in(base)}
        found = []
        for declared in fields_of(self.cls):
            inner, optional = _without_none(_evaluated(str(declared.type), modules[declared.name]))
            rules = rules_of(declared)
            key = rules.key or camel_case(declared.name)
            found.append(Field(declared.name, key, shape_of(inner), rules, optional))
        return found

    @functools.cached_property
    def by_name(self) -> dict[str, Field]:
        """Attribute name -> field."""
        return {field.name: field for field in self.fields}

    @functools.cached_property
    def by_key(self) -> dict[str, Field]:
        """Manifest key -> field, for the fields of manifests."""
        return {field.key: field for field in self.fields if not field.rules.hidden}

    @functools.cached_property
    def _changeable(self) -> list[tuple[str, Shape]]:
        """The fields with mutable values, which a copy must not share."""
        return [(field.name, field.shape) for field in self.fields if not isinstance(field.shape, Scalar)]

    def read(self, data: Any, path: str, problems: Problems) -> Any:
        value = self.cls()
        if not isinstance(data, dict):
            self.refuse(data, path, problems)
            return value
        for key, item in data.items():
            field = self.by_key.get(key)
            here = f"{path}.{key}" if path else str(key)
            if field is None:
                if problems.unknown is None:
                    problems.append(f"{here}: unknown field{did_you_mean(str(key), self.by_key)}")
                else:
                    problems.unknown.append(here)
            elif item is not None:
                read = field.shape.read(item, here, problems)
                if field.rules.plain and not read and read is not None:
                    read = None  # the zero value means the same as an omitted field
                if read is not None:
                    setattr(value, field.name, read)
        return value

    def write(self, value: Any) -> Any:
        data: dict[str, Any] = {}
        for key, field in self.by_key.items():
            item = getattr(value, field.name)
            if not field.is_unset(item):
                data[key] = field.shape.write(item)
            elif field.rules.always:
                data[key] = field.shape.zero if isinstance(field.shape, Scalar) else item
        return data

    def copy(self, value: Any) -> Any:
        new = object.__new__(type(value))
        state = dict(value.__dict__)
        for name, shape in self._changeable:
            if state[name] is not None:
                state[name] = shape.copy(state[name])
        new.__dict__.update(state)
        return new

    def merge(self, base: Any, overlay: Any) -> Any:
        for field in self.by_key.values():
            item = getattr(overlay, field.name)
            if field.is_unset(item) and not field.rules.always:
                continue
            under = getattr(base, field.name)
            if under is None and isinstance(field.shape, Struct):
                under = field.shape.cls()
            setattr(base, field.name, field.shape.copy(item) if under is None else field.shape.merge(under, item))
        return base


def _without_control_characters(text: str) -> None:
    found = CONTROL_CHARACTER.search(text)
    if found:
        raise ValueError(f"the text has the control character U+{ord(found.group()):04X}, which is not allowed")


def _from_to(low: int, high: int) -> Callable[[Any], Any]:
    """Parses a whole number of a type of Go, which cannot hold others; texts pass."""

    def parse(value: Any) -> Any:
        if isinstance(value, int) and not low <= value <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return value

    return parse


_INT32 = _from_to(-(2**31), 2**31 - 1)
_SCALARS: dict[Any, Scalar] = {
    str: Scalar("text", (str,), "", check=_without_control_characters),
    FileText: Scalar("text", (str,), ""),
    int: Scalar("a whole number", (int,), 0, _from_to(-(2**63), 2**63 - 1)),
    Int32: Scalar("a whole number", (int,), 0, _INT32),
    Int16: Scalar("a whole number", (int,), 0, _from_to(-(2**15), 2**15 - 1)),
    UInt8: Scalar("a whole number", (int,), 0, _from_to(0, 2**8 - 1)),
    UInt32: Scalar("a whole number", (int,), 0, _from_to(0, 2**32 - 1)),
    bool: Scalar("true or false", (bool,), False),
    float: Scalar("a number", (int, float), 0),
    Duration: Scalar("a duration such as 90s, 10m or 1h30m", (str,), "0s", Duration.parse),
    Quantity: Scalar("a quantity such as 500m, 2, 100Mi or 1Gi", (str, int, float), "0", Quantity.parse),
    IntOrString: Scalar("a whole number or text", (int, str), 0, _INT32),
}


@functools.cache
def shape_of(hint: Any) -> Shape:
    """The shape of an annotation: a scalar, list[...], dict[str, ...], an API dataclass or Any."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    if hint is Any:
        return Free()
    origin = typing.get_origin(hint)
    if origin is list:
        return ListOf(shape_of(typing.get_args(hint)[0]))
    if origin is dict:
        return MapOf(shape_of(typing.get_args(hint)[1]))
    return struct_of(hint)


_STRUCTS: dict[type, Struct] = {}


def struct_of(cls: type) -> Struct:
    """The shape of an API dataclass."""
    found = _STRUCTS.get(cls)
    if found is None:
        found = _STRUCTS[cls] = Struct(cls)
    return found


def _declared_in(cls: type) -> Iterable[str]:
    return vars(cls).get("__annotations__", ())


@functools.cache
def _evaluated(annotation: str, module: str) -> Any:
    """The type that an annotation in a module means. A few hundred annotations are those of thousands of fields."""
    return eval(annotation, vars(sys.modules[module]))  # noqa: S307 -- our own sources


def _without_none(hint: Any) -> tuple[Any, bool]:
    union = (Union, getattr(types, "UnionType", Union))
    if typing.get_origin(hint) not in union:
        return hint, False
    members = tuple(member for member in typing.get_args(hint) if member is not type(None))
    return (members[0] if len(members) == 1 else Union[members]), True


def copy_plain(data: Any) -> Any:
    """A deep copy of plain data (mappings, lists, scalars)."""
    if isinstance(data, dict):
        return {key: copy_plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [copy_plain(value) for value in data]
    return data


def describe(data: Any) -> str:
    """Plain data as messages describe it, without numbers, long text and content of containers."""
    if data is None:
        return "nothing"
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, (int, float)):
        return "a number"
    if isinstance(data, str):
        return f"the text {data!r}" if len(data) <= 40 else "a text"
    return "a list" if isinstance(data, list) else "a mapping"
