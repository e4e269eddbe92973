# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declaration of API fields: the manifest key, and what an omitted field means."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Callable

__all__ = ["FieldRules", "api_type", "camel_case", "field", "fields_of", "rules_of", "without"]


@dataclasses.dataclass(frozen=True)
class FieldRules:
    """Rules of one field for the codec, besides its type.

    key: the key in manifests, if it is not the attribute in camelCase.
    plain: the zero value ("", 0, false) means the same as an omitted field.
    always: the field is always written, if unset as its zero value (kops has no "omitempty" there).
    hidden: never read from or written to a manifest; for values that completion computes.
    """

    key: str | None = None
    plain: bool = False
    always: bool = False
    hidden: bool = False


# field() is called in the bodies of dataclasses, as dataclasses.field is.
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


if TYPE_CHECKING:
    from dataclasses import dataclass as api_type
else:

    def api_type(cls: type) -> type:
        """Declare a type of the API: a dataclass, whose fields all have a default.

        The methods that dataclasses have are shared. Those of Python's own decorator are compiled for each of some 180
        classes when it is declared, which is a twentieth of the CPU time of an update; few of them are ever called.
        """
        cls = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        cls.__init__, cls.__repr__, cls.__eq__, cls.__hash__ = _init, _repr, _equals, None
        return cls


@functools.cache
def _defaults_of(cls: type) -> tuple[dict[str, Any], list[tuple[str, Callable[[], Any]]]]:
    """The defaults of all fields, in their order, and the factories of those that have one."""
    declared = dataclasses.fields(cls)
    factories = [(each.name, each.default_factory) for each in declared if callable(each.default_factory)]
    return {each.name: each.default for each in declared}, factories


def _init(self: Any, *values: Any, **named: Any) -> None:
    defaults, factories = _defaults_of(self.__class__)
    given = {**dict(zip(defaults, values)), **named}
    if len(given) != len(values) + len(named) or not given.keys() <= defaults.keys():
        raise TypeError(f"{type(self).__name__} takes each of its fields once: {', '.join(defaults)}")
    state = self.__dict__
    state.update(defaults)
    state.update(given)
    for name, factory in factories:
        if name not in given:
            state[name] = factory()


def _repr(self: Any) -> str:
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in _defaults_of(self.__class__)[0])
    return f"{type(self).__qualname__}({values})"


def _equals(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    mine, theirs = self.__dict__, other.__dict__
    names = _defaults_of(self.__class__)[0]
    return [mine[name] for name in names] == [theirs[name] for name in names]


_LEFT_OUT: dict[type, frozenset[str]] = {}


def without(*names: str) -> Callable[[type], type]:
    """A class decorator: the class has all fields of the hub's class that it derives from, except these.

    Raises TypeError if there is no such field.
    """

    def leave_out(cls: type) -> type:
        unknown = set(names).difference(declared.name for declared in dataclasses.fields(cls))
        if unknown:
            raise TypeError(f"{cls.__name__} has no {', '.join(sorted(unknown))}")
        _LEFT_OUT[cls] = frozenset(names)
        return cls

    return leave_out


def fields_of(cls: type) -> list[dataclasses.Field[Any]]:
    """The fields of an API dataclass, in the order of declaration."""
    left_out = _LEFT_OUT.get(cls, frozenset())
    return [declared for declared in dataclasses.fields(cls) if declared.name not in left_out]


_NO_RULES = FieldRules()


def rules_of(declared: dataclasses.Field[Any]) -> FieldRules:
    """The FieldRules of a dataclass field, or default ones."""
    return declared.metadata.get("rules", _NO_RULES)


def camel_case(attribute: str) -> str:
    """``max_size`` -> ``maxSize``; a trailing underscore (Python keyword) is dropped."""
    first, *rest = attribute.rstrip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)
