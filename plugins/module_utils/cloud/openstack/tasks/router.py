# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a router, by which the cluster's subnets reach the external network and are reached from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.targets.hcl import Block
from ....engine.task import Change
from ..cloud import OpenStackCloud
from ..kinds import ROUTER
from ._openstack import OpenStackTask, given, id_of, refer
from .network import Network
from .subnet import Subnet

_GATEWAY = "external_gateway_info"


@dataclass(eq=False, repr=False)
class Router(OpenStackTask):
    """A router.

    external_network: where it leads. external_subnet: where its own address comes from, which clouds only let
    administrators choose.
    """

    external_network: Network | None = None
    external_subnet: Subnet | None = None
    availability_zone_hints: list[str] | None = None

    of = ROUTER
    resource = "openstack_networking_router_v2"
    immutable: ClassVar[frozenset[str]] = frozenset({"availability_zone_hints", "external_subnet"})

    def find(self, cloud: OpenStackCloud) -> Router | None:
        found = self.described(cloud)
        if found is None:
            return None
        gateway = found.get(_GATEWAY) or {}
        return Router(
            self.name,
            id=found["id"],
            external_network=refer(Network, gateway.get("network_id")),
            external_subnet=self._subnet(gateway.get("external_fixed_ips") or ()),
            availability_zone_hints=found.get("availability_zone_hints") or None,
        )

    def _subnet(self, addresses: Any) -> Subnet | None:
        """The wanted subnet if the router has an address of it, else the first one that it has."""
        subnets = [str(each["subnet_id"]) for each in addresses]
        if self.external_subnet is not None and self.external_subnet.id in subnets:
            return self.external_subnet
        return refer(Subnet, subnets[0] if subnets else None)

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "admin_state_up": True,
            "availability_zone_hints": self.availability_zone_hints,
            _GATEWAY: self._gateway(),
        }

    def _gateway(self) -> dict[str, Any]:
        addresses = [{"subnet_id": id_of(self.external_subnet)}] if self.external_subnet else None
        return given({"network_id": id_of(self.external_network), "external_fixed_ips": addresses})

    def update(self, cloud: OpenStackCloud, actual: Router, changes: dict[str, Change]) -> None:
        if "external_network" in changes:
            cloud.change(self.of, id_of(actual), {_GATEWAY: self._gateway()})

    def terraform_arguments(self) -> dict[str, Any]:
        subnet = self.external_subnet
        return {
            "admin_state_up": True,
            "availability_zone_hints": self.availability_zone_hints,
            "external_fixed_ip": Block({"subnet_id": subnet.terraform_link()}) if subnet else None,
            "external_network_id": self.needed(self.external_network, "leads nowhere").terraform_link(),
            "name": self.name,
        }
