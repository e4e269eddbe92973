# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: the port of a server, which keeps address and security groups when the server is made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import Change, computed, internal, unordered
from ...errors import CloudError
from .. import names
from ..cloud import Described, OpenStackCloud
from ..kinds import PORT
from ._openstack import OpenStackTask, add_tag, id_of, refer, set_tags
from .network import Network
from .security_group import SecurityGroup
from .subnet import Subnet

_GROUPS, _PAIRS = "security_groups", "allowed_address_pairs"
# How a Neutron before Train names what it does not take with a new port.
_TAGS = "'tags'"


@dataclass(eq=False, repr=False)
class Port(OpenStackTask):
    """A port.

    security_groups: the cluster's and the user's; the cloud controller adds its own. tags: kops'; others stay.
    fixed_ip: its first address, which Neutron gives. made: how Neutron has described it when it was made.
    address_pairs: address -> MAC ("" for the port's own), for what the server may send from beside its own address.
    """

    network: Network | None = None
    subnet: Subnet | None = None
    security_groups: list[SecurityGroup] | None = unordered()
    tags: list[str] | None = unordered()
    address_pairs: dict[str, str] | None = None
    fixed_ip: str | None = computed()
    made: Described = internal(default_factory=dict)

    of = PORT
    immutable: ClassVar[frozenset[str]] = frozenset({"network", "subnet"})

    def find(self, cloud: OpenStackCloud) -> Port | None:
        found = self.described(cloud)
        if found is None:
            return None
        groups = {each.id: each for each in self.security_groups or ()}
        return Port(
            self.name,
            id=found["id"],
            network=refer(Network, found["network_id"]),
            subnet=refer(Subnet, next((each["subnet_id"] for each in found["fixed_ips"]), None)),
            security_groups=[groups[each] for each in found[_GROUPS] if each in groups],
            tags=[each for each in found.get("tags") or () if each in (self.tags or ())],
            address_pairs=self._pairs(found),
            fixed_ip=_first(found),
        )

    def _pairs(self, found: Described) -> dict[str, str] | None:
        """Address -> MAC as the specification writes it; "" for the port's own, which Neutron fills in."""
        wanted, pairs = self.address_pairs or {}, {}
        for each in found.get(_PAIRS) or ():
            address, mac = str(each["ip_address"]), str(each["mac_address"])
            same = mac.lower() == wanted.get(address, "").lower()
            pairs[address] = wanted[address] if same else "" if mac == found.get("mac_address") else mac
        return dict(sorted(pairs.items())) or None

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            # Not every Neutron gives a new port its tags.
            "description": names.mark(cloud.cluster_name),
            "tags": self.tags or None if cloud.takes_tags_of_ports else None,
            "network_id": id_of(self.network),
            "fixed_ips": [{"subnet_id": id_of(self.subnet)}],
            _GROUPS: [id_of(each) for each in self.security_groups or ()],
            _PAIRS: _listed(self.address_pairs) or None,
        }

    def take(self, made: Described) -> None:
        super().take(made)
        self.fixed_ip, self.made = _first(made), made

    def batch_key(self) -> str | None:
        # Of ports that are made together, Neutron gives all the pairs of one.
        return None if self.address_pairs else self.kind

    def create(self, cloud: OpenStackCloud) -> None:
        self.create_many(cloud, [self])

    @classmethod
    def create_many(cls, cloud: OpenStackCloud, tasks: Sequence[Port]) -> None:
        try:
            cls.make_together(cloud, tasks)
        except CloudError as error:
            if _TAGS not in str(error) or not cloud.takes_tags_of_ports:
                raise
            cloud.takes_tags_of_ports = False
            cls.make_together(cloud, tasks)
        for task in tasks:
            set_tags(cloud, cls.of, task.made, task.tags)

    def update(self, cloud: OpenStackCloud, actual: Port, changes: dict[str, Change]) -> None:
        identifier, properties = id_of(actual), {}
        if "security_groups" in changes:
            present = self.described(cloud) or {}
            wanted = [id_of(each) for each in self.security_groups or ()]
            properties[_GROUPS] = list(dict.fromkeys([*present.get(_GROUPS, ()), *wanted]))
        if "address_pairs" in changes:
            properties[_PAIRS] = _listed(self.address_pairs)
        if properties:
            cloud.change(self.of, identifier, properties)
        if "tags" in changes:
            self._tag(cloud, identifier)

    def _tag(self, cloud: OpenStackCloud, identifier: str) -> None:
        for tag in self.tags or ():
            add_tag(cloud, self.of, identifier, tag)

    @property
    def address(self) -> str:
        """Its first address. Raises KopsError if it has none."""
        if not self.fixed_ip:
            raise KopsError(f"port {self.name} has no address")
        return self.fixed_ip


def _first(found: Described) -> str | None:
    return next((str(each["ip_address"]) for each in found.get("fixed_ips") or ()), None)


def _listed(pairs: dict[str, str] | None) -> list[dict[str, str]]:
    wanted = sorted((pairs or {}).items())
    return [{"ip_address": address, **({"mac_address": mac} if mac else {})} for address, mac in wanted]
