# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object was read: so that errors of rules name its file, document and line, and the path as written there.

The origin is no field of an object: it is neither compared nor written. Copies keep it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..base.errors import FieldError

_ATTRIBUTE = "_origin"


@dataclass(frozen=True)
class Origin:
    """where: file and document, as messages name them. line_of: the line of a path (None: unknown).

    spell: a path in the hub's spelling -> in that of the version that the object was written in.
    """

    where: str
    line_of: Callable[[str], int | None]
    spell: Callable[[str], str]


def mark(obj: Any, origin: Origin) -> None:
    """Remember where an object was read."""
    obj.__dict__[_ATTRIBUTE] = origin


def unmark(obj: Any) -> None:
    """Forget it, as for an object that is edited by paths."""
    obj.__dict__.pop(_ATTRIBUTE, None)


def located(errors: Iterable[FieldError], objects: Iterable[Any]) -> list[FieldError]:
    """Errors with the place where their object was read. objects: a Cluster, and InstanceGroups.

    An error is about the group that it names (FieldError.group), else about the Cluster.
    """
    by_group = {_group(obj): obj.__dict__.get(_ATTRIBUTE) for obj in objects}
    return [_located(error, by_group.get(error.group)) for error in errors]


def located_in(error: FieldError, obj: Any) -> FieldError:
    """An error with the place where an object was read, whatever the error names."""
    return _located(error, obj.__dict__.get(_ATTRIBUTE))


def _group(obj: Any) -> str:
    return str(obj.metadata.name or "") if type(obj).__name__ == "InstanceGroup" else ""


def _located(error: FieldError, origin: Origin | None) -> FieldError:
    if origin is None or not error.path or error.where:
        return error
    path = origin.spell(error.path)
    line = origin.line_of(path)
    return dataclasses.replace(error, path=path, where=f"{origin.where}, line {line}" if line else origin.where)
