# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a service account, the identity of instances."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal, function, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, internal
from ..cloud import IAM, GCECloud
from ..identifiers import split_account_email
from ._google import GoogleTask

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

DEFAULT = "default"


@dataclass(eq=False, repr=False)
class ServiceAccount(GoogleTask):
    """An account, known by its email; "default" is the project's own. shared: it existed before the cluster."""

    email: str = ""
    description: str | None = None
    display_name: str | None = None
    shared: bool = internal(False)

    @property
    def member(self) -> str:
        """The account as IAM policies name it."""
        return f"serviceAccount:{self.email}"

    def find(self, cloud: GCECloud) -> ServiceAccount | None:
        # The project's own account has no address of that form, and is always there.
        if self.email == DEFAULT:
            return dataclasses.replace(self)
        _account, project = split_account_email(self.email)
        found = cloud.once(accounts, project).get(self.email)
        if self.shared:
            if found is None:
                raise KopsError(f"spec.cloudProvider.gce.serviceAccount: project {project} has no account {self.email}")
            return dataclasses.replace(self)
        if found is None:
            return None
        return ServiceAccount(
            self.name,
            email=self.email,
            description=found.get("description", ""),
            display_name=found.get("displayName", ""),
        )

    def create(self, cloud: GCECloud) -> None:
        account_id, project = split_account_email(self.email)
        body = {"accountId": account_id, "serviceAccount": self._said()}
        cloud.write("POST", IAM, f"{project}/serviceAccounts", body)

    def update(self, cloud: GCECloud, actual: ServiceAccount, changes: dict[str, Change]) -> None:
        _account, project = split_account_email(self.email)
        body = {"serviceAccount": self._said(), "updateMask": "description,displayName"}
        cloud.write("PATCH", IAM, f"{project}/serviceAccounts/{self.email}", body)

    def _said(self) -> dict[str, Any]:
        return {"description": self.description or "", "displayName": self.display_name or ""}

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

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            _account, project = split_account_email(self.email)
            yield Import("google_service_account", self.name, f"projects/{project}/serviceAccounts/{self.email}")


def accounts(cloud: GCECloud, project: str) -> dict[str, dict[str, Any]]:
    """Address -> all service accounts of a project."""
    pages = cloud.pages(IAM, f"{project}/serviceAccounts")
    return {each["email"]: each for page in pages for each in page.get("accounts", ())}
