# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A template that is too large for one stack: a root, and parts, which are nested stacks of it.

Parts get what they need of the root as parameters, and nothing refers to what is in a part. So parts can be put
together again, and all who compare templates see one.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cloudformation import TooLarge, refs

STACK = "AWS::CloudFormation::Stack"
# docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html; at once: in all nested stacks that
# an operation changes.
MOST_RESOURCES, MOST_OUTPUTS, MOST_PARAMETERS, MOST_AT_ONCE = 500, 200, 200, 2500
# Up to here a stack gets further groups; what it has may still grow.
ROOM_BYTES, ROOM_RESOURCES, ROOM_PARAMETERS = 600_000, 300, 150
# What ids of parts begin with.
PART = "Groups"
_ROOT = ""

Value = Any
Template = Mapping[str, Value]
Size = Callable[[Template], int]


@dataclass(frozen=True)
class Parts:
    """A template in parts. root: with a resource for each part. parts: the ids of these resources -> templates."""

    root: Template
    parts: Mapping[str, Template] = field(default_factory=dict)

    def linked(self, urls: Mapping[str, str]) -> Template:
        """The root, which says where its parts are. urls: by the ids of parts."""
        resources = {**self.root["Resources"]}
        for name, url in urls.items():
            properties = {**resources[name]["Properties"], "TemplateURL": url}
            resources[name] = {**resources[name], "Properties": properties}
        return {**self.root, "Resources": resources} if urls else self.root


def split(template: Template, units: Iterable[Collection[str]], held: Parts | None, size: Size) -> Parts:
    """A template in as many parts as it needs. Raises TooLarge for what no parts can hold.

    units: ids of resources that may be in a part, but only together and with what refers to them. held: what is there,
    None if nothing is: it stays where it is, since another stack would make it once more. size: bytes of a text.
    """
    resources: dict[str, Value] = template["Resources"]
    moving = [_Unit.of({name: resources[name] for name in unit}, size) for unit in _movable(template, units)]
    inside = {name for each in moving for name in each.resources}
    root = _Unit.of({name: each for name, each in resources.items() if name not in inside}, size)
    where = _places(held)
    places = [next((where[name] for name in unit.resources if name in where), None) for unit in moving]
    stacks: dict[str, list[_Unit]] = {_ROOT: [root]}
    stacks |= {name: [] for name in sorted({*filter(None, places)}, key=lambda each: (len(each), each))}
    for unit, place in zip(moving, places):
        if place is not None:
            stacks[place].append(unit)
    for unit, place in zip(moving, places):
        if place is None:
            new = next(name for number in itertools.count(1) if (name := f"{PART}{number}") not in stacks)
            free = next((name for name, found in stacks.items() if _has_room(found, unit)), new)
            stacks.setdefault(free, []).append(unit)
    filled = {name: frozenset(key for unit in found for key in unit.resources) for name, found in stacks.items()}
    found = _parts(template, filled)
    _refuse_too_many(found)
    return found


def whole(held: Parts) -> dict[str, Value]:
    """One template of parts. It does not say in which order stacks are made."""
    resources: dict[str, Value] = {}
    for name, each in (held.root.get("Resources") or {}).items():
        if name in held.parts:
            given = (each.get("Properties") or {}).get("Parameters") or {}
            inner = held.parts[name].get("Resources") or {}
            resources |= _mapped(inner, functools.partial(_outer, given))
        else:
            resources[name] = each
    return {**held.root, "Resources": resources}


def parts_in(root: Template) -> list[str]:
    """The ids of a root's parts."""
    resources = root.get("Resources")
    found = resources.items() if isinstance(resources, dict) else ()
    stacks = (str(name) for name, each in found if isinstance(each, dict) and each.get("Type") == STACK)
    return [name for name in stacks if re.fullmatch(rf"{PART}[0-9]+", name)]


@dataclass(frozen=True)
class _Unit:
    """Resources that are in one stack together. bytes: of their text. outside: what they refer to beyond themselves."""

    resources: Mapping[str, Value]
    bytes: int
    outside: frozenset[str]

    @classmethod
    def of(cls, resources: Mapping[str, Value], size: Size) -> _Unit:
        names = (_parameter(value) for value in _references(resources))
        return cls(resources, size(resources), frozenset(name for name, of in names if of not in resources))


def _has_room(held: Sequence[_Unit], unit: _Unit) -> bool:
    # What is of the root needs no parameters there, and is counted all the same.
    units = [*held, unit]
    return (
        sum(each.bytes for each in units) <= ROOM_BYTES
        and sum(len(each.resources) for each in units) <= ROOM_RESOURCES
        and len(frozenset().union(*(each.outside for each in units))) <= ROOM_PARAMETERS
    )


def _movable(template: Template, units: Iterable[Collection[str]]) -> list[list[str]]:
    """Units with all that refers to them, but for those of which something outside needs to know."""
    resources: Mapping[str, Value] = template["Resources"]
    unit_of = {name: number for number, unit in enumerate(units) for name in unit if name in resources}
    needs = {name: {*refs(each.get("Properties")), *each.get("DependsOn", ())} for name, each in resources.items()}
    stay = {unit_of[name] for name in refs(template.get("Outputs")) if name in unit_of}
    while more := {
        name: found
        for name, needed in needs.items()
        if name not in unit_of and (found := {unit_of[each] for each in needed if each in unit_of} - stay)
    }:
        stay |= {each for found in more.values() if len(found) > 1 for each in found}
        unit_of |= {name: found.pop() for name, found in more.items() if len(found) == 1}
    movable: dict[int, list[str]] = {}
    for name in resources:
        if name in unit_of and unit_of[name] not in stay:
            movable.setdefault(unit_of[name], []).append(name)
    return [*movable.values()]


def _places(held: Parts | None) -> dict[str, str]:
    """The stack of each resource that is there: the id of a part, or the root."""
    if held is None:
        return {}
    found = dict.fromkeys(held.root.get("Resources") or {}, _ROOT)
    for part, template in held.parts.items():
        found |= dict.fromkeys(template.get("Resources") or {}, part)
    return found


def _parts(template: Template, stacks: Mapping[str, frozenset[str]]) -> Parts:
    resources: Mapping[str, Value] = template["Resources"]
    parts = {}
    root = {name: each for name, each in resources.items() if name in stacks[_ROOT]}
    for name, inside in stacks.items():
        if name == _ROOT:
            continue
        inner = {key: each for key, each in resources.items() if key in inside}
        given = {_parameter(value)[0]: value for value in _references(inner) if _parameter(value)[1] not in inside}
        before = {key for each in inner.values() for key in each.get("DependsOn", ())} - inside
        before -= {_parameter(value)[1] for value in given.values()}
        root[name] = {"Type": STACK, "Properties": {"Parameters": given}}
        if before:
            root[name]["DependsOn"] = sorted(before)
        parts[name] = {
            **{key: template[key] for key in ("AWSTemplateFormatVersion", "Metadata") if key in template},
            "Description": f"{template.get('Description', '')}: instance groups",
            "Parameters": {key: {"Type": "String"} for key in given},
            "Resources": {key: _inner(each, inside) for key, each in inner.items()},
        }
    return Parts({**template, "Resources": root}, parts) if parts else Parts(template)


def _inner(resource: Value, inside: Collection[str]) -> Value:
    """A resource as its part has it."""

    def given(value: Value) -> Value:
        name, of = _parameter(value)
        return value if of in inside else {"Ref": name}

    found = {**resource, "Properties": _mapped(resource["Properties"], given)}
    before = [each for each in found.pop("DependsOn", ()) if each in inside]
    return {**found, "DependsOn": before} if before else found


def _outer(given: Mapping[str, Value], value: Value) -> Value:
    """What a part refers to, as its root has it. given: the parameters of the part."""
    return given.get(value.get("Ref"), value)


def _refuse_too_many(found: Parts) -> None:
    counts = [("Resources", MOST_RESOURCES), ("Outputs", MOST_OUTPUTS), ("Parameters", MOST_PARAMETERS)]
    for each in (found.root, *found.parts.values()):
        for what, most in counts:
            if len(each.get(what, ())) > most:
                raise TooLarge(len(each[what]), what.lower(), most)
    total = sum(len(each["Resources"]) for each in (found.root, *found.parts.values()))
    if found.parts and total > MOST_AT_ONCE:
        raise TooLarge(total, "resources in all its stacks", MOST_AT_ONCE)


def _parameter(value: Value) -> tuple[str, str]:
    """Of what refers to something outside of a part: the parameter that the part has for it, and the id of that."""
    if "Ref" in value:
        return value["Ref"], value["Ref"]
    name, attribute = value["Fn::GetAtt"]
    return re.sub(r"\W", "", f"{attribute}Of{name}"), name


def _references(value: Value) -> Iterator[dict[str, Value]]:
    """What refers to resources, in properties."""
    if isinstance(value, dict):
        if "Ref" in value or "Fn::GetAtt" in value:
            yield value
            return
        value = value.values()
    elif not isinstance(value, list):
        return
    for each in value:
        yield from _references(each)


def _mapped(value: Value, change: Callable[[dict[str, Value]], Value]) -> Value:
    """A value in which all that refers to something is another one."""
    if isinstance(value, dict):
        if "Ref" in value or "Fn::GetAtt" in value:
            return change(value)
        return {key: _mapped(each, change) for key, each in value.items()}
    return [_mapped(each, change) for each in value] if isinstance(value, list) else value
