# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: what an IAM role may do: an inline policy, or the managed policies attached to it."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....api.cloud_names import fnv1a_32
from ....base.errors import KopsError
from ....engine.targets.imports import Import
from ....engine.task import Change, Deferred, TryAgainLater, computed, internal, unordered
from ..cloud import AWSCloud
from ..documents import as_found
from ..errors import error_code
from ..iam import read_roles
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from .iam_role import IAMRole

# AWS' limit for all inline policies of a role, white space not counted.
LARGEST_POLICY = 10240


@dataclass(eq=False, repr=False)
class IAMRolePolicy(AWSTask):
    """An inline policy of the task's name, or (managed) the list of managed policies that the role has.

    policy_document: JSON text; "" means that there must be no such inline policy.
    external_policies: ARNs; with managed, these and no others are attached.
    """

    id: str | None = computed()
    role: IAMRole | None = None
    policy_document: str | Deferred | None = None
    external_policies: list[str] | None = unordered()
    managed: bool | None = internal()

    cloudformation_type = "AWS::IAM::RolePolicy"

    @property
    def _role_name(self) -> str:
        return self.needed(self.role, "names no role").name

    @property
    def is_absence(self) -> bool:
        return not (self.external_policies or str(self.policy_document or ""))

    def prepare(self, cloud: AWSCloud) -> None:
        cloud.want("iam-role", self._role_name)

    def find(self, cloud: AWSCloud) -> IAMRolePolicy | None:
        role = cloud.once(read_roles).get(self._role_name)
        if self.external_policies is not None:
            attached = list(role.attached) if role else []
            if self.external_policies and not attached:
                return None
            return dataclasses.replace(self, external_policies=attached)
        wanted = str(self.policy_document or "")
        if role is None or self.name not in role.inline:
            return None if wanted else dataclasses.replace(self, policy_document="")
        return dataclasses.replace(self, policy_document=as_found(role.inline[self.name], wanted))

    def check(self, cloud: AWSCloud, actual: IAMRolePolicy | None, changes: dict[str, Change]) -> None:
        size = len("".join(str(self.policy_document or "").split()))
        if size > LARGEST_POLICY:
            raise KopsError(f"{self.key}: a role's policy has at most {LARGEST_POLICY} characters, not {size}")
        super().check(cloud, actual, changes)

    def create(self, cloud: AWSCloud) -> None:
        self._make_equal(cloud, set())

    def update(self, cloud: AWSCloud, actual: IAMRolePolicy, changes: dict[str, Change]) -> None:
        self._make_equal(cloud, set(actual.external_policies or ()))

    def _make_equal(self, cloud: AWSCloud, attached: set[str]) -> None:
        iam = cloud.client("iam")
        try:
            if self.external_policies is not None:
                for arn in sorted(set(self.external_policies) - attached):
                    iam.attach_role_policy(RoleName=self._role_name, PolicyArn=arn)
                for arn in sorted(attached - set(self.external_policies)):
                    iam.detach_role_policy(RoleName=self._role_name, PolicyArn=arn)
            elif str(self.policy_document or ""):
                iam.put_role_policy(
                    RoleName=self._role_name, PolicyName=self.name, PolicyDocument=str(self.policy_document)
                )
            else:
                iam.delete_role_policy(RoleName=self._role_name, PolicyName=self.name)
        except Exception as error:
            if error_code(error) != "NoSuchEntity":
                raise
            self._explain_missing(error)

    def _explain_missing(self, error: Exception) -> None:
        """Raise what it means that IAM knows something not; return when it was to be removed."""
        if re.search(rf"\brole (with name )?{re.escape(self._role_name)}\b", str(error), re.IGNORECASE):
            raise TryAgainLater(f"IAM does not know the role {self._role_name} everywhere yet") from error
        if self.external_policies:
            raise KopsError(f"{self.key}: {error}") from error

    def cloudformation(self, target: CloudFormationTarget) -> None:
        for arn in self.external_policies or ():
            target.add(self.needed(self.role, "names no role"), "ManagedPolicyArns", arn)
        if str(self.policy_document or ""):
            super().cloudformation(target)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "PolicyDocument": json.loads(str(self.policy_document)),
            "PolicyName": self.name,
            "RoleName": target.ref(self.role),
        }

    def terraform(self, target: TerraformTarget) -> None:
        if self.role is None:
            raise KopsError(f"{self.key} names no role")
        for arn in self.external_policies or ():
            target.resource(
                "aws_iam_role_policy_attachment",
                f"{self.name}-{fnv1a_32(arn)}",
                {"policy_arn": arn, "role": self.role.terraform_link()},
            )
        document = str(self.policy_document or "")
        if document:
            target.resource(
                "aws_iam_role_policy",
                self.name,
                {
                    "name": self.name,
                    "policy": target.file("aws_iam_role_policy", self.name, "policy", document),
                    "role": self.role.terraform_link(),
                },
            )

    def terraform_imports(self) -> Iterator[Import]:
        for arn in self.external_policies or ():
            attached = f"{self._role_name}/{arn}"
            yield Import("aws_iam_role_policy_attachment", f"{self.name}-{fnv1a_32(arn)}", attached)
        if str(self.policy_document or ""):
            yield Import("aws_iam_role_policy", self.name, f"{self._role_name}:{self.name}")
