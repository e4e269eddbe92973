# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CloudFormation target: the same tasks, written as one template."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...base.errors import KopsError
from .rendering import Marked, renderers

# Also of the method by which a kind of tasks adds its resources and outputs to a CloudFormationTarget.
NAME = "cloudformation"
# In user data, a value that is not known before other objects are there: what names it comes with a later template.
VALUES = Marked(NAME)
_FORMAT = "2010-09-09"
# Where a template says whose it is.
_OWN, _CLUSTER = "KubeopsKops", "Cluster"
_WORD = re.compile(r"[A-Za-z0-9]+")
_LONGEST_ID = 255

Value = Any


class Resource(Protocol):
    """A task that a template may refer to."""

    @property
    def key(self) -> str:
        """Unique among all tasks."""

    @property
    def kind(self) -> str:
        """What its id begins with."""

    @property
    def name(self) -> str:
        """What follows."""

    @property
    def existing(self) -> str | None:
        """The id of what exists already, and is in no template; None for what the template makes."""


@dataclass
class _Resource:
    task: str
    type: str
    properties: dict[str, Value]
    after: set[str]
    keep: bool
    added: dict[str, list[Value]] = field(default_factory=dict)


class CloudFormationTarget:
    """Collects resources and outputs, and writes them as a template.

    cluster: its name.
    left: sentences about what a template cannot say, which a direct run makes afterwards.
    kept: keys of tasks whose objects outlive the stack.
    waiting: keys of tasks that are not in the template, as they need a value that is not known yet.
    units: ids of resources that may be in a part of a large template, if they are there together.
    """

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._resources: dict[str, _Resource] = {}
        self._added: list[tuple[str, str, Value]] = []
        self._order: list[tuple[str, str]] = []
        self._outputs: dict[str, tuple[str, Value]] = {}
        self.left: list[str] = []
        self.kept: list[str] = []
        self.waiting: list[str] = []
        self.units: list[list[str]] = []

    # -- what tasks add -------------------------------------------------------------------------------------------

    def resource(
        self,
        task: Resource,
        type_: str,
        properties: Mapping[str, Value],
        *,
        part: str = "",
        after: Collection[str] = (),
        keep: bool = False,
    ) -> None:
        """Add a resource of a task. Properties that are None are left out.

        part: which one, of several. after: ids of resources, or types, that are made before. keep: it stays when the
        stack is deleted, or wants another one in its place.
        """
        identifier = self.id_of(task, part)
        if identifier in self._resources:
            raise KopsError(
                f"{self._resources[identifier].task} and {task.key} would have one name in a template, {identifier}"
            )
        if keep:
            self.kept.append(task.key)
        given = {key: value for key, value in properties.items() if value is not None}
        self._resources[identifier] = _Resource(task.key, type_, given, set(after), keep)

    def add(self, task: Resource, property_: str, value: Value) -> None:
        """Add a value to a list that is a property of a task's resource, whichever comes first."""
        self._added.append((self.id_of(task), property_, value))

    def order(self, first: Resource, then: Resource) -> None:
        """Say that the resource of one task is made before that of another one."""
        self._order.append((self.id_of(first), self.id_of(then)))

    def unit(self, *tasks: Resource) -> None:
        """Say that the resources of tasks may be in a part of a large template, together with what refers to them."""
        self.units.append([self.id_of(each) for each in tasks])

    def output(self, name: str, value: Value, description: str) -> None:
        """Add an output."""
        self._outputs["".join(_words(name))] = (description, value)

    # -- how they refer to each other -----------------------------------------------------------------------------

    def id_of(self, task: Resource, part: str = "") -> str:
        """The id in the template: kind and name, without the cluster's, which all have."""
        name = task.name
        if name == self._cluster or name.endswith(f".{self._cluster}"):
            name = name[: -len(self._cluster)]
        return "".join([task.kind, *_words(name), part])[:_LONGEST_ID]

    def ref(self, task: Resource | None) -> Value:
        """How a property refers to a task's object; None for none."""
        if task is None:
            return None
        return task.existing if task.existing is not None else {"Ref": self.id_of(task)}

    def attribute(self, task: Resource | None, attribute: str) -> Value:
        """An attribute of a task's object; of one that exists its id, which has to be that. None for none."""
        if task is None:
            return None
        return task.existing if task.existing is not None else {"Fn::GetAtt": [self.id_of(task), attribute]}

    def text(self, text: str) -> str:
        """A text. Raises NotKnown if a value that it names is not known yet."""
        for name in VALUES.marks_in(text):
            raise NotKnown(name)
        return text

    # -- the template ---------------------------------------------------------------------------------------------

    def template(self, tasks: Sequence[Any]) -> dict[str, Value]:
        """The template of tasks, of any size. Raises KopsError for what none can be."""
        late = set()
        written = [task for task in tasks if not task.is_ignored]
        for task, add_to in zip(written, renderers(written, NAME)):
            try:
                add_to(self)
            except NotKnown:
                self.waiting.append(task.key)
                late.add(self.id_of(task))
        self._leave_out(late)
        for identifier, property_, value in self._added:
            if identifier in self._resources:
                self._resources[identifier].added.setdefault(property_, []).append(value)
        for first, then in self._order:
            if then in self._resources:
                self._resources[then].after.add(first)
        template = {
            "AWSTemplateFormatVersion": _FORMAT,
            "Description": f"Kubernetes cluster {self._cluster}, by kubeops.kops",
            "Metadata": {_OWN: {_CLUSTER: self._cluster}},
            "Resources": {name: self._written(resource) for name, resource in self._resources.items()},
        }
        outputs = {
            name: {"Description": description, "Value": value} for name, (description, value) in self._outputs.items()
        }
        return {**template, "Outputs": outputs} if outputs else template

    @property
    def tasks(self) -> dict[str, str]:
        """The ids of the resources in the template -> the keys of their tasks."""
        return {name: each.task for name, each in self._resources.items()}

    def _leave_out(self, missing: set[str]) -> None:
        """What refers to resources that wait. Raises KopsError for what refers to any other that is not there."""
        while needing := [name for name, each in self._resources.items() if not missing.isdisjoint(refs(each))]:
            for name in needing:
                self.waiting.append(self._resources.pop(name).task)
            missing.update(needing)
        for each in self._resources.values():
            for name in refs(each):
                if name not in self._resources:
                    raise KopsError(
                        f"{each.task} refers to {name}, which is not in the template; it may have the lifecycle Ignore"
                    )

    def _written(self, resource: _Resource) -> dict[str, Value]:
        after = {each for each in resource.after if each in self._resources}
        after |= {name for name, other in self._resources.items() if other.type in resource.after}
        # Of one meaning, whatever the order of tasks.
        lists = {key: sorted(values, key=json.dumps) for key, values in resource.added.items()}
        found: dict[str, Value] = {"Type": resource.type, "Properties": {**resource.properties, **lists}}
        if after:
            found["DependsOn"] = sorted(after)
        if resource.keep:
            # What a stack has made whose creation fails has no data yet, and the next one would make another.
            found |= {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}
        return found


class NotKnown(Exception):
    """A value that a task needs is not known before something else is there."""


class TooLarge(KopsError):
    """CloudFormation takes no such template."""

    def __init__(self, count: int, what: str, most: int) -> None:
        super().__init__(
            f"the template would have {count} {what}, and CloudFormation takes {most}: the cluster has too many"
            " instance groups for it"
        )


def cluster_of(template: Value) -> str:
    """The cluster whose template it is; "" if it does not say so."""
    try:
        return str(template["Metadata"][_OWN][_CLUSTER])
    except (KeyError, TypeError):
        return ""


def empty_like(template: Mapping[str, Value]) -> dict[str, Value]:
    """A template of the same cluster, with nothing in it."""
    return {key: value for key, value in template.items() if key not in ("Resources", "Outputs")}


def user_data_of(template: Value) -> dict[str, str]:
    """The user data in a template, by the names of launch templates."""
    resources = _at(template, "Resources")
    found = {}
    for each in resources.values() if isinstance(resources, dict) else ():
        text = _at(each, "Properties", "LaunchTemplateData", "UserData", "Fn::Base64")
        if text:
            found[str(_at(each, "Properties", "LaunchTemplateName"))] = str(text)
    return found


def tags(values: Mapping[str, str] | None, **more: Value) -> list[dict[str, Value]] | None:
    """Tags as most kinds take them, in order; None for none."""
    return [{"Key": key, "Value": value, **more} for key, value in sorted((values or {}).items())] or None


def _at(value: Value, *keys: str) -> Value:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def refs(value: Value) -> Iterator[str]:
    """The ids that a property, or a resource, refers to."""
    if isinstance(value, _Resource):
        yield from refs(value.properties)
    elif isinstance(value, dict):
        if "Ref" in value:
            yield value["Ref"]
        elif "Fn::GetAtt" in value:
            yield value["Fn::GetAtt"][0]
        else:
            for each in value.values():
                yield from refs(each)
    elif isinstance(value, list):
        for each in value:
            yield from refs(each)


def _words(name: str) -> list[str]:
    """The parts of a name, of which ids have letters and digits only. Numbers that follow each other stay apart."""
    found: list[str] = []
    for word in _WORD.findall(name):
        apart = found and found[-1][-1].isdigit() and word[0].isdigit()
        found.append(f"x{word}" if apart else word[:1].upper() + word[1:])
    return found
