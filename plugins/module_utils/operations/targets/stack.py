# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target cloudformation, carried out: a stack is made from the template, or changed by it, and followed to its end."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ...api.cluster import Cluster
from ...base.errors import KopsError
from ...cloud import stacks as cloud_stacks
from ...cloud.provider import explaining
from ...cloud.user_data import changes_of, consequence_of
from ...engine.plan_data import Action, Entry, entry_of
from ...engine.targets import template_changes
from ...engine.targets.cloudformation import CloudFormationTarget, cluster_of
from ...engine.targets.template_imports import with_imports
from ...engine.targets.template_parts import Parts, split, whole
from ...statestore.store import ClusterStore
from ..progress import Progress
from ..stacks import named_stack, stack_name
from ..update.desired import Desired
from .cloudformation import CloudFormation, empty_template, id_of
from .stack_templates import StackTemplates, stack_templates, stacks_of
from .target import Planned, TargetOptions, Written
from .template_files import size_of

# Of entries of a plan.
STACK = "Stack"
# Of a launch template, what running instances have from it.
_OF_INSTANCES = re.compile(r"LaunchTemplateData\.(?!TagSpecifications)(\w+).*")
_USER_DATA = "LaunchTemplateData.UserData"


@dataclass(frozen=True)
class _Ready:
    """What was planned with.

    stack: as it was; None if there is none. held: its template. taken_in: objects that come into it. outside: the ids
    of these, and of what a change set makes over what is there. replaced: as in Written.
    """

    name: str
    stack: cloud_stacks.Stack | None
    held: Parts | None
    taken_in: Sequence[cloud_stacks.Imported]
    outside: Collection[str]
    changes: template_changes.Changes
    replaced: dict[str, str]


class Stack(CloudFormation):
    """A stack. It is the one that has made the volumes of etcd, else the one with the cluster's name."""

    out_is: ClassVar[str] = ""
    makes_own_plan = False

    def takeovers(self, options: TargetOptions, store: ClusterStore, cluster: Cluster) -> list[str]:
        """Nothing is written to a directory."""
        return []

    def settle(self, desired: Desired, *, check: bool) -> None:
        """A stack that is being changed, by a run that was broken off or by others."""
        stacks = desired.provider.stacks
        name = stack_name(str(desired.cluster.metadata.name))
        with explaining(desired.provider):
            stack = stacks.find(desired.cloud, name) if stacks is not None else None
            if stacks is None or stack is None or not stack.is_busy:
                return
            if check:
                desired.warnings.append(
                    f"the stack {name} is being changed ({stack.status}); the plan may be another then"
                )
                return
            desired.cloud.tell(f"waiting: the stack {name} is being changed ({stack.status})")
            stacks.wait(desired.cloud, stack)

    def planned(self, desired: Desired) -> Planned:
        """How the stack changes. Raises KopsError for a stack that is another cluster's, or cannot be changed."""
        target, template = self.wanted(desired)
        stack = self.find(desired, target)
        name = stack.name if stack is not None else stack_name(str(desired.cluster.metadata.name))
        held = parts_of(stack, desired)
        there = whole(held) if held is not None else {}
        outside = _outside(desired, there, target.tasks)
        taken_in = _imported(desired, template, target.tasks, outside)
        after = _with(held, template, outside)
        # What CloudFormation does not take.
        _templates(desired, target, template, after)
        base = whole(after) if after is not None else {}
        changes = template_changes.changes_of(base, template, target.tasks, _fixed(desired, base, template))
        entries = [*_of_stack(name, stack, len({target.tasks[each.name] for each in taken_in})), *changes.entries]
        if entries:
            entries += [_later(key) for key in target.waiting]
        elif target.waiting:
            missing = ", ".join(target.waiting)
            desired.warnings.append(
                f"not in the stack yet, as the load balancer has no addresses: {missing}; run it again"
            )
        entries = [_with_consequence(each) for each in entries]
        gone = _gone(there, target.tasks, desired.there.absent)
        if gone:
            desired.warnings.append(
                f"the stack {name} has {', '.join(gone)}, which somebody has deleted: CloudFormation does not look, and"
                " does not make it again; kubeops.kops.update_cluster without a target does"
            )
        data = _Ready(name, stack, held, taken_in, outside, changes, dict(_replaced(desired, entries)))
        unchanged = changes.unchanged - len({*gone} - {each["task"] for each in entries})
        return Planned(entries, unchanged, data)

    def refuse_twins(self, desired: Desired, kept: Sequence[str]) -> None:
        """Nothing: the stack takes in what is there."""

    def find(self, desired: Desired, target: CloudFormationTarget) -> cloud_stacks.Stack | None:
        """The cluster's stack, whoever it belongs to; None if there is none. target: has made the template."""
        kept = [id_of(desired, key) for key in target.kept]
        return named_stack(desired.provider, desired.cloud, str(desired.cluster.metadata.name), kept)

    def wanted(self, desired: Desired) -> tuple[CloudFormationTarget, dict[str, Any]]:
        """The template, and what has made it."""
        target = empty_template(desired)
        return target, target.template(self.rendered(desired))

    def write(
        self, options: TargetOptions, desired: Desired, planned: Planned, *, check: bool, progress: Progress
    ) -> Written:
        """Make the stack so. Raises ApplyError with what CloudFormation could not do, and has undone."""
        ready: _Ready = planned.data
        if check or not planned.entries:
            return Written(replaced=ready.replaced)
        stacks = stacks_of(desired)
        # The keys that instances start with are there only now.
        target, template = self.wanted(desired)
        templates = _templates(desired, target, template, _with(ready.held, template, ready.outside))
        names = ready.changes.names
        with explaining(desired.provider):
            stack = found_again(desired, ready.name, ready.stack)
            by_name = {each.name: each for each in ready.taken_in}
            for step, partial in with_imports(_root(ready.held), template, by_name):
                taking = stack_templates(desired.store.path, Parts(partial), stacks.largest)
                taking.store()
                objects = [by_name[each] for each in step]
                stack = stacks.take_in(desired.cloud, ready.name, taking.text, stack, objects, names)
            templates.store()
            stacks.make(desired.cloud, ready.name, templates.text, stack, names=names, replaced=ready.changes.replaced)
            templates.remove_others()
        left = "; then ".join(f"kubeops.kops.update_cluster without a target {each}" for each in target.left)
        return Written(next_step=left, replaced=ready.replaced, is_part=bool(target.waiting))


def found_again(desired: Desired, name: str, was: cloud_stacks.Stack | None) -> cloud_stacks.Stack | None:
    """A stack, if it is as it was when it was planned with. Raises KopsError if somebody has changed it since."""
    stack = stacks_of(desired).find(desired.cloud, name)
    if _state(stack) != _state(was):
        raise KopsError(f"the stack {name} was changed meanwhile; run it again to plan anew")
    return stack


def _template_of(stack: cloud_stacks.Stack | None, desired: Desired) -> Mapping[str, Any]:
    """What a stack was made from; {} for one that is not there. Raises KopsError for one that is not to be changed."""
    if stack is None:
        return {}
    if stack.problem:
        raise KopsError(f"the stack {stack.name} cannot be changed: {stack.problem}. Nothing was written")
    if not stack.template:
        return {}
    template = cloud_stacks.read_template(stack.template.encode(), stack.name)
    owner, cluster = cluster_of(template), str(desired.cluster.metadata.name)
    if owner != cluster:
        whose = f"of cluster {owner}" if owner else "that no cluster has written"
        raise KopsError(
            f"the stack {stack.name} has a template {whose}. Nothing was written. A stack of {cluster} cannot have this"
            " name, so delete that one, or make this one by"
            " aws cloudformation deploy with another name (docs/cloudformation.md)"
        )
    return template if stack.is_begun and not stack.is_failed else {}


def parts_of(stack: cloud_stacks.Stack | None, desired: Desired) -> Parts | None:
    """The template of a stack; None for one in which nothing is. Raises KopsError for one that is not to be changed."""
    root = _template_of(stack, desired)
    texts = stack.parts if stack is not None and root else {}
    parts = {name: cloud_stacks.read_template(text.encode(), name) for name, text in texts.items()}
    return Parts(root, parts) if root else None


def _templates(
    desired: Desired, target: CloudFormationTarget, template: Mapping[str, Any], held: Parts | None
) -> StackTemplates:
    found = split(template, target.units, held, size_of)
    return stack_templates(desired.store.path, found, stacks_of(desired).largest)


def _root(held: Parts | None) -> Mapping[str, Any]:
    return held.root if held is not None else {}


def _fixed(desired: Desired, before: Mapping[str, Any], after: Mapping[str, Any]) -> template_changes.Fixed:
    """What cannot be changed of the resources that change."""
    kinds = template_changes.changed_kinds(before, after)
    provider = desired.provider
    try:
        return stacks_of(desired).fixed(desired.cloud, kinds) if kinds else {}
    except Exception as error:
        if not provider.is_denied(error):
            raise KopsError(provider.explain(error)) from error
        desired.warnings.append(f"it is not known which objects would be replaced: {provider.explain(error)}")
        return {}


def _outside(desired: Desired, held: Mapping[str, Any], tasks: Mapping[str, str]) -> list[str]:
    """The ids of resources that are there, and not in the stack.

    Raises KopsError for what a direct run would change.
    """
    in_stack = held.get("Resources") or ()
    names = [name for name, task in tasks.items() if task in desired.there.found and name not in in_stack]
    differing = sorted({tasks[name] for name in names if _said(desired, tasks[name])})
    if differing:
        raise KopsError(
            f"what is there is not what the template says: {', '.join(differing)}. Nothing was written."
            " kubeops.kops.update_cluster without a target changes it; then a stack can take it in"
        )
    return names


def _said(desired: Desired, key: str) -> set[str]:
    """The fields that a direct run would change, and of which a template says what they are."""
    fields: set[str] = desired.there.differing.get(key, set())
    return fields - getattr(desired.looked_at[key], "unsaid", frozenset())


def _imported(
    desired: Desired, template: Mapping[str, Any], tasks: Mapping[str, str], names: Collection[str]
) -> list[cloud_stacks.Imported]:
    if not names:
        return []
    looked_at = {name: desired.looked_at.get(task) for name, task in tasks.items()}
    with explaining(desired.provider):
        return stacks_of(desired).imported(desired.cloud, template["Resources"], looked_at, names)


def _with(held: Parts | None, template: Mapping[str, Any], names: Collection[str]) -> Parts | None:
    """The template of a stack that has taken resources in. They are in its root."""
    roots = [each for _step, each in with_imports(_root(held), template, names)]
    return Parts(roots[-1], held.parts if held is not None else {}) if roots else held


def _of_stack(name: str, stack: cloud_stacks.Stack | None, taken_in: int) -> Iterator[Entry]:
    reasons = [f"takes in {taken_in} objects that are there, as they are"] if taken_in else []
    if stack is not None and stack.is_failed:
        reasons.insert(0, "its creation has failed before; what is left is deleted first")
    if stack is None or not stack.is_begun or stack.is_failed:
        yield entry_of(STACK, name, Action.CREATE, reason="; ".join(reasons))
    elif taken_in:
        yield entry_of(STACK, name, Action.UPDATE, reason="; ".join(reasons))


def _gone(held: Mapping[str, Any], tasks: Mapping[str, str], absent: Collection[str]) -> list[str]:
    """What the stack has, and the cloud has not any more."""
    return sorted({tasks[each] for each in held.get("Resources") or () if tasks.get(each) in absent})


def _later(key: str) -> Entry:
    kind, _slash, name = key.partition("/")
    return entry_of(kind, name, Action.CREATE, task=key, reason="once the load balancer has its addresses")


def _with_consequence(entry: Entry) -> Entry:
    """An entry of a launch template that changes, with what follows for the instances that run."""
    if entry["action"] != Action.UPDATE.value:
        return entry
    before, after = ({**side} for side in (entry["before"], entry["after"]))
    reasons = changes_of(*(str(side.pop(_USER_DATA, "")) for side in (before, after)))
    reasons += sorted({_another(found[1]) for path in {**before, **after} if (found := _OF_INSTANCES.fullmatch(path))})
    return {**entry, "reason": "; ".join(filter(None, (entry["reason"], consequence_of(reasons))))}


def _another(field: str) -> str:
    words = re.sub(r"([A-Z])", r" \1", field).lower()
    return f"{'other' if words.endswith('s') else 'another'}{words}"


def _replaced(desired: Desired, entries: list[Entry]) -> Iterator[tuple[str, str]]:
    for each in entries:
        task = desired.tasks.get(each["task"])
        if task is not None and task.starts_instances and each["action"] == Action.UPDATE.value:
            yield task.name, each["reason"]


def _state(stack: cloud_stacks.Stack | None) -> tuple[str, str, list[str]]:
    """What a plan depends on."""
    return (stack.id, stack.status, [stack.template, *stack.parts.values()]) if stack is not None else ("", "", [])
