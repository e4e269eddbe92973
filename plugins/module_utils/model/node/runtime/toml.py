# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TOML, as containerd reads it: nested dictionaries of texts, numbers and truths, written in one fixed order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(tables: Mapping[str, Any]) -> str:
    """The document: in every table first its values, then its tables, both sorted."""
    return _table(tables, "", "")


def put(tables: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Set the value at a path; tables on the way are made."""
    for key in path[:-1]:
        below = tables.setdefault(key, {})
        # A value where a table should be: what is meant for below it stays beside it, as kops has it.
        tables = below if isinstance(below, dict) else tables
    tables[path[-1]] = value


def _table(table: Mapping[str, Any], indent: str, name: str) -> str:
    text = "".join(
        f"{indent}{_key(key)} = {_value(table[key])}\n" for key in sorted(table) if not isinstance(table[key], dict)
    )
    for key in sorted(table):
        if isinstance(table[key], dict):
            below = f"{name}.{_key(key)}" if name else _key(key)
            text += f"\n{indent}[{below}]\n" + _table(table[key], indent + "  ", below)
    return text


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: Any) -> str:
    # The escapes of JSON are among those of TOML.
    return json.dumps(value, ensure_ascii=False)
