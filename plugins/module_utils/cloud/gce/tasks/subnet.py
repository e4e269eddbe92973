# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a subnetwork, which spans its region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Block, Literal, reference
from ....engine.task import internal
from ._google import GoogleTask
from .network import Network

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class Subnet(GoogleTask):
    """A subnetwork; its task name is its name.

    secondary_ip_ranges: name -> range, of which instances take aliases (pods, services).
    stack_type: IPV4_ONLY or IPV4_IPV6; with IPv6, ipv6_access_type EXTERNAL or INTERNAL.
    shared: it existed before the cluster.
    """

    network: Network | None = None
    region: str | None = None
    cidr: str | None = None
    stack_type: str | None = None
    ipv6_access_type: str | None = None
    secondary_ip_ranges: dict[str, str] | None = None
    shared: bool = internal(False)

    def terraform_link(self) -> Literal | str:
        """The subnetwork's name as other resources write it."""
        if self.shared:
            project = self.network.project if self.network else None
            return f"{project}/{self.name}" if project else self.name
        return reference("google_compute_subnetwork", self.name, "name")

    def terraform(self, target: TerraformTarget) -> None:
        if self.shared:
            return
        ranges = [
            Block(ip_cidr_range=cidr, range_name=name)
            for name, cidr in sorted((self.secondary_ip_ranges or {}).items())
        ]
        target.resource(
            "google_compute_subnetwork",
            self.name,
            {
                "ip_cidr_range": self.cidr,
                "ipv6_access_type": self.ipv6_access_type,
                "name": self.name,
                "network": self.network.terraform_link() if self.network else None,
                "region": self.region,
                "secondary_ip_range": ranges,
                "stack_type": self.stack_type,
            },
        )
