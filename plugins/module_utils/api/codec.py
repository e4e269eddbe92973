# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts API objects to plain data (mappings, lists, scalars) and back; copies and merges API objects.

Types are checked as strictly as in kops: text is not a boolean, and 3 is not text. Names are checked more strictly:
an unknown field is an error. ``api.fields`` defines what an omitted field means.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ..base.errors import ManifestError
from .shapes import Problems, struct_of

T = TypeVar("T")


def to_plain(obj: Any) -> dict[str, Any]:
    """Plain data of an API object, as in its manifest, but without apiVersion and kind."""
    return struct_of(type(obj)).write(obj)


def from_plain(cls: type[T], data: Any, *, where: str = "") -> T:
    """An API object from plain data.

    where: source of the data, the start of each message ("cluster.yaml, document 2").
    Raises ManifestError with the path of every unknown field and wrong value.
    """
    problems: list[str] = []
    value = read_into(cls, data, problems)
    if problems:
        raise ManifestError("\n".join(f"{where}: {problem}" if where else problem for problem in problems))
    return value


def read_into(cls: type[T], data: Any, problems: list[str], unknown: list[str] | None = None) -> T:
    """As from_plain, but errors are added to problems. Returns what could be read.

    unknown: if given, paths of unknown fields are added to it and are not errors.
    """
    found = Problems()
    found.unknown = unknown
    value = struct_of(cls).read(data, "", found)
    problems.extend(found)
    return value


def copy(obj: T) -> T:
    """A deep copy of an API object."""
    return struct_of(type(obj)).copy(obj)


def merge(base: T, overlay: T) -> T:
    """Merge overlay into base. Changes and returns base, which then shares no data with overlay.

    As in kops (a JSON document decoded over an object): structs and mappings are merged key by key, lists of structs
    item by item (as many as overlay has), other lists and scalars are replaced. What overlay omits, including zero
    values of plain fields, changes nothing.
    """
    return struct_of(type(base)).merge(base, overlay)
