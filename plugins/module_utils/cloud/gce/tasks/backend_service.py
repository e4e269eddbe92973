# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a backend service, the instances behind an internal load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Block, Literal, reference
from ....engine.task import unordered
from ._google import GoogleTask
from .health_check import HealthCheck
from .instance_group_manager import InstanceGroupManager

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

BALANCING_MODE = "CONNECTION"


@dataclass(eq=False)
class BackendService(GoogleTask):
    """A service of a region; its task name is its name. load_balancing_scheme: INTERNAL or EXTERNAL."""

    health_checks: list[HealthCheck] | None = unordered()
    load_balancing_scheme: str | None = None
    protocol: str | None = None
    instance_group_managers: list[InstanceGroupManager] | None = unordered()

    def terraform_link(self) -> Literal:
        """The service's id as other resources write it."""
        return reference("google_compute_region_backend_service", self.name)

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "google_compute_region_backend_service",
            self.name,
            {
                "backend": [
                    Block(balancing_mode=BALANCING_MODE, group=manager.terraform_group())
                    for manager in self.instance_group_managers or ()
                ],
                "health_checks": [check.terraform_link() for check in self.health_checks or ()],
                "load_balancing_scheme": self.load_balancing_scheme,
                "name": self.name,
                "protocol": self.protocol,
            },
        )
