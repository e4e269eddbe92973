# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML text -> plain data as JSON would carry it, with the meanings that kops' YAML library gives (``yaml_scalars``).

What JSON cannot carry, and a key that is there twice, is a problem; its place is told as path and line. So is a text
that is larger than any manifest, or that its aliases make larger (``MAX_DEPTH``, ``MAX_VALUES``, ``MAX_SIZE``).
"""

from __future__ import annotations

import contextlib
import functools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...base.errors import KopsError, ManifestError
from ..scalars import CONTROL_CHARACTER
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

MAX_DEPTH = 100  # levels of mappings and lists; the definitions of kinds have about 40
MAX_VALUES = 500_000  # of all documents together, with each alias as what it stands for
MAX_SIZE = 16 * 2**20  # bytes of the text, and characters of all values


class _TooLarge(Exception):
    """A bound is exceeded, which ends reading. The text says which one, and begins with the line."""

    def __init__(self, node: Any, reason: str) -> None:
        super().__init__(f"line {node.start_mark.line + 1}: {reason}")


_TOO_DEEP = f"more than {MAX_DEPTH} levels of mappings and lists"
_TOO_MANY = f"more than {MAX_VALUES} values"
_TOO_LONG = f"more than {MAX_SIZE // 2**20} MiB of text"


@dataclass(frozen=True)
class Document:
    """One document of a text: its data, and how messages call it ("cluster.yaml, document 2")."""

    where: str
    data: Any
    text: str | bytes = ""
    number: int = 0

    def line_of(self, path: str) -> int | None:
        """The line of a path (``spec.subnets[0].zone``), or of what there is of it; None if it has no beginning.

        The text is read again, as only errors ask.
        """
        if not self.text:
            return None
        nodes, line = _all_nodes(self.text), None
        node = nodes[self.number - 1] if self.number <= len(nodes) else None
        for step in _STEP.findall(path):
            node, found = _child(node, step.strip("[]").strip('"'))
            if found is None:
                break
            line = found
        return line


def read_documents(text: str | bytes, source: str = "", problems: list[str] | None = None) -> list[Document]:
    """The documents of a text, empty ones left out. Raises ManifestError that lists all problems found.

    source: the file's name or the like, for messages.
    problems: where given, problems are appended there instead, and what could be read is returned.
    """
    found: list[str] = [] if problems is None else problems
    documents = []
    where, size = _where(source, 1), _Size()
    try:
        for number, (where, node) in enumerate(_nodes(text, source, found), 1):
            data = _Reader(where, found, size).read(node, "")
            if data is not None:
                documents.append(Document(where, data, text, number))
    except _TooLarge as error:
        found.append(f"{where}, {error}")
    if found and problems is None:
        raise ManifestError("\n".join(found))
    return documents


_STEP = re.compile(r"[^.\[\]]+|\[[^\]]*\]")


@functools.lru_cache(maxsize=1)
def _all_nodes(text: str | bytes) -> list[Any]:
    """Those of all documents, up to one that cannot be read: each of a thousand documents may have an error."""
    nodes = []
    with contextlib.suppress(_yaml().YAMLError, _TooLarge):
        nodes.extend(_yaml().compose_all(text, Loader=_loader()))
    return nodes


def _child(node: Any, step: str) -> tuple[Any, int | None]:
    """A value below a node, and the line where it begins: that of its key in a mapping."""
    kind = getattr(node, "id", "")
    if kind == "sequence" and step.isdigit() and int(step) < len(node.value):
        item = node.value[int(step)]
        return item, item.start_mark.line + 1
    if kind == "mapping":
        for key, value in node.value:
            if key.value == step:
                return value, key.start_mark.line + 1
    return None, None


def read_plain(text: str | bytes, source: str = "") -> Any:
    """The data of a text with at most one document; None if it is empty. Raises ManifestError."""
    documents = read_documents(text, source)
    if len(documents) > 1:
        raise ManifestError(f"{documents[1].where}: expected one document only")
    return documents[0].data if documents else None


def _nodes(text: str | bytes, source: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    yaml = _yaml()
    number = 1
    if len(text) > MAX_SIZE:
        problems.append(f"{source or 'the text'}: {_TOO_LONG}")
        return
    try:
        for node in yaml.compose_all(text, Loader=_loader()):
            yield _where(source, number), node
            number += 1
    except _TooLarge as error:
        problems.append(f"{_where(source, number)}, {error}")
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
        depth = values = 0

        # The composer calls this pair around each node.
        def descend_resolver(self, current_node: Any, current_index: Any) -> None:
            self.depth += 1
            self.values += 1
            if self.depth > MAX_DEPTH:
                raise _TooLarge(current_node, _TOO_DEEP)
            if self.values > MAX_VALUES:
                raise _TooLarge(current_node, _TOO_MANY)

        def ascend_resolver(self) -> None:
            self.depth -= 1

        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
            if kind is yaml.ScalarNode and implicit[0]:
                return _PLAIN
            return super().resolve(kind, value, implicit)

    return Loader


@dataclass
class _Size:
    """How much has been read of a text, with each alias as what it stands for."""

    values: int = 0
    characters: int = 0


class _Reader:
    """Turns the nodes of one document into plain data. Raises _TooLarge."""

    def __init__(self, where: str, problems: list[str], size: _Size) -> None:
        self.where = where
        self.problems = problems
        self.size = size
        self.open: set[int] = set()

    def read(self, node: Any, path: str) -> Any:
        kind = getattr(node, "id", "empty")
        if kind == "empty":
            return None
        self.size.values += 1
        if self.size.values > MAX_VALUES:
            raise _TooLarge(node, f"{_TOO_MANY}, with each alias as what it stands for")
        if kind == "scalar":
            return self.scalar(node, path)
        if id(node) in self.open:
            return self.problem(node, path, "the alias refers to something that it is a part of")
        self.open.add(id(node))
        if len(self.open) > MAX_DEPTH:
            raise _TooLarge(node, _TOO_DEEP)
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
        if isinstance(value, str) and CONTROL_CHARACTER.search(value):
            self.problem(node, path, "a key has to be text without control characters")
            return None
        if value is None:
            self.problem(node, path, "a key has to be text")
        elif isinstance(value, bool):
            return "true" if value else "false"
        elif isinstance(value, float):
            return format_float(value)
        return None if value is None else str(value)

    def scalar(self, node: Any, path: str) -> Any:
        tag = node.tag
        self.size.characters += len(node.value)
        if self.size.characters > MAX_SIZE:
            raise _TooLarge(node, f"{_TOO_LONG}, with each alias as what it stands for")
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
