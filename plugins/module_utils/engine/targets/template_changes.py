# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of a stack that gets another template, as the entries of a plan."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..plan_data import Action, Entry, entry_of
from .cloudformation import refs

# Attributes that are another one after any change of their resource; what refers to them changes, too.
_GROWING = ("LatestVersionNumber",)
# What of a resource counts beside its properties.
_POLICIES = ("DeletionPolicy", "UpdateReplacePolicy")
# What a resource without such a policy has.
_USUAL = "Delete"
_OUTPUT = "StackOutput"

Value = Any
Template = Mapping[str, Value]
# Kind of resource -> paths of properties ("A.B") whose change replaces it.
Fixed = Mapping[str, Collection[str]]


@dataclass(frozen=True)
class Changes:
    """entries: one for each task, and for each resource of the former template that no task has any more.

    names: ids of all resources -> their tasks, with the part where a task has several. replaced: ids of resources that
    are replaced. unchanged: how many tasks have no entry.
    """

    entries: list[Entry]
    names: dict[str, str]
    replaced: set[str]
    unchanged: int


def changed_kinds(before: Template, after: Template) -> set[str]:
    """The kinds of resources that are in both templates, if one of them differs."""
    old, new = _resources(before), _resources(after)
    return {new[name].type for name in old.keys() & new.keys() if old[name] != new[name]}


def changes_of(before: Template, after: Template, tasks: Mapping[str, str], fixed: Fixed) -> Changes:
    """How a stack changes. before: {} for one that is not there. tasks: ids of resources in after -> their tasks."""
    old, new = _resources(before), _resources(after)
    stay = old.keys() & new.keys()
    differing = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    why = {name: f"replaced, as {path} cannot be changed" for name, path in _fixed_changes(old, new, fixed).items()}
    replaced = _with_dependents({*why}, {name: new[name] for name in stay}, fixed)
    names = _names(old, new, tasks)
    for name in replaced - why.keys():
        others = sorted({names[other] for other in new[name].refs if other in replaced} - {names[name]})
        why[name] = f"replaced with {', '.join(others)}" if others else ""
    for name in stay - differing - replaced:
        others = sorted(names[other] for other in new[name].grow_with if other in differing)
        if others:
            why[name] = f"gets the new version of {', '.join(others)}"
    ids: dict[str, list[str]] = {}
    for name in sorted(names):
        ids.setdefault(names[name], []).append(name)
    called = {name: _called(task, name, found) for task, found in ids.items() for name in found}
    touched = {task: found for task, found in ids.items() if not (differing | why.keys()).isdisjoint(found)}
    entries = [
        _entry(task, found, old, new, [why[each] for each in found if each in why]) for task, found in touched.items()
    ]
    entries += _outputs(before, after)
    return Changes(sorted(entries, key=lambda each: each["task"]), called, replaced, len(ids) - len(touched))


@dataclass(frozen=True)
class _Resource:
    """A resource. fields: paths of its properties -> values, and its policies. by_property: what each refers to."""

    type: str
    fields: dict[str, Value]
    by_property: dict[str, frozenset[str]]
    grow_with: frozenset[str]

    @property
    def refs(self) -> set[str]:
        return {each for found in self.by_property.values() for each in found}


def _resources(template: Template) -> dict[str, _Resource]:
    found = {}
    for name, each in (template.get("Resources") or {}).items():
        properties = each.get("Properties") or {}
        policies = {policy: each[policy] for policy in _POLICIES if each.get(policy, _USUAL) != _USUAL}
        found[name] = _Resource(
            str(each["Type"]),
            {**dict(_flat("", properties)), **policies},
            {key: frozenset(refs(value)) for key, value in properties.items()},
            frozenset(_growing(properties)),
        )
    return found


def _flat(path: str, value: Value) -> Iterator[tuple[str, Value]]:
    """Paths -> values that are no mappings."""
    if isinstance(value, dict) and not _is_function(value):
        for key, each in value.items():
            yield from _flat(f"{path}.{key}" if path else str(key), each)
    else:
        yield path, _plain(value)


def _is_function(value: Mapping[str, Value]) -> bool:
    return len(value) == 1 and next(iter(value)).startswith(("Ref", "Fn::"))


def _plain(value: Value) -> Value:
    """A value for a reader: what refers to others as Fn::Sub writes it."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "Ref" in value:
        return f"${{{value['Ref']}}}"
    if "Fn::GetAtt" in value:
        return f"${{{'.'.join(value['Fn::GetAtt'])}}}"
    if "Fn::Base64" in value:
        return value["Fn::Base64"]
    return {key: _plain(each) for key, each in value.items()}


def _growing(value: Value) -> Iterator[str]:
    """The resources of which a value has an attribute that grows."""
    if isinstance(value, dict):
        name, *attribute = value.get("Fn::GetAtt") or ("",)
        if attribute and attribute[0] in _GROWING:
            yield name
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _growing(each)


def _fixed_changes(old: Mapping[str, _Resource], new: Mapping[str, _Resource], fixed: Fixed) -> dict[str, str]:
    """Ids of resources -> a property of which another value makes another resource."""
    found = {}
    for name in sorted(old.keys() & new.keys()):
        before, after = old[name], new[name]
        paths = ["Type"] if before.type != after.type else []
        for path in sorted({*before.fields, *after.fields}):
            differs = before.fields.get(path) != after.fields.get(path)
            if differs and any(f"{path}.".startswith(f"{each}.") for each in fixed.get(after.type, ())):
                paths.append(path)
        if paths:
            found[name] = paths[0]
    return found


def _with_dependents(replaced: set[str], resources: Mapping[str, _Resource], fixed: Fixed) -> set[str]:
    """What is replaced, and what refers to that in a property which cannot be changed."""
    found = set(replaced)
    while more := {
        name
        for name, each in resources.items()
        if name not in found
        for key, others in each.by_property.items()
        if key in fixed.get(each.type, ()) and not found.isdisjoint(others)
    }:
        found |= more
    return found


def _names(old: Mapping[str, _Resource], new: Mapping[str, _Resource], tasks: Mapping[str, str]) -> dict[str, str]:
    """Ids -> tasks; of what no task has, the kind of task of its type, and the rest of the id."""
    kinds = {new[name].type: task.partition("/")[0] for name, task in tasks.items() if name in new}
    found = {name: tasks[name] for name in new}
    for name in old.keys() - new.keys():
        kind = kinds.get(old[name].type, old[name].type.rpartition("::")[2])
        found[name] = f"{kind}/{name.removeprefix(kind)}"
    return found


def _called(task: str, name: str, ids: list[str]) -> str:
    main = min(ids, key=len)
    return task if name == main else f"{task} ({name.removeprefix(main)})"


def _entry(
    task: str, ids: list[str], old: Mapping[str, _Resource], new: Mapping[str, _Resource], why: list[str]
) -> Entry:
    """What becomes of a task; the fields of all resources but the first have the rest of their ids before them."""
    main = min(ids, key=len)
    sides: tuple[dict[str, Value], dict[str, Value]] = ({}, {})
    for name in ids:
        label = "" if name == main else f"{name.removeprefix(main)}."
        before, after = (each[name].fields if name in each else {} for each in (old, new))
        differing = {path for path in {**before, **after} if before.get(path) != after.get(path)}
        for side, fields in zip(sides, (before, after)):
            side.update({f"{label}{path}": value for path, value in fields.items() if path in differing})
    there, wanted = (any(name in each for name in ids) for each in (old, new))
    action = Action.UPDATE if there and wanted else Action.CREATE if wanted else Action.DELETE
    kind, _slash, name = task.partition("/")
    keeps = all(old[each].fields.get("DeletionPolicy", _USUAL) != _USUAL for each in ids if each in old)
    if action is Action.DELETE and keeps:
        why = [*why, "it stays, and leaves the stack"]
    return entry_of(kind, name, action, *sides, task=task, reason="; ".join(dict.fromkeys(filter(None, why))))


def _outputs(before: Template, after: Template) -> Iterator[Entry]:
    old, new = ({name: each["Value"] for name, each in (side.get("Outputs") or {}).items()} for side in (before, after))
    for name in sorted({*old, *new}):
        sides = [{"Value": _plain(side[name])} if name in side else {} for side in (old, new)]
        if sides[0] != sides[1]:
            action = Action.UPDATE if name in old and name in new else Action.CREATE if name in new else Action.DELETE
            yield entry_of(_OUTPUT, name, action, *sides)
