# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a target pool, the instances behind a public load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal, reference
from ....engine.task import Change
from ..cloud import GCECloud
from ..resources.listing import BY_NAME, POOL
from ._compute import ComputeTask, refer
from .http_health_check import HTTPHealthcheck

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class TargetPool(ComputeTask):
    """A pool of a region, which has exactly one health check; its task name is its name."""

    health_check: HTTPHealthcheck | None = None

    of = BY_NAME[POOL]
    resource = "google_compute_target_pool"

    def find(self, cloud: GCECloud) -> TargetPool | None:
        found = self.described(cloud)
        if found is None:
            return None
        check = next(iter(found.get("healthChecks") or ()), None)
        return TargetPool(
            self.name, health_check=refer(check, self.health_check, lambda each: each.path(cloud), HTTPHealthcheck)
        )

    def create(self, cloud: GCECloud) -> None:
        self.insert(cloud, healthChecks=[self.health_check.url(cloud)] if self.health_check else None)

    def update(self, cloud: GCECloud, actual: TargetPool, changes: dict[str, Change]) -> None:
        """Another check: the old one goes first, as a pool has one at most."""
        path, found = self.path(cloud), self.described(cloud) or {}
        for old in found.get("healthChecks") or ():
            cloud.call(f"{path}/removeHealthCheck", {"healthChecks": [{"healthCheck": old}]})
        if self.health_check:
            cloud.call(f"{path}/addHealthCheck", {"healthChecks": [{"healthCheck": self.health_check.url(cloud)}]})

    def terraform_link(self) -> Literal:
        """The pool's URL as other resources write it."""
        return reference(self.resource, self.name, "self_link")

    def terraform(self, target: TerraformTarget) -> None:
        checks = [self.health_check.terraform_link()] if self.health_check else []
        target.resource(self.resource, self.name, {"health_checks": checks, "name": self.name})
