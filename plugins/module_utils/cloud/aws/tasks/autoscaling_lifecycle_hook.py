# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: a lifecycle hook, which makes an autoscaling group wait for a node before it goes on.

AWS lists hooks group by group only. A call for each of a hundred groups, in every run, would cost more than all other
reads together; so a tag of the group's launch template (read for all groups at once) keeps a hash of the hooks that
the last run has put there. Where it is what is wanted, the hooks are taken to be in place. Where it is something else
or missing, as in a cluster that kops has made, the group's hooks are read. What this does not see is a hook that
a user changes by hand; deleting the tag makes the next run look.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.targets.imports import Import
from ....engine.task import Change, computed, internal
from ..cloud import AWSCloud
from ._task import AWSTask
from ._template_notes import HOOKS, read_note, write_note
from .autoscaling_group import AutoscalingGroup, describe_groups

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

_record_lock = threading.Lock()


def describe_hooks(cloud: AWSCloud, group: str) -> dict[str, dict[str, Any]]:
    """The lifecycle hooks of an autoscaling group, by name."""
    answer = cloud.client("autoscaling").describe_lifecycle_hooks(AutoScalingGroupName=group)
    return {hook["LifecycleHookName"]: hook for hook in answer["LifecycleHooks"]}


@dataclass(eq=False, repr=False)
class AutoscalingLifecycleHook(AWSTask):
    """A lifecycle hook. hook_name: its name in the group; None takes the task's. heartbeat_timeout: seconds.

    enabled: false means that there must be no such hook. in_place: nothing is left to do about it.
    """

    id: str | None = computed()
    hook_name: str | None = internal()
    autoscaling_group: AutoscalingGroup | None = None
    default_result: str | None = None
    heartbeat_timeout: int | None = None
    lifecycle_transition: str | None = None
    enabled: bool | None = None
    in_place: bool = internal(default=False)

    cloudformation_type = "AWS::AutoScaling::LifecycleHook"

    def identity(self) -> str:
        """Its name."""
        return self.name

    @property
    def _group(self) -> AutoscalingGroup:
        return self.needed(self.autoscaling_group, "names no autoscaling group")

    @property
    def api_name(self) -> str:
        """The hook's name in its group."""
        return self.hook_name or self.name

    @property
    def is_absence(self) -> bool:
        return not self.enabled

    def prepare(self, cloud: AWSCloud) -> None:
        self._group.lifecycle_hooks[self.name] = self

    def find(self, cloud: AWSCloud) -> AutoscalingLifecycleHook | None:
        actual = self._look(cloud)
        same = ("default_result", "heartbeat_timeout", "lifecycle_transition", "enabled")
        self.in_place = actual is not None and all(getattr(actual, name) == getattr(self, name) for name in same)
        return actual

    def _look(self, cloud: AWSCloud) -> AutoscalingLifecycleHook | None:
        absent = None if self.enabled else dataclasses.replace(self)
        if self._group.name not in cloud.once(describe_groups):
            return absent
        if self._recorded(cloud):
            return dataclasses.replace(self)
        hook = cloud.once(describe_hooks, self._group.name).get(self.api_name)
        if hook is None:
            return absent
        found = dataclasses.replace(
            self,
            default_result=hook.get("DefaultResult"),
            heartbeat_timeout=hook.get("HeartbeatTimeout"),
            lifecycle_transition=hook.get("LifecycleTransition"),
            enabled=True,
        )
        # Of a hook that must be deleted, only its existence matters.
        return found if self.enabled else dataclasses.replace(self, enabled=True)

    def _hooks(self) -> list[AutoscalingLifecycleHook]:
        """Lifecycle hooks that are declared for the group."""
        return [hook for hook in self._group.lifecycle_hooks.values() if isinstance(hook, AutoscalingLifecycleHook)]

    def _recorded(self, cloud: AWSCloud) -> bool:
        template = self._group.launch_template
        return template is not None and read_note(cloud, template.id, HOOKS) == self._record()

    def _record(self) -> str:
        """A hash of all that is wanted of the group's hooks."""
        wanted = [
            [hook.api_name, hook.lifecycle_transition, hook.default_result, hook.heartbeat_timeout]
            for hook in self._hooks()
            if hook.enabled
        ]
        return hashlib.sha256(json.dumps(sorted(wanted)).encode()).hexdigest()[:16]

    def create(self, cloud: AWSCloud) -> None:
        cloud.client("autoscaling").put_lifecycle_hook(
            AutoScalingGroupName=self._group.name,
            LifecycleHookName=self.api_name,
            LifecycleTransition=self.lifecycle_transition,
            DefaultResult=self.default_result,
            HeartbeatTimeout=self.heartbeat_timeout,
        )
        self._keep_record(cloud)

    def update(self, cloud: AWSCloud, actual: AutoscalingLifecycleHook, changes: dict[str, Change]) -> None:
        if self.enabled:
            self.create(cloud)
            return
        cloud.client("autoscaling").delete_lifecycle_hook(
            AutoScalingGroupName=self._group.name, LifecycleHookName=self.api_name
        )
        self._keep_record(cloud)

    def _keep_record(self, cloud: AWSCloud) -> None:
        """The group's last hook to be in place writes the record."""
        with _record_lock:
            self.in_place = True
            complete = all(hook.in_place for hook in self._hooks())
        template = self._group.launch_template
        if complete and template is not None:
            write_note(cloud, template.id, HOOKS, self._record())

    def cloudformation(self, target: CloudFormationTarget) -> None:
        if not self.enabled:
            return
        super().cloudformation(target)
        pool = self._group.warm_pool
        if isinstance(pool, AWSTask) and pool.enabled:
            target.order(self, pool)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "AutoScalingGroupName": target.ref(self._group),
            "DefaultResult": self.default_result,
            "HeartbeatTimeout": self.heartbeat_timeout,
            "LifecycleHookName": self.api_name,
            "LifecycleTransition": self.lifecycle_transition,
        }

    def terraform(self, target: TerraformTarget) -> None:
        if not self.enabled:
            return
        target.resource(
            "aws_autoscaling_lifecycle_hook",
            self.name,
            {
                "autoscaling_group_name": self._group.terraform_link(),
                "default_result": self.default_result,
                "heartbeat_timeout": self.heartbeat_timeout,
                "lifecycle_transition": self.lifecycle_transition,
                "name": self.api_name,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        if self.enabled:
            yield Import("aws_autoscaling_lifecycle_hook", self.name, f"{self._group.name}/{self.api_name}")
