# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance that exists and routes for private subnets (egress: i-...)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Change, computed
from ._ec2 import require_shared
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud

GONE = ("shutting-down", "terminated")


@dataclass(eq=False, repr=False)
class Instance(AWSTask):
    """Always shared: it is verified and referred to, never created."""

    id: str | None = computed()
    shared: bool | None = None
    tags: dict[str, str] | None = None

    def prepare(self, cloud: AWSCloud) -> None:
        if self.id:
            cloud.want("instance", self.id)

    def find(self, cloud: AWSCloud) -> Instance | None:
        if self.id not in cloud.once(_read_instances):
            return None
        return Instance(name=self.name, id=self.id, shared=self.shared, tags=self.tags)

    def check(self, cloud: AWSCloud, actual: Instance | None, changes: dict[str, Change]) -> None:
        require_shared(self, actual, f"instance {self.id}")

    @property
    def existing(self) -> str:
        """Its id."""
        return str(self.id)

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: the instance is not ours."""

    def terraform_link(self) -> str:
        """The instance's id as other resources write it."""
        return str(self.id)


def _read_instances(cloud: AWSCloud) -> set[str]:
    chosen = [{"Name": "instance-id", "Values": cloud.wanted("instance")}]
    reservations = cloud.paged("ec2", "describe_instances", "Reservations", Filters=chosen)
    instances = [instance for reservation in reservations for instance in reservation["Instances"]]
    return {instance["InstanceId"] for instance in instances if instance["State"]["Name"] not in GONE}
