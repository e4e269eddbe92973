# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a load balancer of Octavia."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import Change, TryAgainLater, computed
from ..cloud import Described, OpenStackCloud
from ..kinds import BALANCER, PORT
from ._openstack import OpenStackTask, id_of, refer
from .security_group import SecurityGroup
from .subnet import Subnet

_STATUS, _ACTIVE, _FAILED = "provisioning_status", "ACTIVE", "ERROR"
OVN = "ovn"


@dataclass(eq=False, repr=False)
class LoadBalancer(OpenStackTask):
    """A load balancer.

    subnet: where its address is. flavor: id of Octavia's. provider: Octavia's word for what does the work; None is the
    cloud's own choice. security_group: of its port, where listeners cannot say themselves who may connect.
    port, address: Octavia gives them.
    """

    subnet: Subnet | None = None
    flavor: str | None = None
    provider: str | None = None
    security_group: SecurityGroup | None = None
    port: str | None = computed()
    address: str | None = computed()

    of = BALANCER
    immutable: ClassVar[frozenset[str]] = frozenset({"subnet", "flavor", "provider"})

    def find(self, cloud: OpenStackCloud) -> LoadBalancer | None:
        found = self.described(cloud)
        if found is None:
            return None
        return LoadBalancer(
            self.name,
            id=found["id"],
            subnet=refer(Subnet, found["vip_subnet_id"]),
            flavor=found.get("flavor_id"),
            provider=found.get("provider"),
            security_group=self._group_of(cloud, str(found["vip_port_id"])),
            port=found["vip_port_id"],
            address=found["vip_address"],
        )

    def _group_of(self, cloud: OpenStackCloud, port: str) -> SecurityGroup | None:
        if self.security_group is None:
            return None
        groups = [group for each in cloud.read(PORT, id=port) for group in each["security_groups"]]
        return self.security_group if self.security_group.id in groups else None

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "vip_subnet_id": id_of(self.subnet),
            "flavor_id": self.flavor,
            "provider": self.provider,
        }

    def create(self, cloud: OpenStackCloud) -> None:
        super().create(cloud)
        self._guard(cloud, str(self.port))

    def take(self, made: Described) -> None:
        super().take(made)
        self.port, self.address = str(made["vip_port_id"]), str(made["vip_address"])

    def update(self, cloud: OpenStackCloud, actual: LoadBalancer, changes: dict[str, Change]) -> None:
        if "security_group" in changes:
            self._guard(cloud, str(actual.port))

    def _guard(self, cloud: OpenStackCloud, port: str) -> None:
        if self.security_group is not None:
            cloud.change(PORT, port, {"security_groups": [id_of(self.security_group)]})

    def wait(self, cloud: OpenStackCloud) -> None:
        status = next((each[_STATUS] for each in cloud.read(BALANCER, name=self.name) if each["id"] == self.id), "")
        if status == _FAILED:
            raise KopsError(f"load balancer {self.name} could not be made: Octavia shows it in the state {_FAILED}")
        if status != _ACTIVE:
            raise TryAgainLater(f"load balancer {self.name} is in the state {status or 'unknown'}")
