# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target cloudformation, carried out: a stack is made from the template, or changed by it, and followed to its end."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
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
from ...statestore.store import ClusterStore
from ...statestore.vfs.path import VFSPath
from ...statestore.vfs.public_urls import public_url
from ...statestore.vfs.s3 import S3Path
from ..progress import Progress
from ..stacks import named_stack, stack_name
from ..update.desired import Desired
from .cloudformation import CloudFormation, as_text, empty_template, id_of, stacks_of
from .target import Planned, TargetOptions, Written

_STACK = "Stack"
# Where CloudFormation reads a template that is too large for a request, below the cluster's directory in the store.
_PLACE = "manifests/cloudformation.yaml"
# Of a launch template, what running instances have from it.
_OF_INSTANCES = re.compile(r"LaunchTemplateData\.(?!TagSpecifications)(\w+).*")
_USER_DATA = "LaunchTemplateData.UserData"


@dataclass(frozen=True)
class _Ready:
    """What was planned with. stack: as it was; None if there is none. replaced: as in Written."""

    name: str
    stack: cloud_stacks.Stack | None
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
        target, template, _text = self._wanted(desired)
        kept = [id_of(desired, key) for key in target.kept]
        stack = named_stack(desired.provider, desired.cloud, str(desired.cluster.metadata.name), kept)
        name = stack.name if stack is not None else stack_name(str(desired.cluster.metadata.name))
        held = _template_of(stack, desired)
        changes = template_changes.changes_of(held, template, target.tasks, _fixed(desired, held, template))
        entries = [*_of_stack(name, stack), *changes.entries]
        if entries:
            entries += [_later(key) for key in target.waiting]
        elif target.waiting:
            missing = ", ".join(target.waiting)
            desired.warnings.append(
                f"not in the stack yet, as the load balancer has no addresses: {missing}; run it again"
            )
        entries = [_with_consequence(each) for each in entries]
        gone = _gone(held, target.tasks, desired.there.absent)
        if gone:
            desired.warnings.append(
                f"the stack {name} has {', '.join(gone)}, which somebody has deleted: CloudFormation does not look, and"
                " does not make it again; kubeops.kops.update_cluster without a target does"
            )
        data = _Ready(name, stack, changes, dict(_replaced(desired, entries)))
        unchanged = changes.unchanged - len({*gone} - {each["task"] for each in entries})
        return Planned(entries, unchanged, data)

    def _wanted(self, desired: Desired) -> tuple[CloudFormationTarget, dict[str, Any], cloud_stacks.Text]:
        """The template, what has made it, and how CloudFormation gets it."""
        target = empty_template(desired)
        template = target.template(self.rendered(desired))
        content = as_text(template)
        url = _url(desired) if len(content) > stacks_of(desired).largest else ""
        return target, template, cloud_stacks.Text(content.decode(), url)

    def write(
        self, options: TargetOptions, desired: Desired, planned: Planned, *, check: bool, progress: Progress
    ) -> Written:
        """Make the stack so. Raises ApplyError with what CloudFormation could not do, and has undone."""
        ready: _Ready = planned.data
        if check or not planned.entries:
            return Written(replaced=ready.replaced)
        stacks = stacks_of(desired)
        # The keys that instances start with are there only now.
        target, _template, text = self._wanted(desired)
        with explaining(desired.provider):
            stack = stacks.find(desired.cloud, ready.name)
            if _state(stack) != _state(ready.stack):
                raise KopsError(f"the stack {ready.name} was changed meanwhile; run it again to plan anew")
            if text.url:
                _place(desired).write(text.content.encode())
            changes = ready.changes
            stacks.make(desired.cloud, ready.name, text, stack, names=changes.names, replaced=changes.replaced)
        left = "; then ".join(f"kubeops.kops.update_cluster without a target {each}" for each in target.left)
        return Written(next_step=left, replaced=ready.replaced, is_part=bool(target.waiting))


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


def _of_stack(name: str, stack: cloud_stacks.Stack | None) -> Iterator[Entry]:
    if stack is None or not stack.is_begun:
        yield entry_of(_STACK, name, Action.CREATE)
    elif stack.is_failed:
        yield entry_of(
            _STACK, name, Action.CREATE, reason="its creation has failed before; what is left is deleted first"
        )


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


def _state(stack: cloud_stacks.Stack | None) -> tuple[str, str, str]:
    return (stack.id, stack.status, stack.template) if stack is not None else ("", "", "")


def _place(desired: Desired) -> VFSPath:
    return desired.store.path.join(_PLACE)


def _url(desired: Desired) -> str:
    """Where CloudFormation reads a template that is too large for a request."""
    place = _place(desired)
    url = public_url(place.path, region=place.region) if isinstance(place, S3Path) else ""
    if not url:
        raise KopsError(
            f"the template is too large for a request, and CloudFormation does not read {place.path}; keep the state in"
            " s3://"
        )
    return url
