# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: nothing is left of instance groups that are no longer in the state store.

What is left is found by two tags, the cluster's and the instance group's, in what is read for the groups that are
there. Hooks, warm pool and attachments of an autoscaling group go with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ....base.labels import INSTANCE_GROUP
from ....engine.task import Deletion, internal
from ..cloud import AWSCloud, from_tags
from ..errors import error_code
from ..iam import find_role, read_instance_profile
from ..ownership import is_owned, owned_instances, says_owned
from ..resources.gone import call
from ..resources.identity import profile_removal, role_removal
from ._task import AWSTask
from .autoscaling_group import describe_groups
from .launch_template import delete_template, describe_launch_templates

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

# Rolling updates take instances out of their autoscaling group while others start; this tag names the group.
DETACHED_TAG = "kops.k8s.io/detached-from-asg"
LIVING = ["pending", "running", "stopping", "stopped"]


def describe_detached(cloud: AWSCloud, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The instances of the cluster that were taken out of autoscaling groups of these names and still exist."""
    living = owned_instances(cloud, LIVING)
    return [instance for instance in living if from_tags(instance.get("Tags")).get(DETACHED_TAG) in names]


@dataclass(eq=False, repr=False)
class RemovedInstanceGroups(AWSTask):
    """Deletion of what removed groups have left: autoscaling groups, launch templates, and IAM of unused roles.

    groups: names of the instance groups that are there. unused_roles: tag of a role that no group has -> name of its
    IAM role, which is also its instance profile's; empty when IAM is not to be written.
    """

    groups: list[str] = internal(default_factory=list)
    unused_roles: dict[str, str] = internal(default_factory=dict)

    @property
    def is_absence(self) -> bool:
        return True

    def find(self, cloud: AWSCloud) -> RemovedInstanceGroups:
        return dataclasses.replace(self)

    def deletions(self, cloud: AWSCloud, actual: RemovedInstanceGroups) -> list[Deletion]:
        groups = self._left(cloud.once(describe_groups))
        templates = self._left(cloud.once(describe_launch_templates))
        found = [*self._autoscaling_groups(cloud, groups), *self._launch_templates(cloud, templates)]
        tags = {tag for left in (groups, templates) for each in left.values() for tag in from_tags(each.get("Tags"))}
        for tag, name in self.unused_roles.items():
            found += self._identity(cloud, name, ask=tag in tags)
        return found

    def _left(self, described: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Described objects with the tag of an instance group that no longer exists."""
        groups = {name: _instance_group(each) for name, each in described.items()}
        return {name: described[name] for name, group in groups.items() if group and group not in self.groups}

    def _autoscaling_groups(self, cloud: AWSCloud, groups: dict[str, dict[str, Any]]) -> Iterator[Deletion]:
        detached = cloud.once(describe_detached, tuple(sorted(groups))) if groups else []
        for name, group in groups.items():
            apart = [each["InstanceId"] for each in detached if from_tags(each.get("Tags")).get(DETACHED_TAG) == name]
            count = len(group.get("Instances") or ()) + len(apart)
            ended = f"; {count} instance{'' if count == 1 else 's'} will be ended" if count else ""
            run = partial(_delete_group, cloud, name, apart)
            yield _deletion("AutoscalingGroup", name, run, _why(group) + ended)

    def _launch_templates(self, cloud: AWSCloud, templates: dict[str, dict[str, Any]]) -> Iterator[Deletion]:
        for name, template in templates.items():
            run = partial(delete_template, cloud, template["LaunchTemplateId"])
            yield _deletion("LaunchTemplate", name, run, _why(template))

    def _identity(self, cloud: AWSCloud, name: str, *, ask: bool) -> Iterator[Deletion]:
        """A role, and before it (a plan deletes kind by kind) the profile that holds it."""
        role = find_role(cloud, name, ask=ask)
        if role is None:
            return
        why = "no instance group has this role any more"
        profile = cloud.once(read_instance_profile, name)
        if profile is not None and is_owned(cloud, profile.get("Tags")):
            yield _deletion("IAMInstanceProfile", name, profile_removal(cloud, profile), why)
        if says_owned(cloud, role.tags):
            yield _deletion("IAMRole", name, role_removal(cloud, name), why)

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: what is no longer in a configuration, Terraform deletes."""

    def cloudformation(self, target: CloudFormationTarget) -> None:
        """Nothing: what is no longer in a template, CloudFormation deletes."""


def _instance_group(described: dict[str, Any]) -> str:
    return from_tags(described.get("Tags")).get(INSTANCE_GROUP, "")


def _why(described: dict[str, Any]) -> str:
    return f"its instance group {_instance_group(described)} is not in the state store any more"


def _deletion(kind: str, name: str, run: Any, reason: str) -> Deletion:
    return Deletion(f"{kind}/{name}", kind, name, run, reason=reason)


def _delete_group(cloud: AWSCloud, name: str, detached: list[str]) -> None:
    # First, as only the autoscaling group tells that these instances are left over.
    if detached:
        call(cloud, "ec2", "terminate_instances", InstanceIds=detached)
    try:
        call(cloud, "autoscaling", "delete_auto_scaling_group", AutoScalingGroupName=name, ForceDelete=True)
    except Exception as error:
        # AWS has no code of its own for a group that is gone.
        if error_code(error) != "ValidationError" or "not found" not in str(error):
            raise
