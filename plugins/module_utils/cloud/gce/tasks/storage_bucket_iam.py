# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a role that a service account has in a bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._google import GoogleTask
from .service_account import ServiceAccount

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class StorageBucketIAM(GoogleTask):
    """A member of one of a bucket's roles ("roles/storage.objectViewer")."""

    bucket: str | None = None
    member_service_account: ServiceAccount | None = None
    role: str | None = None

    def terraform(self, target: TerraformTarget) -> None:
        account = self.member_service_account
        target.resource(
            "google_storage_bucket_iam_member",
            self.name,
            {
                "bucket": self.bucket,
                "member": account.terraform_member() if account else None,
                "role": self.role,
            },
        )
