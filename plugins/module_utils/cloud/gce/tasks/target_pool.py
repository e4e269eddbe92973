# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a target pool, the instances behind a public load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal, reference
from ._google import GoogleTask
from .http_health_check import HTTPHealthcheck

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class TargetPool(GoogleTask):
    """A pool of a region, which has exactly one health check; its task name is its name."""

    health_check: HTTPHealthcheck | None = None

    def terraform_link(self) -> Literal:
        """The pool's URL as other resources write it."""
        return reference("google_compute_target_pool", self.name, "self_link")

    def terraform(self, target: TerraformTarget) -> None:
        checks = [self.health_check.terraform_link()] if self.health_check else []
        target.resource("google_compute_target_pool", self.name, {"health_checks": checks, "name": self.name})
