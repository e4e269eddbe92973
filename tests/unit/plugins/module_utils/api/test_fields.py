# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of the API are dataclasses, though their methods are shared."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pkgutil
import typing
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils import api
from ansible_collections.kubeops.kops.plugins.module_utils.api.fields import _init
from ansible_collections.kubeops.kops.plugins.module_utils.api.shapes import _without_none, shape_of, struct_of


def _types() -> list[Any]:
    names = [found.name for found in pkgutil.walk_packages(api.__path__, f"{api.__name__}.") if not found.ispkg]
    values = [value for name in names for value in vars(importlib.import_module(name)).values()]
    return sorted({each for each in values if isinstance(each, type) and vars(each).get("__init__") is _init}, key=repr)


TYPES = _types()


def _by_dataclasses(cls: Any) -> Any:
    """What Python's own decorator would make of the same fields."""
    fields = {each.name: copy.copy(each) for each in dataclasses.fields(cls)}
    return dataclasses.dataclass(type(cls.__name__, (), {"__annotations__": dict.fromkeys(fields, Any), **fields}))


def test_all_types_are_found() -> None:
    assert len(TYPES) > 180


@pytest.mark.parametrize("cls", TYPES, ids=lambda cls: f"{cls.__module__.rpartition('api.')[2]}.{cls.__name__}")
def test_a_type_behaves_as_a_dataclass(cls: Any) -> None:
    new, other, model = cls(), cls(), _by_dataclasses(cls)()
    names = [each.name for each in dataclasses.fields(cls)]
    assert list(new.__dict__) == names == list(model.__dict__)
    assert {name: getattr(model, name) for name in names} == new.__dict__
    assert repr(new) == repr(model)
    assert new == other
    assert new != model
    assert cls.__hash__ is None
    for name in names:
        value = getattr(new, name)
        assert not isinstance(value, (list, dict)) or value is not getattr(other, name)
        changed = dataclasses.replace(new, **{name: "another"})
        assert getattr(changed, name) == "another"
        assert changed != new


@pytest.mark.parametrize("cls", TYPES, ids=lambda cls: f"{cls.__module__.rpartition('api.')[2]}.{cls.__name__}")
def test_annotations_mean_what_typing_says(cls: Any) -> None:
    hints = typing.get_type_hints(cls, include_extras=True)
    expected = {name: shape_of(_without_none(hint)[0]) for name, hint in hints.items()}
    assert {each.name: each.shape for each in struct_of(cls).fields} == {
        each.name: expected[each.name] for each in struct_of(cls).fields
    }


@pytest.mark.parametrize(
    ("values", "named"), [((), {"colour": "red"}), (("a",), {"name": "b"}), (("a", None, "c"), {})]
)
def test_arguments_that_a_type_does_not_have(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    cls = next(each for each in TYPES if each.__name__ == "EnvVar")
    assert [each.name for each in dataclasses.fields(cls)] == ["name", "value"]
    assert cls("a", value="b") == cls(name="a", value="b")
    with pytest.raises(TypeError, match="EnvVar takes each of its fields once: name, value"):
        cls(*values, **named)
