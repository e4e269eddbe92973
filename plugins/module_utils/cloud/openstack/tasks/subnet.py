# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a subnet of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import Change, internal
from .. import names
from ..cloud import Described, OpenStackCloud
from ..kinds import SUBNET
from ._openstack import AS_IT_WAS_MADE, MARK, OpenStackTask, add_tag, described, id_of, refer
from .network import Network


@dataclass(eq=False, repr=False)
class Subnet(OpenStackTask):
    """A subnet.

    dns_servers: addresses that its servers are told of. tag: of the cluster, also on a subnet that existed before.
    given: it existed before the cluster, and its task name is its id. of_cloud: one of the external network, where
    floating addresses and a router's own come from; its task name is its name.
    """

    network: Network | None = None
    cidr: str | None = None
    dns_servers: list[str] | None = None
    tag: str | None = None
    given: bool = internal(False)
    of_cloud: bool = internal(False)

    of = SUBNET
    resource = "openstack_networking_subnet_v2"
    immutable: ClassVar[frozenset[str]] = frozenset({"network", "cidr"})
    # One that is lent is named by its id.
    found_before_rendering: ClassVar[bool] = True

    def find(self, cloud: OpenStackCloud) -> Subnet | None:
        found = self._found(cloud)
        if found is None:
            return None
        return Subnet(
            self.name,
            id=found["id"],
            network=refer(Network, found["network_id"]),
            cidr=found["cidr"],
            dns_servers=found.get("dns_nameservers") or [],
            tag=self.tag if self.tag in (found.get("tags") or ()) else None,
        )

    def among(self, found: Described) -> bool:
        return self.network is not None and found["network_id"] == self.network.id

    def _found(self, cloud: OpenStackCloud) -> Described | None:
        subnets = cloud.once(described, self.of)
        if self.of_cloud:
            found = self.only([each for each in subnets if each["name"] == self.name and self.among(each)])
            network = self.network.name if self.network else ""
            missing = f"the external network {network} has no subnet {self.name} that the project sees"
        elif self.given:
            found = self.only([each for each in subnets if each["id"] == self.name])
            missing = f"spec.networking.subnets: the project sees no subnet with the id {self.name}"
        else:
            return self.described(cloud)
        if found is None:
            raise KopsError(missing)
        return found

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            # Tags come later.
            "description": names.mark(cloud.cluster_name),
            "network_id": id_of(self.network),
            "cidr": self.cidr,
            "ip_version": 4,
            "enable_dhcp": True,
            "dns_nameservers": self.dns_servers or None,
        }

    def batch_key(self) -> str | None:
        return self.kind

    def create(self, cloud: OpenStackCloud) -> None:
        self.create_many(cloud, [self])

    @classmethod
    def create_many(cls, cloud: OpenStackCloud, tasks: Sequence[Subnet]) -> None:
        cls.make_together(cloud, tasks)
        for task in tasks:
            if task.tag:
                add_tag(cloud, cls.of, id_of(task), task.tag)

    def update(self, cloud: OpenStackCloud, actual: Subnet, changes: dict[str, Change]) -> None:
        if "dns_servers" in changes:
            cloud.change(self.of, id_of(actual), {"dns_nameservers": self.dns_servers})
        if self.tag and "tag" in changes:
            add_tag(cloud, self.of, id_of(actual), self.tag)

    @property
    def is_lent(self) -> bool:
        return self.given or self.of_cloud

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "cidr": self.cidr,
            "description": MARK,
            "dns_nameservers": self.dns_servers,
            "enable_dhcp": True,
            "ip_version": 4,
            "lifecycle": AS_IT_WAS_MADE,
            "name": self.name,
            "network_id": self.needed(self.network, "is in no network").terraform_link(),
            "tags": [self.tag] if self.tag else None,
        }
