# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: the interface of a router in a subnet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....engine.targets.hcl import ignoring
from ..cloud import OpenStackCloud
from ..kinds import PORT, ROUTER
from ._openstack import OpenStackTask, described, id_of
from .router import Router
from .subnet import Subnet

# Routers of some clouds are distributed, or doubled.
INTERFACE_OWNERS = (
    "network:router_interface",
    "network:router_interface_distributed",
    "network:ha_router_replicated_interface",
)


@dataclass(eq=False, repr=False)
class RouterInterface(OpenStackTask):
    """An interface. Its id is that of its port."""

    router: Router | None = None
    subnet: Subnet | None = None

    of = PORT
    resource = "openstack_networking_router_interface_v2"

    def find(self, cloud: OpenStackCloud) -> RouterInterface | None:
        if self.router is None or self.router.id is None or self.subnet is None or self.subnet.id is None:
            return None
        for port in cloud.once(described, PORT):
            subnets = {each["subnet_id"] for each in port.get("fixed_ips") or ()}
            if (
                port.get("device_owner") in INTERFACE_OWNERS
                and port.get("device_id") == self.router.id
                and self.subnet.id in subnets
            ):
                return RouterInterface(self.name, id=port["id"], router=self.router, subnet=self.subnet)
        return None

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {"subnet_id": id_of(self.subnet)}

    def create(self, cloud: OpenStackCloud) -> None:
        path = f"/{id_of(self.router)}/add_router_interface"
        subnet = self.subnet.name if self.subnet else ""
        answer = cloud.ask("PUT", ROUTER, path, self.request(cloud), f"let the router into subnet {subnet}")
        self.id = str(answer["port_id"])

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            # Of one that is imported, the provider does not know its own default.
            "lifecycle": ignoring("force_destroy"),
            "router_id": self.needed(self.router, "is of no router").terraform_link(),
            "subnet_id": self.needed(self.subnet, "is in no subnet").terraform_link(),
        }
