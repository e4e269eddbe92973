# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a subnet of a private network, which has no id and no labels of its own."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.task import Change, computed
from ...tasks.terraform_resource import TerraformResource
from ..cloud import Described, HetznerCloud, described
from ..kinds import NETWORK
from .network import Network

# Where servers and load balancers are.
_OF_SERVERS = "cloud"


@dataclass(eq=False, repr=False)
class NetworkSubnet(TerraformResource[HetznerCloud]):
    """A subnet. ip_range: what it is known by. zone: its network zone, such as eu-central.

    is_there: known once it is found.
    """

    network: Network | None = None
    ip_range: str | None = None
    zone: str | None = None
    is_there: bool | None = computed()

    resource = "hcloud_network_subnet"
    immutable = frozenset({"zone"})

    def find(self, cloud: HetznerCloud) -> NetworkSubnet | None:
        found = next((each for each in self._subnets(cloud) if each["ip_range"] == self.ip_range), None)
        if found is None:
            return None
        zone = found["network_zone"]
        return NetworkSubnet(self.name, network=self.network, ip_range=self.ip_range, zone=zone, is_there=True)

    def _subnets(self, cloud: HetznerCloud) -> list[Described]:
        known = self.network.id if self.network else None
        return [each for net in cloud.once(described, NETWORK) if net["id"] == known for each in net["subnets"]]

    def check(self, cloud: HetznerCloud, actual: NetworkSubnet | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        if actual is None and self.ip_range:
            wanted = ipaddress.ip_network(self.ip_range)
            others = [str(each["ip_range"]) for each in self._subnets(cloud)]
            taken = [each for each in others if wanted.overlaps(ipaddress.ip_network(each))]
            if taken:
                raise KopsError(f"{self.key}: its network has {', '.join(sorted(taken))} already, which overlaps it")

    def create(self, cloud: HetznerCloud) -> None:
        network = self.needed(self.network, "is in no network")
        properties: dict[str, Any] = {"type": _OF_SERVERS, "network_zone": self.zone, "ip_range": self.ip_range}
        doing = f"add subnet {self.ip_range} to network {network.name}"
        cloud.act(NETWORK, self.needed(network.id, "is in no network"), "add_subnet", properties, doing)

    @property
    def identifier(self) -> str | None:
        return f"{self.network.id}-{self.ip_range}" if self.is_there and self.network else None

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "ip_range": self.ip_range,
            "network_id": self.needed(self.network, "is in no network").terraform_link(),
            "network_zone": self.zone,
            "type": _OF_SERVERS,
        }
