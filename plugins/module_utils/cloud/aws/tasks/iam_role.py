# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: an IAM role, of the cluster's nodes or of a service account."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, Deferred, computed, internal
from ..cloud import AWSCloud, intersect_tags, missing_tags, to_tags
from ..documents import as_found
from ..errors import error_code
from ..iam import get_role, read_roles
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

LONGEST_NAME = 64


@dataclass(eq=False, repr=False)
class IAMRole(AWSTask):
    """An IAM role; its task name is its name.

    role_policy_document: JSON text that says who may assume the role. permissions_boundary: ARN of a policy.
    export_with_id: prefix of the Terraform outputs ``<id>_role_arn`` and ``<id>_role_name``.
    """

    id: str | None = computed()
    role_policy_document: str | Deferred | None = None
    permissions_boundary: str | None = None
    tags: dict[str, str] | None = None
    export_with_id: str | None = internal()

    cloudformation_type = "AWS::IAM::Role"

    def prepare(self, cloud: AWSCloud) -> None:
        cloud.want("iam-role", self.name)

    def find(self, cloud: AWSCloud) -> IAMRole | None:
        role = cloud.once(read_roles).get(self.name)
        if role is None:
            return None
        return dataclasses.replace(
            self,
            id=role.id,
            role_policy_document=as_found(role.assume_role_policy, str(self.role_policy_document)),
            permissions_boundary=role.permissions_boundary,
            tags=intersect_tags(to_tags(role.tags), self.tags),
        )

    def check(self, cloud: AWSCloud, actual: IAMRole | None, changes: dict[str, Change]) -> None:
        if len(self.name) > LONGEST_NAME:
            raise KopsError(f"{self.key}: a role's name has at most {LONGEST_NAME} characters, not {len(self.name)}")
        super().check(cloud, actual, changes)

    def create(self, cloud: AWSCloud) -> None:
        request: dict[str, Any] = {
            "RoleName": self.name,
            "AssumeRolePolicyDocument": str(self.role_policy_document),
            "Tags": to_tags(self.tags),
        }
        if self.permissions_boundary:
            request["PermissionsBoundary"] = self.permissions_boundary
        try:
            self.id = cloud.client("iam").create_role(**request)["Role"]["RoleId"]
        except Exception as error:
            if error_code(error) != "EntityAlreadyExists":
                raise
            self._take_over(cloud)

    def _take_over(self, cloud: AWSCloud) -> None:
        # A run that was killed has just made it, and the account's listing did not show it yet.
        self.id = (get_role(cloud, self.name) or {}).get("RoleId")
        wanted = ("role_policy_document", "permissions_boundary", "tags")
        changes = {name: Change(None, getattr(self, name)) for name in wanted if getattr(self, name)}
        self.update(cloud, dataclasses.replace(self, tags={}), changes)

    def update(self, cloud: AWSCloud, actual: IAMRole, changes: dict[str, Change]) -> None:
        iam = cloud.client("iam")
        if "role_policy_document" in changes:
            iam.update_assume_role_policy(RoleName=self.name, PolicyDocument=str(self.role_policy_document))
        if "permissions_boundary" in changes:
            if self.permissions_boundary:
                iam.put_role_permissions_boundary(RoleName=self.name, PermissionsBoundary=self.permissions_boundary)
            else:
                iam.delete_role_permissions_boundary(RoleName=self.name)
        if "tags" in changes:
            iam.tag_role(RoleName=self.name, Tags=to_tags(missing_tags(actual.tags, self.tags)))

    def cloudformation(self, target: CloudFormationTarget) -> None:
        super().cloudformation(target)
        if self.export_with_id:
            words = f"{self.export_with_id}_role_arn"
            target.output(words, target.attribute(self, "Arn"), f"The role of {self.export_with_id}")

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "AssumeRolePolicyDocument": json.loads(str(self.role_policy_document)),
            "PermissionsBoundary": self.permissions_boundary,
            "RoleName": self.name,
            "Tags": tags(self.tags),
        }

    def terraform_link(self, attribute: str = "name") -> Literal:
        """The role's name as a Terraform expression."""
        return reference("aws_iam_role", self.name, attribute)

    def terraform(self, target: TerraformTarget) -> None:
        document = target.file("aws_iam_role", self.name, "policy", str(self.role_policy_document))
        if self.export_with_id:
            target.output(f"{self.export_with_id}_role_arn", self.terraform_link("arn"))
            target.output(f"{self.export_with_id}_role_name", self.terraform_link())
        target.resource(
            "aws_iam_role",
            self.name,
            {
                "assume_role_policy": document,
                "name": self.name,
                "permissions_boundary": self.permissions_boundary,
                "tags": self.tags,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_iam_role", self.name, self.name)
