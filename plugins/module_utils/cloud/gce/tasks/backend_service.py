# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a backend service, the instances behind an internal load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.hcl import Block, Literal, reference
from ....engine.task import Change, unordered
from ..cloud import GCECloud
from ..identifiers import url_of
from ..resources.listing import BACKEND, BY_NAME
from ._compute import ComputeTask, referred
from .health_check import HealthCheck
from .instance_group_manager import InstanceGroupManager

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

BALANCING_MODE = "CONNECTION"


@dataclass(eq=False, repr=False)
class BackendService(ComputeTask):
    """A service of a region; its task name is its name. load_balancing_scheme: INTERNAL or EXTERNAL."""

    health_checks: list[HealthCheck] | None = unordered()
    load_balancing_scheme: str | None = None
    protocol: str | None = None
    instance_group_managers: list[InstanceGroupManager] | None = unordered()

    of = BY_NAME[BACKEND]
    resource = "google_compute_region_backend_service"
    # Google refuses both while a forwarding rule leads to the service.
    immutable: ClassVar[frozenset[str]] = frozenset({"load_balancing_scheme", "protocol"})

    def find(self, cloud: GCECloud) -> BackendService | None:
        found = self.described(cloud)
        if found is None:
            return None
        groups = [each["group"] for each in found.get("backends") or () if each.get("group")]
        return BackendService(
            self.name,
            health_checks=referred(
                found.get("healthChecks") or (), self.health_checks, lambda each: each.path(cloud), HealthCheck
            ),
            load_balancing_scheme=found.get("loadBalancingScheme"),
            protocol=found.get("protocol"),
            instance_group_managers=referred(
                groups, self.instance_group_managers, lambda each: each.group_path(cloud), InstanceGroupManager
            ),
        )

    def create(self, cloud: GCECloud) -> None:
        self.insert(
            cloud, loadBalancingScheme=self.load_balancing_scheme, protocol=self.protocol, **self._serving(cloud)
        )

    def update(self, cloud: GCECloud, actual: BackendService, changes: dict[str, Change]) -> None:
        found = self.described(cloud) or {}
        # By the fingerprint, Google refuses what another writer has changed meanwhile.
        cloud.patch(self.path(cloud), {"fingerprint": found.get("fingerprint"), **self._serving(cloud)})

    def _serving(self, cloud: GCECloud) -> dict[str, Any]:
        """Who serves, and what tells whether they can."""
        return {
            "backends": [
                {"balancingMode": BALANCING_MODE, "group": url_of(manager.group_path(cloud))}
                for manager in self.instance_group_managers or ()
            ],
            "healthChecks": [check.url(cloud) for check in self.health_checks or ()],
        }

    def terraform_link(self) -> Literal:
        """The service's id as other resources write it."""
        return reference(self.resource, self.name)

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            self.resource,
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
