# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target cloudformation: a template, from which AWS makes a stack."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...api.cluster import Cluster
from ...api.yaml.write import dump_plain
from ...base.errors import KopsError
from ...base.options import named
from ...cloud.stacks import Stacks, read_template
from ...cloud.tasks.managed_file import ManagedFile
from ...cloud.user_data import changes_of, consequence_of
from ...engine.targets.cloudformation import (
    NAME,
    VALUES,
    CloudFormationTarget,
    TooLarge,
    cluster_of,
    user_data_of,
)
from ...engine.targets.files import read_file
from ...engine.targets.rendering import renderers
from ...engine.task import Task
from ...statestore.store import ClusterStore
from ..ownership import Held, taken_over_directory
from ..stacks import stack_name
from ..update.desired import Desired
from .rendering import Rendering
from .target import TargetOptions

TEMPLATE = "cloudformation.yaml"
# docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html: from a bucket.
_LARGEST_TEMPLATE = 1_000_000


class CloudFormation(Rendering):
    """A template. Files of the state store are no resource: the update writes them itself."""

    name = NAME
    title = "CloudFormation"
    out_is = "the directory that the template is written to"
    needs_all_groups = "groups that are left out of a template, CloudFormation deletes"
    late_values = VALUES
    carried_out_by = f"aws cloudformation deploy --template-file {{}}/{TEMPLATE}"

    def takeovers(self, options: TargetOptions, store: ClusterStore, cluster: Cluster) -> list[str]:
        """Of the directory."""
        directory = os.path.expanduser(options.out)
        content = read_file(os.path.join(directory, TEMPLATE))
        if content is None:
            return []
        template = read_template(content, TEMPLATE)
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
        return tasks

    def refuse_twins(self, desired: Desired, kept: Sequence[str]) -> None:
        """Raise KopsError for data that are there and in no stack: a new stack would make others beside them."""
        _refuse_twins(desired, kept)

    def render(self, desired: Desired) -> dict[str, bytes]:
        """The template. Raises KopsError if it is too large."""
        return {TEMPLATE: as_text(empty_template(desired).template(self.rendered(desired)))}

    def next_step(self, desired: Desired, out: str) -> str:
        """The command, and what a direct run makes that no template can say."""
        target = empty_template(desired)
        target.template(self.rendered(desired))
        left = "".join(f"; then kubeops.kops.update_cluster without a target {each}" for each in target.left)
        if target.waiting:
            # AWS chooses the addresses, so a template can say them only when another one has made the load balancer.
            left = f"; then this playbook and that command once more, for the workers{left}"
        stack = stack_name(str(desired.cluster.metadata.name))
        options = f"--stack-name {stack} --capabilities CAPABILITY_NAMED_IAM --s3-bucket BUCKET"
        return f"{self.carried_out_by.format(out)} {options}{left}"

    def replaced(self, files: Mapping[str, bytes], before: Mapping[str, bytes]) -> dict[str, str]:
        """By the launch templates of both."""
        if TEMPLATE not in before:
            return {}
        old, new = (user_data_of(read_template(each[TEMPLATE], TEMPLATE)) for each in (before, files))
        both = {name: consequence_of(changes_of(old[name], new[name])) for name in sorted(old.keys() & new.keys())}
        return {name: why for name, why in both.items() if why}


def as_text(template: dict[str, Any]) -> bytes:
    """A template as it is written. Raises TooLarge."""
    content = dump_plain(template).encode()
    if len(content) > _LARGEST_TEMPLATE:
        raise TooLarge(len(content), "bytes", _LARGEST_TEMPLATE)
    return content


def empty_template(desired: Desired) -> CloudFormationTarget:
    """A template of a cluster, to which its tasks are added."""
    return CloudFormationTarget(str(desired.cluster.metadata.name))


def stacks_of(desired: Desired) -> Stacks[Any]:
    """The stacks of the cluster's cloud. Raises KopsError where there are none."""
    stacks = desired.provider.stacks
    if stacks is None:
        raise KopsError(f"target {NAME} is for AWS")
    return stacks


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
