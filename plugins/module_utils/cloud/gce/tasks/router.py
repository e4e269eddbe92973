# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a router with address translation (Cloud NAT), the way out of private subnets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Block, reference
from ....engine.task import unordered
from ._google import GoogleTask
from .network import Network
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

ALL_IP_RANGES = "ALL_IP_RANGES"


@dataclass(eq=False)
class Router(GoogleTask):
    """A router and its one NAT, both of the task's name.

    nat_ip_allocation_option: AUTO_ONLY, where Google chooses the addresses.
    source_subnetwork_ip_ranges_to_nat: LIST_OF_SUBNETWORKS, which are in subnetworks, each with all of its ranges.
    """

    network: Network | None = None
    region: str | None = None
    nat_ip_allocation_option: str | None = None
    source_subnetwork_ip_ranges_to_nat: str | None = None
    subnetworks: list[Subnet] | None = unordered()

    def terraform(self, target: TerraformTarget) -> None:
        network = self.network.terraform_link() if self.network else None
        target.resource("google_compute_router", self.name, {"name": self.name, "network": network})
        target.resource(
            "google_compute_router_nat",
            self.name,
            {
                "name": self.name,
                "nat_ip_allocate_option": self.nat_ip_allocation_option,
                "region": self.region,
                "router": reference("google_compute_router", self.name, "name"),
                "source_subnetwork_ip_ranges_to_nat": self.source_subnetwork_ip_ranges_to_nat,
                "subnetwork": [
                    Block(name=subnet.terraform_link(), source_ip_ranges_to_nat=[ALL_IP_RANGES])
                    for subnet in self.subnetworks or ()
                ],
            },
        )
