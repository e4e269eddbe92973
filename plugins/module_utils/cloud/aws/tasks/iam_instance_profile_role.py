# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: the role that an instance profile carries."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....base.errors import KopsError
from ....engine.targets.imports import Import
from ....engine.task import Change, TryAgainLater
from ..cloud import AWSCloud
from ..errors import error_code
from ..iam import read_instance_profile
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

from .iam_instance_profile import IAMInstanceProfile
from .iam_role import IAMRole


@dataclass(eq=False, repr=False)
class IAMInstanceProfileRole(AWSTask):
    """A role in an instance profile (AWS allows one)."""

    instance_profile: IAMInstanceProfile | None = None
    role: IAMRole | None = None

    def _ends(self) -> tuple[IAMInstanceProfile, IAMRole]:
        if self.instance_profile is None or self.role is None:
            raise KopsError(f"{self.key} needs an instance profile and a role")
        return self.instance_profile, self.role

    def find(self, cloud: AWSCloud) -> IAMInstanceProfileRole | None:
        profile, role = self._ends()
        existing = cloud.once(read_instance_profile, profile.name)
        carried = (existing or {}).get("Roles") or []
        if not carried:
            return None
        found = IAMRole(name=carried[0]["RoleName"], id=carried[0]["RoleId"])
        return dataclasses.replace(self, role=role if found.id == role.id else found)

    def create(self, cloud: AWSCloud) -> None:
        profile, role = self._ends()
        try:
            cloud.client("iam").add_role_to_instance_profile(InstanceProfileName=profile.name, RoleName=role.name)
        except Exception as error:
            if error_code(error) == "NoSuchEntity":
                raise TryAgainLater(f"IAM does not know {role.name} and {profile.name} everywhere yet") from error
            raise

    def update(self, cloud: AWSCloud, actual: IAMInstanceProfileRole, changes: dict[str, Change]) -> None:
        profile, _role = actual._ends()
        cloud.client("iam").remove_role_from_instance_profile(
            InstanceProfileName=profile.name, RoleName=actual._ends()[1].name
        )
        self.create(cloud)

    def cloudformation(self, target: CloudFormationTarget) -> None:
        profile, role = self._ends()
        target.add(profile, "Roles", target.ref(role))

    def terraform(self, target: TerraformTarget) -> None:
        profile, role = self._ends()
        target.resource(
            "aws_iam_instance_profile",
            profile.name,
            {"name": profile.name, "role": role.terraform_link(), "tags": profile.tags},
        )

    def terraform_imports(self) -> Iterator[Import]:
        profile, _role = self._ends()
        yield Import("aws_iam_instance_profile", profile.name, profile.name)
