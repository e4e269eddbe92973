# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a router with address translation (Cloud NAT), the way out of private subnets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.hcl import Block, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, unordered
from ..cloud import COMPUTE, GCECloud
from ..identifiers import last_component
from ..resources.listing import BY_NAME, ROUTER
from ._compute import ComputeTask, Described, refer, referred
from .network import Network
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

ALL_IP_RANGES = "ALL_IP_RANGES"
_NAT = "google_compute_router_nat"


@dataclass(eq=False, repr=False)
class Router(ComputeTask):
    """A router and its one NAT, both of the task's name.

    nat_ip_allocation_option: AUTO_ONLY, where Google chooses the addresses.
    source_subnetwork_ip_ranges_to_nat: LIST_OF_SUBNETWORKS, which are in subnetworks, each with all of its ranges.
    """

    network: Network | None = None
    region: str | None = None
    nat_ip_allocation_option: str | None = None
    source_subnetwork_ip_ranges_to_nat: str | None = None
    subnetworks: list[Subnet] | None = unordered()

    of = BY_NAME[ROUTER]
    resource = "google_compute_router"
    immutable: ClassVar[frozenset[str]] = frozenset({"network", "region"})

    def find(self, cloud: GCECloud) -> Router | None:
        found = self.described(cloud)
        if found is None:
            return None
        nat = self._nat_of(found)
        # A subnet of which only some ranges are translated is none of those that are wanted.
        subnets = [
            each["name"]
            for each in nat.get("subnetworks") or ()
            if list(each.get("sourceIpRangesToNat") or ()) == [ALL_IP_RANGES]
        ]
        return Router(
            self.name,
            network=refer(found.get("network"), self.network, lambda each: each.path(cloud), Network),
            region=last_component(str(found.get("region", ""))),
            nat_ip_allocation_option=nat.get("natIpAllocateOption"),
            source_subnetwork_ip_ranges_to_nat=nat.get("sourceSubnetworkIpRangesToNat"),
            subnetworks=referred(subnets, self.subnetworks, lambda each: each.path(cloud), Subnet),
        )

    def _nat_of(self, found: Described) -> Described:
        """The NAT of a router that is there; empty if it has none of this name."""
        return next((each for each in found.get("nats") or () if each.get("name") == self.name), {})

    def create(self, cloud: GCECloud) -> None:
        network = self.needed(self.network, "is in no network")
        self.insert(cloud, network=network.url(cloud), nats=[self._nat(cloud)])

    def update(self, cloud: GCECloud, actual: Router, changes: dict[str, Change]) -> None:
        found = cloud.get(COMPUTE, self.path(cloud)) or {}
        others = [each for each in found.get("nats") or () if each.get("name") != self.name]
        cloud.patch(self.path(cloud), {"nats": [*others, self._nat(cloud)]})

    def _nat(self, cloud: GCECloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "natIpAllocateOption": self.nat_ip_allocation_option,
            "sourceSubnetworkIpRangesToNat": self.source_subnetwork_ip_ranges_to_nat,
            "subnetworks": [
                {"name": each.url(cloud), "sourceIpRangesToNat": [ALL_IP_RANGES]} for each in self.subnetworks or ()
            ],
        }

    def terraform(self, target: TerraformTarget) -> None:
        network = self.network.terraform_link() if self.network else None
        target.resource(self.resource, self.name, {"name": self.name, "network": network})
        target.resource(
            _NAT,
            self.name,
            {
                "name": self.name,
                "nat_ip_allocate_option": self.nat_ip_allocation_option,
                "region": self.region,
                "router": reference(self.resource, self.name, "name"),
                "source_subnetwork_ip_ranges_to_nat": self.source_subnetwork_ip_ranges_to_nat,
                "subnetwork": [
                    Block(name=subnet.terraform_link(), source_ip_ranges_to_nat=[ALL_IP_RANGES])
                    for subnet in self.subnetworks or ()
                ],
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        for router in super().terraform_imports():
            yield router
            if self._nat_of(self.seen or {}):
                yield Import(_NAT, self.name, f"{router.id}/{self.name}")
