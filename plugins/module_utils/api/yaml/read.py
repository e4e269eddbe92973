# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML text -> plain data as JSON would carry it, with the meanings that kops' YAML library gives (``yaml_scalars``).

What JSON cannot carry, and a key that is there twice, is a problem; its place is told as path and line.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...base.errors import KopsError, ManifestError
from .scalars import format_float, resolve

_TAGS = "tag:yaml.org,2002:"
_PLAIN = "plain"  # our mark for an unquoted scalar, whose meaning its text decides
_SCALAR_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
    "timestamp": (str,),
}


@dataclass(frozen=True)
class Document:
    """One document of a text: its data, and how messages call it ("cluster.yaml, document 2")."""

    where: str
    data: Any


def read_documents(text: str | bytes, source: str = "", problems: list[str] | None = None) -> list[Document]:
    """The documents of a text, empty ones left out. Raises ManifestError that lists all problems found.

    source: the file's name or the like, for messages.
    problems: where given, problems are appended there instead, and what could be read is returned.
    """
    found: list[str] = [] if problems is None else problems
    documents = []
    for where, node in _nodes(text, source, found):
        data = _Reader(where, found).read(node, "")
        if data is not None:
            documents.append(Document(where, data))
    if found and problems is None:
        raise ManifestError("\n".join(found))
    return documents


def read_plain(text: str | bytes, source: str = "") -> Any:
    """The data of a text with at most one document; None if it is empty. Raises ManifestError."""
    documents = read_documents(text, source)
    if len(documents) > 1:
        raise ManifestError(f"{documents[1].where}: expected one document only")
    return documents[0].data if documents else None


def _nodes(text: str | bytes, source: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    yaml = _yaml()
    number = 1
    try:
        for node in yaml.compose_all(text, Loader=_loader()):
            yield _where(source, number), node
            number += 1
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        problems.append(f"{_where(source, number)}{line}: this is not YAML: {reason}")


def _where(source: str, number: int) -> str:
    return f"{source}, document {number}" if source else f"document {number}"


def _yaml() -> Any:
    try:
        import yaml
    except ImportError as error:
        raise KopsError("Reading YAML needs the Python library PyYAML on the controller.") from error
    return yaml


@functools.cache
def _loader() -> type:
    yaml = _yaml()

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
            if kind is yaml.ScalarNode and implicit[0]:
                return _PLAIN
            return super().resolve(kind, value, implicit)

    return Loader


class _Reader:
    """Turns the nodes of one document into plain data."""

    def __init__(self, where: str, problems: list[str]) -> None:
        self.where = where
        self.problems = problems
        self.open: set[int] = set()

    def read(self, node: Any, path: str) -> Any:
        kind = getattr(node, "id", "empty")
        if kind == "empty":
            return None
        if kind == "scalar":
            return self.scalar(node, path)
        if id(node) in self.open:
            return self.problem(node, path, "the alias refers to something that it is a part of")
        self.open.add(id(node))
        if kind == "sequence":
            data: Any = [self.read(item, f"{path}[{index}]") for index, item in enumerate(node.value)]
        else:
            data = self.mapping(node, path)
        self.open.discard(id(node))
        return data

    def mapping(self, node: Any, path: str) -> dict[str, Any]:
        data: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _PLAIN and key_node.value == "<<":
                merged = {**self.merged(value_node, path), **merged}
                continue
            key = self.key(key_node, path)
            if key is None:
                continue
            here = f"{path}.{key}" if path else key
            if key in lines:
                self.problem(key_node, here, f"the key is there twice, first in line {lines[key]}")
            lines[key] = key_node.start_mark.line + 1
            data[key] = self.read(value_node, here)
        return {**merged, **data} if merged else data

    def merged(self, node: Any, path: str) -> dict[str, Any]:
        """What a merge key adds; of several mappings, the first one wins."""
        value = self.read(node, path)
        parts = value if isinstance(value, list) else [value]
        found: dict[str, Any] = {}
        for part in parts:
            if not isinstance(part, dict):
                self.problem(node, path, "the merge key << needs a mapping or a list of mappings")
                break
            found = {**part, **found}
        return found

    def key(self, node: Any, path: str) -> str | None:
        value = self.scalar(node, path) if node.id == "scalar" else None
        if value is None:
            self.problem(node, path, "a key has to be text")
        elif isinstance(value, bool):
            return "true" if value else "false"
        elif isinstance(value, float):
            return format_float(value)
        return None if value is None else str(value)

    def scalar(self, node: Any, path: str) -> Any:
        tag = node.tag
        if tag == _TAGS + "str":
            return node.value
        value = resolve(node.value)
        if tag != _PLAIN:
            expected = _SCALAR_TYPES.get(tag[len(_TAGS) :] if tag.startswith(_TAGS) else "")
            if expected is None:
                return self.problem(node, path, f"the tag {tag} is not allowed in a manifest")
            if not isinstance(value, expected) or (isinstance(value, bool) and bool not in expected):
                return self.problem(node, path, f"{node.value!r} is not what its tag says")
        if isinstance(value, float) and not math.isfinite(value):
            return self.problem(node, path, f"{node.value} is not a number that a manifest can carry")
        return str(value) if isinstance(value, str) else value

    def problem(self, node: Any, path: str, message: str) -> None:
        line = node.start_mark.line + 1
        place = f"{path}: " if path else ""
        self.problems.append(f"{self.where}, line {line}: {place}{message}")
