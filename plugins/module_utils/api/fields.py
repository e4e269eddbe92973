# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an API field is declared: the manifest key, and what leaving it out means."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any, Callable


@dataclasses.dataclass(frozen=True)
class FieldRules:
    """What the codec needs to know of one field beyond its type.

    key: the manifest's spelling, where it is not the automatic camelCase of the attribute.
    plain: the zero value ("", 0, false) means the same as leaving the field out.
    always: the field is written even when unset, as its zero value (kops has no "omitempty" there).
    hidden: never read from or written to a manifest; for values that only completion knows.
    """

    key: str | None = None
    plain: bool = False
    always: bool = False
    hidden: bool = False


# field() is called in the bodies of dataclasses, which is where a field may be declared.
_declare: Any = functools.partial(dataclasses.field)


def field(
    *,
    default: Any = None,
    default_factory: Callable[[], Any] | None = None,
    key: str | None = None,
    plain: bool = False,
    always: bool = False,
    hidden: bool = False,
) -> Any:
    """Declare a dataclass field of the API with its FieldRules. Unset is None unless a factory is given."""
    metadata = {"rules": FieldRules(key=key, plain=plain, always=always, hidden=hidden)}
    if default_factory is not None:
        return _declare(default_factory=default_factory, metadata=metadata)
    return _declare(default=default, metadata=metadata)


_NO_RULES = FieldRules()


def rules_of(declared: dataclasses.Field[Any]) -> FieldRules:
    """The FieldRules of a dataclass field; the default ones where none were declared."""
    return declared.metadata.get("rules", _NO_RULES)


def camel_case(attribute: str) -> str:
    """``max_size`` -> ``maxSize``; a trailing underscore (Python keyword) is dropped."""
    first, *rest = attribute.rstrip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


@functools.cache
def key_of(cls: type, attribute: str) -> str:
    """The manifest key of an attribute of an API dataclass."""
    for declared in dataclasses.fields(cls):
        if declared.name == attribute:
            return rules_of(declared).key or camel_case(attribute)
    raise AttributeError(f"{cls.__name__} has no field {attribute}")


@functools.cache
def attributes_by_key(cls: type) -> dict[str, dataclasses.Field[Any]]:
    """Manifest key -> dataclass field, for every field of cls that a manifest may carry."""
    return {
        rules_of(declared).key or camel_case(declared.name): declared
        for declared in dataclasses.fields(cls)
        if not rules_of(declared).hidden
    }


def words(key: str) -> list[str]:
    """Split a manifest key into its words, for suggestions: ``maxSize`` -> [``max``, ``Size``]."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", key)
