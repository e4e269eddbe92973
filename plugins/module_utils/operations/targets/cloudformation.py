# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target cloudformation: a template, from which AWS makes a stack."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...api.cluster import Cluster
from ...base.errors import KopsError
from ...base.options import named
from ...cloud.stacks import read_template
from ...cloud.tasks.managed_file import ManagedFile
from ...cloud.user_data import changes_of, consequence_of
from ...engine.targets.cloudformation import (
    NAME,
    VALUES,
    CloudFormationTarget,
    cluster_of,
    user_data_of,
)
from ...engine.targets.files import read_file, write_files
from ...engine.targets.rendering import renderers
from ...engine.targets.template_parts import Parts, split, whole
from ...engine.task import Task
from ...statestore.store import ClusterStore
from ..ownership import Held, taken_over_directory
from ..stacks import stack_name
from ..update.desired import Desired
from .rendering import Rendering
from .stack_templates import stacks_of
from .target import TargetOptions
from .template_files import TEMPLATE, as_text, file_of, held_in, is_part, size_of

# What `aws cloudformation package` makes of it, if it has parts.
_PACKAGED = "packaged.yaml"


class CloudFormation(Rendering):
    """A template, in parts if it is large. Files of the state store are no resource: the update writes them itself."""

    name = NAME
    title = "CloudFormation"
    out_is = "the directory that the template is written to"
    needs_all_groups = "groups that are left out of a template, CloudFormation deletes"
    late_values = VALUES
    carried_out_by = f"aws cloudformation deploy --template-file {{}}/{TEMPLATE}"

    def takeovers(self, options: TargetOptions, store: ClusterStore, cluster: Cluster) -> list[str]:
        """Of the directory."""
        directory = os.path.expanduser(options.out)
        there = held_in(directory)
        if there is None:
            return []
        template = whole(there)
        held = Held("template", TEMPLATE, cluster_of(template), list(user_data_of(template).values()))
        return taken_over_directory(store, cluster, directory, held)

    def is_rendered(self, task: Task[Any]) -> bool:
        """All but what is in the state store."""
        return not isinstance(task, ManagedFile) and super().is_rendered(task)

    def rendered(self, desired: Desired) -> list[Task[Any]]:
        """With the values that are known since they were looked up."""
        return [_as_it_is_known(task, desired.looked_at) for task in super().rendered(desired)]

    def refuse(self, desired: Desired) -> None:
        """A cloud of which there are no templates."""
        renderers(self.rendered(desired), NAME)

    def tasks(self, options: TargetOptions, store: ClusterStore, desired: Desired) -> Mapping[str, Task[Any]]:
        """Those of the state store. Raises KopsError for a template that would take away what is there."""
        tasks = super().tasks(options, store, desired)
        target = empty_template(desired)
        target.template(self.rendered(desired))
        there = [key for key in target.waiting if id_of(desired, key)]
        if there:
            raise KopsError(
                f"the load balancer that workers join through has no addresses, or may not be looked at, so {there[0]}"
                " could not be in the template, and CloudFormation would delete what it has made. Nothing was written"
            )
        self.refuse_twins(desired, target.kept)
        if options.out:
            # What cannot be written there.
            self.beside(desired, os.path.expanduser(options.out))
        return tasks

    def refuse_twins(self, desired: Desired, kept: Sequence[str]) -> None:
        """Raise KopsError for data that are there and in no stack: a new stack would make others beside them."""
        _refuse_twins(desired, kept)

    def render(self, desired: Desired) -> dict[str, bytes]:
        """Nothing: in which part of the template a group is depends on the directory."""
        return {}

    def beside(self, desired: Desired, directory: str) -> dict[str, bytes]:
        """The template and its parts. Raises KopsError if they are too large, or another's file is in the way."""
        parts = self._parts(desired, directory)[1]
        names = {part: file_of(part) for part in parts.parts}
        for name in names.values():
            content = read_file(os.path.join(directory, name))
            if content is not None and cluster_of(read_template(content, name)) != cluster_of(parts.root):
                raise KopsError(f"{directory} has a {name} that is no part of this template. Nothing was written")
        files = {names[part]: as_text(each) for part, each in parts.parts.items()}
        return {**files, TEMPLATE: as_text(parts.linked(names))}

    def stale(self, files: Mapping[str, bytes], directory: str) -> list[str]:
        """Parts that the template has no more."""
        names = os.listdir(directory) if os.path.isdir(directory) else ()
        found = sorted(name for name in names if is_part(name) and name not in files)
        if not found:
            return []
        own = cluster_of(read_template(files[TEMPLATE], TEMPLATE))
        texts = {name: read_file(os.path.join(directory, name)) or b"" for name in found}
        return [name for name, text in texts.items() if cluster_of(read_template(text, name)) == own]

    def write_to(self, directory: str, files: Mapping[str, bytes]) -> None:
        """The template comes after its parts."""
        write_files(files, directory, stale=self.stale(files, directory), last=TEMPLATE)

    def _parts(self, desired: Desired, directory: str) -> tuple[CloudFormationTarget, Parts]:
        target = empty_template(desired)
        template = target.template(self.rendered(desired))
        return target, split(template, target.units, held_in(directory), size_of)

    def next_step(self, desired: Desired, out: str) -> str:
        """The command, and what a direct run makes that no template can say."""
        target, parts = self._parts(desired, out)
        left = "".join(f"; then kubeops.kops.update_cluster without a target {each}" for each in target.left)
        if target.waiting:
            # AWS chooses the addresses, so a template can say them only when another one has made the load balancer.
            left = f"; then this playbook and that command once more, for the workers{left}"
        stack = stack_name(str(desired.cluster.metadata.name))
        options = f"--stack-name {stack} --capabilities CAPABILITY_NAMED_IAM --s3-bucket BUCKET"
        if parts.parts:
            package = f"aws cloudformation package --template-file {out}/{TEMPLATE} --s3-bucket BUCKET"
            deploy = f"aws cloudformation deploy --template-file {out}/{_PACKAGED} {options}"
            return f"{package} --output-template-file {out}/{_PACKAGED} && {deploy}{left}"
        return f"{self.carried_out_by.format(out)} {options}{left}"

    def replaced(self, files: Mapping[str, bytes], before: Mapping[str, bytes]) -> dict[str, str]:
        """By the launch templates of both."""
        old, new = (
            {name: text for file in side for name, text in user_data_of(read_template(side[file], file)).items()}
            for side in (before, {name: files[name] for name in files if name in before})
        )
        both = {name: consequence_of(changes_of(old[name], new[name])) for name in sorted(old.keys() & new.keys())}
        return {name: why for name, why in both.items() if why}


def empty_template(desired: Desired) -> CloudFormationTarget:
    """A template of a cluster, to which its tasks are added."""
    return CloudFormationTarget(str(desired.cluster.metadata.name))


def id_of(desired: Desired, key: str) -> str:
    """The id of an object that was found; "" for one that is not there."""
    return str(getattr(desired.looked_at.get(key), "id", None) or "")


def _refuse_twins(desired: Desired, kept: Sequence[str]) -> None:
    """Raise KopsError for data that are there and in no stack: a new stack would make others beside them."""
    provider = desired.provider
    for key in kept:
        identifier = id_of(desired, key)
        try:
            in_stack = not identifier or stacks_of(desired).of(desired.cloud, identifier)
        except Exception as error:
            if not provider.is_denied(error):
                raise KopsError(provider.explain(error)) from error
            desired.warnings.append(f"it is not known whether a stack has made {key}: {provider.explain(error)}")
            return
        if not in_stack:
            raise KopsError(
                f"{key} is there ({identifier}), and no stack has made it: CloudFormation would make another one beside"
                f" it. Nothing was written. With {named('apply')}, a stack takes it in"
            )


def _as_it_is_known(task: Task[Any], looked_at: Mapping[str, Task[Any]]) -> Task[Any]:
    """What instances start from, as a direct run makes it, if all that it names is there; else with marks."""
    found = looked_at.get(task.key)
    if not task.starts_instances or found is None:
        return task
    is_known = all(getattr(each, "node_addresses", True) for each in found.dependencies())
    return found if is_known else task
