# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a role that a service account has in a project."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.imports import Import
from .. import policies
from ..cloud import GCECloud
from ..policies import Place
from ._google import GoogleTask
from .service_account import ServiceAccount

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class ProjectIAMBinding(GoogleTask):
    """A member of one of a project's roles ("roles/container.serviceAgent")."""

    project: str | None = None
    member_service_account: ServiceAccount | None = None
    role: str | None = None

    def find(self, cloud: GCECloud) -> ProjectIAMBinding | None:
        policy = cloud.once(policies.read, self._place(cloud))
        found = self._member() in policies.members(policy, str(self.role))
        return dataclasses.replace(self) if found else None

    def create(self, cloud: GCECloud) -> None:
        """Add the member; those that are there stay."""
        policies.add(cloud, self._place(cloud), str(self.role), self._member())

    def _place(self, cloud: GCECloud) -> Place:
        return Place(project=str(self.project or cloud.project))

    def _member(self) -> str:
        return self.needed(self.member_service_account, "has no account").member

    def terraform(self, target: TerraformTarget) -> None:
        members = [self.member_service_account.terraform_member()] if self.member_service_account else []
        target.resource(
            "google_project_iam_binding", self.name, {"members": members, "project": self.project, "role": self.role}
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("google_project_iam_binding", self.name, f"{self.project} {self.role}")
