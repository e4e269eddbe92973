# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: what the servers of an instance group are made from (pools/template.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ....engine.task import internal, unordered
from ...pools.made_from import digest, parts_of
from ...pools.template import StoredTemplate
from .. import names
from ..cloud import OpenStackCloud
from ._openstack import OpenStackTask, id_of, refer
from .application_credential import ApplicationCredential
from .network import Network
from .security_group import SecurityGroup
from .server_group import ServerGroup
from .subnet import Subnet

Referred = TypeVar("Referred", bound=OpenStackTask)


@dataclass(eq=False, repr=False)
class ServerTemplate(StoredTemplate[OpenStackCloud]):
    """What servers are made from.

    image, flavor, key_name: names. zones: of Nova; a server has that of its number. subnets: likewise.
    floating: the subnets whose servers get floating addresses, from external, or its external_subnet if that is given.
    security_groups: of ports. additional_groups: names of the user's security groups, which Nova is told of, too.
    address_pairs: as of Port. metadata: of servers, beside names and origin; in it, network_title is the network.
    generations: further metadata, by which kops counts changes of a specification, whatever they change.
    from_volume: servers have a volume of boot_volume GiB in place of a local disk, and 0 is what the image needs.
    credential: that servers are given, which read the state store. store_key: the fingerprint of the key of S3 that
    they are given, too (store_keys.py); None if no part of the store is there.
    """

    image: str | None = None
    flavor: str | None = None
    key_name: str | None = None
    zones: list[str] | None = None
    network: Network | None = None
    subnets: list[Subnet] | None = None
    floating: list[Subnet] | None = None
    external: Network | None = None
    external_subnet: Subnet | None = None
    security_groups: list[SecurityGroup] | None = unordered()
    additional_groups: list[str] | None = None
    address_pairs: dict[str, str] | None = None
    server_group: ServerGroup | None = None
    metadata: dict[str, str] | None = None
    generations: dict[str, str] = internal(default_factory=dict)
    network_title: str | None = internal()
    config_drive: bool | None = None
    from_volume: bool | None = None
    boot_volume: int | None = None
    credential: ApplicationCredential | None = None
    store_key: str | None = None

    words: ClassVar[Mapping[str, str]] = {
        "boot": "another boot volume",
        "credential": "another application credential",
        "drive": "another config drive",
        "flavor": "another flavor",
        "groups": "other security groups",
        "image": "another image",
        "key": "another SSH key",
        "metadata": "other metadata",
        names.STORE_KEY: "another key of the state store",
        "zone": "another zone",
    }

    def stored(self) -> dict[str, Any]:
        return {
            "image": self.image,
            "flavor": self.flavor,
            "key": self.key_name,
            "zones": self.zones,
            "network": id_of(self.network),
            "networkTitle": self.title,
            "subnets": [id_of(each) for each in self.subnets or ()],
            "floating": [id_of(each) for each in self.floating or ()],
            "external": self.external and id_of(self.external),
            "externalSubnet": self.external_subnet and id_of(self.external_subnet),
            "securityGroups": sorted(id_of(each) for each in self.security_groups or ()),
            "additionalGroups": self.additional_groups,
            "addressPairs": self.address_pairs,
            "serverGroup": self.server_group and id_of(self.server_group),
            "metadata": self.metadata,
            "generations": self.generations,
            "configDrive": self.config_drive,
            "fromVolume": self.from_volume,
            "bootVolume": self.boot_volume,
            "credential": self.credential and {"base": self.credential.base, "id": id_of(self.credential)},
            **({"storeKey": self.store_key} if self.store_key else {}),
        }

    @classmethod
    def fields_of(cls, found: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "image": found["image"],
            "flavor": found["flavor"],
            "key_name": found["key"],
            "zones": found["zones"],
            "network": refer(Network, found["network"]),
            "network_title": found["networkTitle"],
            "subnets": _all(Subnet, found["subnets"]),
            "floating": _all(Subnet, found["floating"]),
            "external": refer(Network, found["external"]),
            "external_subnet": refer(Subnet, found["externalSubnet"]),
            "security_groups": _all(SecurityGroup, found["securityGroups"]),
            "additional_groups": found["additionalGroups"],
            "address_pairs": found["addressPairs"],
            "server_group": refer(ServerGroup, found["serverGroup"]),
            "metadata": found["metadata"],
            "generations": found["generations"],
            "config_drive": found["configDrive"],
            "from_volume": found["fromVolume"],
            "boot_volume": found["bootVolume"],
            "credential": _credential(found["credential"]),
            "store_key": found.get("storeKey"),
        }

    @property
    def title(self) -> str:
        """The name of the network, as servers have it in their metadata."""
        if self.network_title is not None:
            return self.network_title
        return (self.network.title or self.network.name) if self.network else ""

    def zone(self, number: int) -> str | None:
        """Nova's zone of the server of a number."""
        return self.zones[(number - 1) % len(self.zones)] if self.zones else None

    def subnet(self, number: int) -> Subnet:
        """The subnet of the server of a number. Raises KopsError without subnets."""
        subnets = self.needed(self.subnets, "has no subnets")
        return subnets[(number - 1) % len(subnets)]

    def is_offered_to(self, number: int, mark: str) -> bool:
        """Whether a server with this mark has image, flavor and zone of that of a number: so the project has them."""
        wanted = {"image": self.image, "flavor": self.flavor, "zone": self.zone(number)}
        parts = parts_of(mark)
        return all(parts.get(name) == digest(value) for name, value in wanted.items())

    def parts(self, number: int) -> dict[str, Any]:
        return {
            "image": self.image,
            "flavor": self.flavor,
            "key": self.key_name,
            "zone": self.zone(number),
            "groups": sorted(self.additional_groups or ()),
            "metadata": self.metadata or {},
            "drive": bool(self.config_drive),
            "boot": self.boot_volume if self.from_volume else None,
            **({"credential": self.credential.id} if self.credential else {}),
            **({names.STORE_KEY: self.store_key} if self.store_key else {}),
        }


def _credential(found: Mapping[str, str] | None) -> ApplicationCredential | None:
    if not found:
        return None
    return ApplicationCredential(found["id"], id=found["id"], base=found["base"], only_id=True)


def _all(kind: type[Referred], identifiers: list[str]) -> list[Referred]:
    return [kind(name=each, id=each, only_id=True) for each in identifiers]
