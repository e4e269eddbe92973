# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two manifests differ, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

# Written with every object that is stored, said by no user.
_STORE_KEYS = ("creationTimestamp", "generation")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")


def differing(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The deepest places where two plain values differ: each with its path and both values, None if there is none.

    Lists of different lengths differ as a whole.
    """
    if old == new:
        return
    keys = {*(old or ()), *(new or ())} if _is_mapping(old) and _is_mapping(new) else set()
    if keys:
        for key in sorted(keys):
            yield from differing((old or {}).get(key), (new or {}).get(key), _below(path, str(key)))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new)):
            yield from differing(one, other, f"{path}[{index}]")
    else:
        yield path, old, new


def without_store_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    """An object's plain data without what the state store writes into its metadata."""
    metadata = data.get("metadata") or {}
    return {**data, "metadata": {key: value for key, value in metadata.items() if key not in _STORE_KEYS}}


def _is_mapping(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _below(path: str, key: str) -> str:
    if not _PLAIN_KEY.fullmatch(key):
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key
