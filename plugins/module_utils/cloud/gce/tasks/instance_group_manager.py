# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a managed instance group: the instances of an instance group in one zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Block, Literal, reference
from ....engine.task import unordered
from ._google import GoogleTask
from .instance_template import InstanceTemplate
from .target_pool import TargetPool

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass
class UpdatePolicy:
    """When running instances follow a new template. type: OPPORTUNISTIC, not by themselves. minimal_action: REPLACE."""

    minimal_action: str
    type: str


@dataclass(eq=False)
class InstanceGroupManager(GoogleTask):
    """A managed group of a zone; its task name is its name.

    base_instance_name: what its instances' names begin with. target_size: number of instances when it is created.
    list_managed_instances_results: PAGINATED, whole lists of large groups in pages.
    """

    zone: str | None = None
    base_instance_name: str | None = None
    instance_template: InstanceTemplate | None = None
    list_managed_instances_results: str | None = None
    target_size: int | None = None
    update_policy: UpdatePolicy | None = None
    target_pools: list[TargetPool] | None = unordered()

    def terraform_group(self) -> Literal:
        """The group of instances that it manages, as backends name it."""
        return reference("google_compute_instance_group_manager", self.name, "instance_group")

    def terraform(self, target: TerraformTarget) -> None:
        policy, template = self.update_policy, self.instance_template
        target.resource(
            "google_compute_instance_group_manager",
            self.name,
            {
                "base_instance_name": self.base_instance_name,
                # The autoscaler changes it.
                "lifecycle": Block(ignore_changes=[Literal("target_size")]),
                "list_managed_instances_results": self.list_managed_instances_results,
                "name": self.name,
                "target_pools": [pool.terraform_link() for pool in self.target_pools or ()],
                "target_size": self.target_size,
                "update_policy": Block(minimal_action=policy.minimal_action, type=policy.type) if policy else None,
                "version": Block(instance_template=template.terraform_link() if template else None),
                "zone": self.zone,
            },
        )
