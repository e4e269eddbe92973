# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has set which fields of an object, as its managedFields say (the field managers of server-side apply)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Optional

from ..client import MANAGER, Object

Fields = Mapping[str, Any]


def is_ours(obj: Object) -> bool:
    """Whether this collection, or kops, has ever applied the object: both are the same manager of fields."""
    return any(entry.get("manager") == MANAGER for entry in _entries(obj))


def taken_over(before: Optional[Object], after: Optional[Object]) -> dict[str, list[str]]:
    """The fields that others have lost between two states of an object: manager -> their paths."""
    left = {_key(entry): entry.get("fieldsV1") or {} for entry in _entries(after)}
    found: dict[str, list[str]] = {}
    for entry in _entries(before):
        if entry.get("manager") != MANAGER:
            lost = sorted(_missing(entry.get("fieldsV1") or {}, left.get(_key(entry), {})))
            if lost:
                found.setdefault(str(entry.get("manager")), []).extend(lost)
    return found


def _entries(obj: Optional[Object]) -> list[dict[str, Any]]:
    return ((obj or {}).get("metadata") or {}).get("managedFields") or []


def _key(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(entry.get(name, "")) for name in ("manager", "operation", "subresource"))


def _missing(fields: Fields, left: Fields, path: str = "") -> Iterator[str]:
    """Paths of the fields that are not left: of the leaves, since the rest only leads to them."""
    for name, below in fields.items():
        if name == ".":
            continue
        at = _extended(path, name)
        inner = [each for each in below if each != "."]
        if not inner and name not in left:
            yield at
        elif inner:
            yield from _missing(below, left.get(name) or {}, at)


def _extended(path: str, name: str) -> str:
    """f:NAME is a field, k:KEYS an item of a list by its keys, v:VALUE one that is a plain value."""
    kind, _colon, text = name.partition(":")
    if kind == "f":
        return f"{path}.{text}" if path else text
    if kind == "k":
        return f"{path}[{','.join(f'{key}={value}' for key, value in json.loads(text).items())}]"
    return f"{path}[{text}]"
