# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: an IAM instance profile, by which instances get a role."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal, expression, reference
from ....engine.task import Change, computed, internal
from ..cloud import AWSCloud, from_tags, intersect_tags, missing_tags, to_tags
from ..errors import error_code
from ..iam import get_instance_profile, read_instance_profile
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class IAMInstanceProfile(AWSTask):
    """An instance profile; its task name is its name. shared: it exists already and is only used."""

    tags: dict[str, str] | None = None
    id: str | None = computed()
    shared: bool | None = internal()

    cloudformation_type = "AWS::IAM::InstanceProfile"
    unsaid: ClassVar[frozenset[str]] = frozenset({"tags"})

    def identity(self) -> str:
        """Its name: that is what a launch template refers to."""
        return self.name

    def find(self, cloud: AWSCloud) -> IAMInstanceProfile | None:
        profile = cloud.once(read_instance_profile, self.name)
        if profile is None:
            return None
        tags = self.tags if self.shared else intersect_tags(profile.get("Tags"), self.tags)
        return dataclasses.replace(self, id=profile["InstanceProfileId"], tags=tags)

    def check(self, cloud: AWSCloud, actual: IAMInstanceProfile | None, changes: dict[str, Change]) -> None:
        if self.shared and actual is None:
            raise KopsError(f"the instance profile {self.name} that the specification names does not exist")
        super().check(cloud, actual, changes)

    def create(self, cloud: AWSCloud) -> None:
        try:
            created = cloud.client("iam").create_instance_profile(
                InstanceProfileName=self.name, Tags=to_tags(self.tags)
            )["InstanceProfile"]
        except Exception as error:
            if error_code(error) != "EntityAlreadyExists":
                raise
            # A run that was killed has just made it.
            created = get_instance_profile(cloud, self.name) or {}
            self._tag(cloud, from_tags(created.get("Tags")))
        self.id = created.get("InstanceProfileId")

    def update(self, cloud: AWSCloud, actual: IAMInstanceProfile, changes: dict[str, Change]) -> None:
        self._tag(cloud, actual.tags)

    def _tag(self, cloud: AWSCloud, present: dict[str, str] | None) -> None:
        missing = missing_tags(present, self.tags)
        if missing:
            cloud.client("iam").tag_instance_profile(InstanceProfileName=self.name, Tags=to_tags(missing))

    @property
    def existing(self) -> str | None:
        """Its name, if it is there already."""
        return self.name if self.shared else None

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "InstanceProfileName": self.name,
        }

    def terraform_link(self) -> Literal:
        """The profile as a Terraform expression."""
        return Literal(expression(self.name)) if self.shared else reference("aws_iam_instance_profile", self.name)

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing by itself: Terraform's resource holds the role too (IAMInstanceProfileRole)."""
