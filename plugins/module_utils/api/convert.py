# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion between API versions: attributes with equal names are copied, hooks convert the others.

Both versions are trees of dataclasses: ``api`` is the hub, ``api.v1alpha2`` and ``api.v1alpha3`` contain only the
classes that differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from ..base.errors import FieldError
from .shapes import ListOf, MapOf, Scalar, Shape, Struct, struct_of

Hook = Callable[[Any, Any, "list[FieldError]"], None]
Convert = Callable[[Any, "list[FieldError]"], Any]


class Converter:
    """Converts in one direction.

    hooks: (class, class of the other version) -> function(source, result, errors). A hook converts attributes
        with another name or meaning, after the attributes of the same name were converted.
    """

    def __init__(self, hooks: Mapping[tuple[type, type], Hook]) -> None:
        self._hooks = hooks
        self._plans: dict[tuple[type, type], list[tuple[str, Convert]]] = {}

    def convert(self, source: Any, target: type, errors: list[FieldError]) -> Any:
        """Convert to a new object of class target. Values without equivalent are added to errors."""
        pair = (type(source), target)
        if pair not in self._plans:
            self._plans[pair] = self._plan(*pair)
        result = target()
        for name, convert in self._plans[pair]:
            value = getattr(source, name)
            if value is not None:
                setattr(result, name, convert(value, errors))
        if pair in self._hooks:
            self._hooks[pair](source, result, errors)
        return result

    def _plan(self, source: type, target: type) -> list[tuple[str, Convert]]:
        theirs = struct_of(source).by_name
        plan = []
        for field in struct_of(target).fields:
            convert = self._between(theirs[field.name].shape, field.shape) if field.name in theirs else None
            if convert is not None:
                plan.append((field.name, convert))
        return plan

    def _between(self, source: Shape, target: Shape) -> Convert | None:
        """The function that converts between two shapes; None if the shapes have nothing in common."""
        if isinstance(source, Struct) and isinstance(target, Struct):
            if source.cls is target.cls and (source.cls, target.cls) not in self._hooks:
                return lambda value, errors: target.copy(value)
            return lambda value, errors: self.convert(value, target.cls, errors)
        if isinstance(source, ListOf) and isinstance(target, ListOf):
            item = self._between(source.item, target.item)
            return None if item is None else lambda value, errors: [item(entry, errors) for entry in value]
        if type(source) is not type(target) or (isinstance(source, (Scalar, MapOf)) and source != target):
            return None
        return lambda value, errors: target.copy(value)


def get_path(obj: Any, path: str) -> Any:
    """The value at a dotted path of attributes; None if an attribute on the way is unset."""
    for name in path.split("."):
        obj = None if obj is None else getattr(obj, name)
    return obj


def set_path(obj: Any, path: str, value: Any) -> None:
    """Set the value at a dotted path of attributes. Unset structs on the way are created."""
    *parents, last = path.split(".")
    for name in parents:
        child = getattr(obj, name)
        if child is None:
            shape = struct_of(type(obj)).by_name[name].shape
            child = shape.cls() if isinstance(shape, Struct) else None
            setattr(obj, name, child)
        obj = child
    setattr(obj, last, value)


def move(source: Any, result: Any, paths: Iterable[tuple[str, str]]) -> None:
    """For each (path in source, path in result): copy the value if it is set."""
    for here, there in paths:
        value = get_path(source, here)
        if value not in (None, [], {}):
            set_path(result, there, value)


def negate(*names: str) -> Hook:
    """A hook for boolean attributes with the opposite meaning in the other version."""

    def hook(source: Any, result: Any, errors: list[FieldError]) -> None:
        for name in names:
            value = getattr(source, name)
            setattr(result, name, None if value is None else not value)

    return hook


_STEP = re.compile(r"[^.\[\]]+|\[[^\]]*\]")


def path_between(path: str, source: type, target: type, moved: Mapping[str, str]) -> str:
    """A path of manifest keys below a class of one version, spelled as below the class of another one.

    moved: dotted path of attributes in source -> in target; the longest one counts. Others have the same attributes.
    """
    names: list[str] = []
    shape: Shape | None = struct_of(source)
    for step in _STEP.findall(path):
        field = shape.by_key.get(step) if isinstance(shape, Struct) else None
        names.append(field.name if field else step)
        shape = field.shape if field else _item_of(shape)
    for length in range(len(names), 0, -1):
        if ".".join(names[:length]) in moved:
            names = [*moved[".".join(names[:length])].split("."), *names[length:]]
            break
    spelled, shape = "", struct_of(target)
    for name in names:
        field = shape.by_name.get(name) if isinstance(shape, Struct) else None
        key = field.key if field else name
        spelled += key if key.startswith("[") or not spelled else f".{key}"
        shape = field.shape if field else _item_of(shape)
    return spelled


def _item_of(shape: Shape | None) -> Shape | None:
    if isinstance(shape, ListOf):
        return shape.item
    return shape.value if isinstance(shape, MapOf) else None


def manifest_path(cls: type, path: str) -> str:
    """A dotted path of attributes below an API class, with the keys of manifests."""
    keys = []
    shape: Shape = struct_of(cls)
    for name in path.split("."):
        field = shape.by_name[name] if isinstance(shape, Struct) else None
        keys.append(field.key if field else name)
        shape = field.shape if field else shape
    return ".".join(keys)
