# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The expressions of a policy: JMESPath, the language for questions to data that Ansible knows from json_query.

Fields that no manifest has are found when a policy is read: a misspelled one would be a rule that nothing can violate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

from ...api.shapes import ListOf, MapOf, Shape, Struct
from ...api.suggest import did_you_mean

# What is known of data: the shape of a manifest, keys with what is known of each, or None for nothing.
Known = Union[Shape, Mapping[str, Any], None]

_IN_ORDER = ("subexpression", "pipe")
_ITEMS = ("projection", "filter_projection")


@dataclass(frozen=True)
class Expression:
    """An expression that can be evaluated. text: as it was written."""

    text: str
    compiled: Any

    @classmethod
    def of(cls, text: str) -> Expression:
        """Raises ValueError with a message of one line."""
        import jmespath

        try:
            return cls(text, jmespath.compile(text))
        except jmespath.exceptions.JMESPathError as error:
            first = str(error).splitlines()[0].rstrip(":")
            raise ValueError(f"{text!r} is no JMESPath expression: {first}") from error

    def value(self, data: Any) -> Any:
        """Evaluate the expression. Raises ValueError with a message of one line."""
        import jmespath

        try:
            return self.compiled.search(data)
        except jmespath.exceptions.JMESPathError as error:
            raise ValueError(f"{self.text!r} cannot be evaluated: {' '.join(str(error).split())}") from error

    def holds(self, data: Any) -> bool:
        """Whether it gives what JMESPath takes for true: all but null, false, and an empty text, list or mapping."""
        value = self.value(data)
        return bool(value) or (value == 0 and value is not False)

    def unknown_fields(self, known: Known) -> list[str]:
        """Messages about fields that the data never has."""
        problems: list[str] = []
        _walk(self.compiled.parsed, known, problems)
        return list(dict.fromkeys(problems))


def _walk(node: Mapping[str, Any], known: Known, problems: list[str]) -> Known:
    """Walk through an expression: the shape of its value, if its data has the shape known."""
    kind, parts = node["type"], node["children"]
    if kind == "field":
        return _below(known, str(node["value"]), problems)
    if kind in ("identity", "current"):
        return known
    if kind in _IN_ORDER:
        for part in parts:
            known = _walk(part, known, problems)
        return known
    if kind == "index_expression":
        return _walk(parts[1], _walk(parts[0], known, problems), problems)
    if kind in ("index", "slice"):
        return _item(known) if kind == "index" else known
    if kind in _ITEMS:
        item = _item(_walk(parts[0], known, problems))
        for condition in parts[2:]:
            _walk(condition, item, problems)
        return _list_of(_walk(parts[1], item, problems))
    if kind == "flatten":
        whole = _walk(parts[0], known, problems)
        inner = _item(whole)
        return inner if isinstance(inner, ListOf) else whole
    if kind == "value_projection":
        whole = _walk(parts[0], known, problems)
        return _list_of(_walk(parts[1], whole.value if isinstance(whole, MapOf) else None, problems))
    for part in parts:
        # Of functions, what they do with their arguments is not followed.
        _walk(part, None if kind == "expref" else known, problems)
    return None


def _below(known: Known, name: str, problems: list[str]) -> Known:
    if isinstance(known, MapOf):
        return known.value
    if isinstance(known, Struct):
        names: Mapping[str, Any] = {key: field.shape for key, field in known.by_key.items()}
    elif isinstance(known, Mapping):
        names = known
    else:
        return None
    if name in names:
        found: Known = names[name]
        return found
    problems.append(f"there is no field {name}{did_you_mean(name, names)}")
    return None


def _item(known: Known) -> Known:
    return known.item if isinstance(known, ListOf) else None


def _list_of(known: Known) -> Known:
    return ListOf(known) if isinstance(known, Shape) else None
