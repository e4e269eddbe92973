# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: what the servers of an instance group are made from. OpenStack has no such object.

It is kept in the state store, so that whoever replaces a server makes what was applied. A server has a mark of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ....base.errors import KopsError
from ....engine.task import Change, Deferred, Task, internal, unordered
from ....statestore.vfs.open import open_path
from ...pools.made_from import USER_DATA, differing, digest, mark_of, parts_of
from ...tasks._store import listed, want_listing
from ...user_data import changes_of, consequence_of
from ..cloud import OpenStackCloud
from ._openstack import OpenStackTask, id_of, refer
from .application_credential import ApplicationCredential
from .network import Network
from .security_group import SecurityGroup
from .server_group import ServerGroup
from .subnet import Subnet

FILE = "server-template.json"
_USER_DATA_LENGTH = 32
# Part of a mark -> what it means that it differs.
_WORDS = {
    "boot": "another boot volume",
    "credential": "another application credential",
    "drive": "another config drive",
    "flavor": "another flavor",
    "groups": "other security groups",
    "image": "another image",
    "key": "another SSH key",
    "metadata": "other metadata",
    "zone": "another zone",
}

Referred = TypeVar("Referred", bound=OpenStackTask)


@dataclass(eq=False, repr=False)
class ServerTemplate(Task[OpenStackCloud]):
    """What servers are made from; its name is that of the instance group.

    base: URL of the cluster's directory in the state store. location: below it, of the file.
    image, flavor, key_name: names. zones: of Nova; a server has that of its number. subnets: likewise.
    floating: the subnets whose servers get floating addresses, from external, or its external_subnet if that is given.
    security_groups: of ports. additional_groups: names of the user's security groups, which Nova is told of, too.
    address_pairs: as of Port. metadata: of servers, beside names and origin; in it, network_title is the network.
    generations: further metadata, by which kops counts changes of a specification, whatever they change.
    from_volume: servers have a volume of boot_volume GiB in place of a local disk, and 0 is what the image needs.
    credential: that servers are given, which read the state store.
    user_data: "" for none. only_id: as of OpenStackTask: it was read, and is not looked at.
    """

    base: str = internal("")
    location: str = internal("")
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
    user_data: str | Deferred | None = None
    credential: ApplicationCredential | None = None
    after: list[Task[Any]] = internal(default_factory=list)
    only_id: bool = internal(False)

    starts_instances: ClassVar[bool] = True

    # -- in the store -------------------------------------------------------------------------------------------

    @property
    def store_only(self) -> bool:
        """Always: whoever replaces servers reads it, whatever makes the first of them."""
        return True

    @property
    def made_directly(self) -> bool:
        """Always: it has ids of what Terraform makes."""
        return True

    def prepare(self, cloud: OpenStackCloud) -> None:
        want_listing(cloud, self.base)

    def find(self, cloud: OpenStackCloud) -> ServerTemplate | None:
        file = listed(cloud, self.base, self.location)
        if file is None:
            return None
        try:
            return read_template(self.base, self.location, file.path.read())
        except KopsError:
            # It is written anew.
            return None

    def create(self, cloud: OpenStackCloud) -> None:
        text = str(self.user_data or "")
        if text:
            # Servers that are there were started with others, which stay.
            _user_data_at(self.base, self.location, _digest(text)).write(text.encode())
        open_path(self.base).join(self.location).write(self.document())

    def update(self, cloud: OpenStackCloud, actual: ServerTemplate, changes: dict[str, Change]) -> None:
        self.create(cloud)

    def consequence(self, actual: ServerTemplate, changes: dict[str, Change]) -> str:
        """Why servers that run are not what new ones will be."""
        return consequence_of(why(actual.mark(1), self.mark(1), str(actual.user_data or ""), str(self.user_data or "")))

    def document(self) -> bytes:
        """What is stored. Raises KopsError if what it refers to is not there."""
        return json.dumps(
            {
                "group": self.name,
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
                "userData": _digest(str(self.user_data)) if self.user_data else "",
            },
            indent=1,
            sort_keys=True,
        ).encode()

    # -- what a server is made from -----------------------------------------------------------------------------

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

    def mark(self, number: int) -> str:
        """What the server of a number is made from, as its mark says it."""
        parts = {
            "image": self.image,
            "flavor": self.flavor,
            "key": self.key_name,
            "zone": self.zone(number),
            "groups": sorted(self.additional_groups or ()),
            "metadata": self.metadata or {},
            "drive": bool(self.config_drive),
            "boot": self.boot_volume if self.from_volume else None,
            **({"credential": self.credential.id} if self.credential else {}),
        }
        data = _digest(str(self.user_data)) if self.user_data else ""
        return f"{mark_of(parts)} {USER_DATA}:{data}"


def why(before: str, after: str, user_data_before: str, user_data_after: str) -> list[str]:
    """In what two marks differ, in words."""
    found = []
    for part in differing(before, after):
        if part == USER_DATA:
            found += changes_of(user_data_before, user_data_after) or ["other user data"]
        else:
            found.append(_WORDS.get(part, f"another {part}"))
    return found


def read_template(base: str, location: str, document: bytes) -> ServerTemplate:
    """A template as it is stored. Raises KopsError if it is none."""
    try:
        found: Mapping[str, Any] = json.loads(document)
        return ServerTemplate(
            found["group"],
            base=base,
            location=location,
            image=found["image"],
            flavor=found["flavor"],
            key_name=found["key"],
            zones=found["zones"],
            network=refer(Network, found["network"]),
            network_title=found["networkTitle"],
            subnets=_all(Subnet, found["subnets"]),
            floating=_all(Subnet, found["floating"]),
            external=refer(Network, found["external"]),
            external_subnet=refer(Subnet, found["externalSubnet"]),
            security_groups=_all(SecurityGroup, found["securityGroups"]),
            additional_groups=found["additionalGroups"],
            address_pairs=found["addressPairs"],
            server_group=refer(ServerGroup, found["serverGroup"]),
            metadata=found["metadata"],
            generations=found["generations"],
            config_drive=found["configDrive"],
            from_volume=found["fromVolume"],
            boot_volume=found["bootVolume"],
            credential=_credential(found["credential"]),
            user_data=user_data_of_mark(base, location, f"{USER_DATA}:{found['userData']}"),
            only_id=True,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise KopsError(f"{base}/{location} is no template of servers: update_cluster writes it anew") from error


def user_data_of_mark(base: str, location: str, mark: str) -> str:
    """The user data of a server that has this mark; "" for none, or if it is not kept."""
    data = parts_of(mark).get(USER_DATA)
    if not data:
        return ""
    try:
        return _user_data_at(base, location, data).read().decode()
    except FileNotFoundError:
        return ""


def _user_data_at(base: str, location: str, data: str) -> Any:
    return open_path(base).join(location.rpartition("/")[0], USER_DATA, data)


def _digest(text: str) -> str:
    return digest(text, _USER_DATA_LENGTH)


def _credential(found: Mapping[str, str] | None) -> ApplicationCredential | None:
    if not found:
        return None
    return ApplicationCredential(found["id"], id=found["id"], base=found["base"], only_id=True)


def _all(kind: type[Referred], identifiers: list[str]) -> list[Referred]:
    return [kind(name=each, id=each, only_id=True) for each in identifiers]
