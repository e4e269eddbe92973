# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a service account, the identity of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal, function, reference
from ....engine.task import internal
from ..identifiers import split_account_email
from ._google import GoogleTask

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class ServiceAccount(GoogleTask):
    """An account, known by its email; "default" is the project's own. shared: it existed before the cluster."""

    email: str = ""
    description: str | None = None
    display_name: str | None = None
    shared: bool = internal(False)

    def identity(self) -> str:
        return self.email

    def terraform_email(self) -> Literal | str:
        """The address as instances are given it."""
        return self.email if self.shared else reference("google_service_account", self.name, "email")

    def terraform_member(self) -> Literal | str:
        """The account as a member of an IAM binding."""
        email = self.terraform_email()
        return (
            function("format", "serviceAccount:%s", email) if isinstance(email, Literal) else f"serviceAccount:{email}"
        )

    def terraform(self, target: TerraformTarget) -> None:
        if self.shared:
            return
        account_id, project = split_account_email(self.email)
        target.resource(
            "google_service_account",
            self.name,
            {
                "account_id": account_id,
                "description": self.description,
                "display_name": self.display_name,
                "project": project,
            },
        )
