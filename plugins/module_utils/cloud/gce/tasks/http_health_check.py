# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a health check of the kind that target pools have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal, reference
from ._google import GoogleTask

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class HTTPHealthcheck(GoogleTask):
    """A check by HTTP; its task name is its name."""

    port: int | None = None
    request_path: str | None = None

    def terraform_link(self) -> Literal:
        """The check's URL as other resources write it."""
        return reference("google_compute_http_health_check", self.name, "self_link")

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "google_compute_http_health_check",
            self.name,
            {"name": self.name, "port": self.port, "request_path": self.request_path},
        )
