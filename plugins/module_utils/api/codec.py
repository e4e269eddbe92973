# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API objects <-> plain data (mappings, lists, scalars), and copying and merging of API objects.

Reading is strict, as kops' own decoder is about types: text is no boolean, and 3 is no text. It is stricter about
names: an unknown field is an error. ``api.fields`` says what a field's declaration means for leaving it out.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ..base.errors import ManifestError
from .shapes import Problems, struct_of

T = TypeVar("T")


def to_plain(obj: Any) -> dict[str, Any]:
    """Plain data of an API object, as its manifest has it; apiVersion and kind are the manifest's business."""
    return struct_of(type(obj)).write(obj)


def from_plain(cls: type[T], data: Any, *, where: str = "") -> T:
    """The object of an API class for plain data.

    where: what the data is, put before every message ("cluster.yaml, document 2").
    Raises ManifestError that lists every unknown field and wrong value with its path.
    """
    problems: list[str] = []
    value = read_into(cls, data, problems)
    if problems:
        raise ManifestError("\n".join(f"{where}: {problem}" if where else problem for problem in problems))
    return value


def read_into(cls: type[T], data: Any, problems: list[str], unknown: list[str] | None = None) -> T:
    """As from_plain, but what is wrong is appended to problems, and the object is what could be read.

    unknown: where given, paths of unknown fields are appended there and are no problem.
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
    """Set what overlay sets over base; changes base and returns it. Nothing is shared with overlay afterwards.

    The rule is kops' (a JSON document decoded over an object): structs and mappings merge member by member, lists of
    structs item by item (as many as overlay has), other lists and scalars are replaced, and what overlay leaves out
    (a plain field's zero value, too) changes nothing.
    """
    return struct_of(type(base)).merge(base, overlay)
