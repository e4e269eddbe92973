# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: a warm pool, instances that an autoscaling group has started beforehand and stopped."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.targets.hcl import Block
from ....engine.task import Change, Task, TryAgainLater
from ..cloud import AWSCloud
from ..errors import error_code
from ._task import AWSTask
from .autoscaling_group import AutoscalingGroup, describe_groups

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

# How AWS says that the pool may grow to the group's largest size.
UP_TO_GROUP_SIZE = -1


@dataclass(eq=False, repr=False)
class WarmPool(AWSTask):
    """The warm pool of a group. max_size: None is the group's own largest size. enabled: false means no pool."""

    enabled: bool | None = None
    max_size: int | None = None
    min_size: int | None = None
    autoscaling_group: AutoscalingGroup | None = None

    cloudformation_type = "AWS::AutoScaling::WarmPool"

    def identity(self) -> str:
        """Its name."""
        return self.name

    @property
    def _group(self) -> AutoscalingGroup:
        return self.needed(self.autoscaling_group, "names no autoscaling group")

    @property
    def is_absence(self) -> bool:
        return not self.enabled

    def dependencies(self) -> Iterator[Task[Any]]:
        """The group and its hooks: an instance that warms up must already be held by them."""
        yield from super().dependencies()
        if self.autoscaling_group is not None:
            yield from self.autoscaling_group.lifecycle_hooks.values()

    def prepare(self, cloud: AWSCloud) -> None:
        if self.enabled and self.max_size is None:
            # None would be "don't care": a limit that is not wanted any more has to go.
            self.max_size = UP_TO_GROUP_SIZE

    def find(self, cloud: AWSCloud) -> WarmPool | None:
        # The group's own description holds the pool: no call for each group.
        group = cloud.once(describe_groups).get(self._group.name) or {}
        pool = group.get("WarmPoolConfiguration")
        if not pool or pool.get("Status") == "PendingDelete":
            return None if self.enabled else dataclasses.replace(self)
        if not self.enabled:
            return dataclasses.replace(self, enabled=True)
        return dataclasses.replace(
            self,
            enabled=True,
            max_size=pool.get("MaxGroupPreparedCapacity", UP_TO_GROUP_SIZE),
            min_size=pool.get("MinSize") or 0,
        )

    def create(self, cloud: AWSCloud) -> None:
        try:
            cloud.client("autoscaling").put_warm_pool(
                AutoScalingGroupName=self._group.name,
                MaxGroupPreparedCapacity=self.max_size,
                MinSize=self.min_size or 0,
            )
        except Exception as error:
            if error_code(error) == "ValidationError":
                raise TryAgainLater(f"waiting until the group {self._group.name} takes a warm pool: {error}") from error
            raise

    def update(self, cloud: AWSCloud, actual: WarmPool, changes: dict[str, Change]) -> None:
        if self.enabled:
            self.create(cloud)
            return
        # Instances of the pool have never done any work: there is nothing to wait for.
        cloud.client("autoscaling").delete_warm_pool(AutoScalingGroupName=self._group.name, ForceDelete=True)

    def block(self) -> Block:
        """The pool as the group's Terraform resource holds it."""
        largest = None if self.max_size == UP_TO_GROUP_SIZE else self.max_size
        return Block(max_group_prepared_capacity=largest, min_size=self.min_size or 0)

    def cloudformation(self, target: CloudFormationTarget) -> None:
        if self.enabled:
            super().cloudformation(target)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "AutoScalingGroupName": target.ref(self._group),
            "MaxGroupPreparedCapacity": self.max_size if self.max_size != UP_TO_GROUP_SIZE else None,
            "MinSize": self.min_size,
        }

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing by itself: Terraform's autoscaling group holds its pool."""
