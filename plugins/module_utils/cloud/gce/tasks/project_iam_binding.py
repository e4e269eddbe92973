# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a role that a service account has in a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._google import GoogleTask
from .service_account import ServiceAccount

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class ProjectIAMBinding(GoogleTask):
    """A member of one of a project's roles ("roles/container.serviceAgent")."""

    project: str | None = None
    member_service_account: ServiceAccount | None = None
    role: str | None = None

    def terraform(self, target: TerraformTarget) -> None:
        members = [self.member_service_account.terraform_member()] if self.member_service_account else []
        target.resource(
            "google_project_iam_binding", self.name, {"members": members, "project": self.project, "role": self.role}
        )
