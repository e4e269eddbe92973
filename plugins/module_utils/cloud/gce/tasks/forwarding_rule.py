# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a forwarding rule, which leads from a load balancer's address to its instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal
from ._google import GoogleTask
from .address import Address
from .backend_service import BackendService
from .network import Network
from .subnet import Subnet
from .target_pool import TargetPool

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class ForwardingRule(GoogleTask):
    """A rule of a region; its task name is its name.

    A public one leads a port_range ("443-443") to a target_pool; an internal one leads ports to a backend_service,
    from inside of network and subnetwork.
    """

    port_range: str | None = None
    ports: list[str] | None = None
    target_pool: TargetPool | None = None
    ip_address: Address | None = None
    ip_protocol: str | None = None
    load_balancing_scheme: str | None = None
    network: Network | None = None
    subnetwork: Subnet | None = None
    backend_service: BackendService | None = None
    labels: dict[str, str] | None = None

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "google_compute_forwarding_rule",
            self.name,
            {
                "backend_service": _link(self.backend_service),
                "ip_address": _link(self.ip_address),
                "ip_protocol": self.ip_protocol,
                "labels": self.labels,
                "load_balancing_scheme": self.load_balancing_scheme,
                "name": self.name,
                "network": _link(self.network),
                "port_range": self.port_range,
                "ports": self.ports,
                "subnetwork": _link(self.subnetwork),
                "target": _link(self.target_pool),
            },
        )


def _link(task: Address | BackendService | Network | Subnet | TargetPool | None) -> Literal | str | None:
    return task.terraform_link() if task else None
