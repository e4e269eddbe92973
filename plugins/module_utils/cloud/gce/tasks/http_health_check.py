# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a health check of the kind that target pools have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal, reference
from ....engine.task import Change
from ..cloud import GCECloud
from ..resources.listing import BY_NAME, HTTP_CHECK
from ._compute import ComputeTask, given

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class HTTPHealthcheck(ComputeTask):
    """A check by HTTP; its task name is its name."""

    port: int | None = None
    request_path: str | None = None

    of = BY_NAME[HTTP_CHECK]
    resource = "google_compute_http_health_check"

    def find(self, cloud: GCECloud) -> HTTPHealthcheck | None:
        found = self.described(cloud)
        if found is None:
            return None
        return HTTPHealthcheck(self.name, port=found.get("port"), request_path=found.get("requestPath"))

    def create(self, cloud: GCECloud) -> None:
        self.insert(cloud, port=self.port, requestPath=self.request_path)

    def update(self, cloud: GCECloud, actual: HTTPHealthcheck, changes: dict[str, Change]) -> None:
        cloud.patch(self.path(cloud), given({"port": self.port, "requestPath": self.request_path}))

    def terraform_link(self) -> Literal:
        """The check's URL as other resources write it."""
        return reference(self.resource, self.name, "self_link")

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            self.resource,
            self.name,
            {"name": self.name, "port": self.port, "request_path": self.request_path},
        )
