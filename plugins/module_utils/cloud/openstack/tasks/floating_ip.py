# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a floating address, by which a port is reached from the external network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....engine.targets.hcl import ignoring
from ....engine.task import Change, computed, internal
from ..cloud import Described, OpenStackCloud
from ..kinds import FLOATING_IP
from ._openstack import OpenStackTask, described, id_of
from .load_balancer import LoadBalancer
from .network import Network
from .port import Port
from .router_interface import RouterInterface
from .subnet import Subnet


@dataclass(eq=False, repr=False)
class FloatingIP(OpenStackTask):
    """A floating address. It has no name: its description is the task's.

    network: the external one; subnet: that one's, if addresses come from it alone. port: a server's; or balancer, whose
    port it is. interfaces: Neutron wants the router in the port's subnet before. address: Neutron gives it.
    """

    network: Network | None = None
    subnet: Subnet | None = internal()
    port: Port | None = None
    balancer: LoadBalancer | None = None
    interfaces: list[RouterInterface] = internal(default_factory=list)
    address: str | None = computed()

    of = FLOATING_IP
    resource = "openstack_networking_floatingip_v2"

    def find(self, cloud: OpenStackCloud) -> FloatingIP | None:
        found = self._found(cloud)
        if found is None:
            return None
        at = found.get("port_id")
        return FloatingIP(
            self.name,
            id=found["id"],
            # Never moved: the address is what others know.
            network=self.network,
            port=self.port if self.port is not None and at == self.port.id else None,
            balancer=self.balancer if self.balancer is not None and at == self.balancer.port else None,
            address=found["floating_ip_address"],
        )

    def _found(self, cloud: OpenStackCloud) -> Described | None:
        return self.only([each for each in cloud.once(described, self.of) if each.get("description") == self.name])

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "description": self.name,
            "floating_network_id": id_of(self.network),
            "subnet_id": id_of(self.subnet) if self.subnet else None,
            "port_id": self._port(),
        }

    def _port(self) -> str:
        return str(self.balancer.port) if self.balancer else id_of(self.port)

    def take(self, made: Described) -> None:
        super().take(made)
        self.address = str(made["floating_ip_address"])

    def update(self, cloud: OpenStackCloud, actual: FloatingIP, changes: dict[str, Change]) -> None:
        cloud.change(self.of, id_of(actual), {"port_id": self._port()})

    @property
    def made_directly(self) -> bool:
        """Those of servers."""
        return self.balancer is None

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "depends_on": [each.terraform_address for each in self.interfaces],
            "description": self.name,
            # Neutron does not say of which subnet an address is.
            "lifecycle": ignoring("subnet_id") if self.subnet else None,
            "pool": self.needed(self.network, "is of no network").name,
            "port_id": self.needed(self.balancer, "leads to no load balancer").terraform_link("vip_port_id"),
            "subnet_id": self.subnet.terraform_link() if self.subnet else None,
        }
