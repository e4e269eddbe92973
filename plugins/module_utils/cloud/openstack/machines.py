# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of a cluster, by instance group: an instance is called by the name of its server."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from ..instances import CloudInstance, InstancesOfGroup
from ..origin import Origin
from . import catalog, names
from .cloud import Described, OpenStackCloud
from .kinds import FLOATING_IP, PORT, SERVER
from .resources.owned import Owned, metadata_of
from .tasks._openstack import described

# Nova is deleting it, or has done so and keeps it for a while.
_ENDING = ("DELETED", "SOFT_DELETED")
_FAILED = "ERROR"
# Nova's words -> those of other clouds, by which instances are told that work.
_POWER = {"ACTIVE": "running", "SHUTOFF": "stopped"}
_FIXED = "fixed"
# Of a console's output.
_LINES = 1000


def servers_of_groups(cloud: OpenStackCloud) -> dict[str, InstancesOfGroup]:
    """Instance group -> its servers now, and as many as its ports are wanted. Three calls, and one for all flavors.

    A server is outdated if it could not be made; nobody compares what the others were made from.
    """
    for kind in (SERVER, PORT, FLOATING_IP):
        cloud.forget(described, kind)
    floating = _floating_addresses(cloud)
    found: dict[str, list[CloudInstance]] = {}
    for server in living(cloud):
        machine = _machine(cloud, server, floating.get(str(server["id"]), ()))
        found.setdefault(machine.within, []).append(machine)
    wanted = Counter(filter(None, map(names.group_of, Owned(cloud).ports())))
    # Ports have the names of groups as servers' names have them, and cut.
    known = {_as_of_ports(group) for group in found}
    found.update({group: [] for group in wanted if group not in known})
    return {group: InstancesOfGroup(wanted[_as_of_ports(group)], servers) for group, servers in found.items()}


def living(cloud: OpenStackCloud) -> list[Described]:
    """The cluster's servers that are not being deleted."""
    return [each for each in Owned(cloud).servers() if _lives(each)]


def existing(cloud: OpenStackCloud, servers: Collection[str]) -> set[str]:
    """Which of these servers the project has now, whatever cluster they are of."""
    cloud.forget(described, SERVER)
    return {str(each["name"]) for each in cloud.once(described, SERVER) if _lives(each)} & set(servers)


def console_output(cloud: OpenStackCloud, name: str) -> str:
    """The last lines that a server has printed; "" if nothing is known of that."""
    for server in living(cloud):
        if server["name"] == name:
            asked = {"os-getConsoleOutput": {"length": _LINES}}
            answer = cloud.ask("POST", SERVER, f"/{server['id']}/action", asked, f"read the console of server {name}")
            return str(answer.get("output") or "")
    return ""


def origins(cloud: OpenStackCloud) -> list[Origin]:
    """The state stores that the cluster's servers name."""
    named = [metadata_of(each).get(names.STORE) for each in Owned(cloud).servers()]
    return [Origin(store) for store in named if store]


def _lives(server: Described) -> bool:
    return server["status"] not in _ENDING and server.get("OS-EXT-STS:task_state") != "deleting"


def _as_of_ports(group: str) -> str:
    return names.group_tag(group).partition("=")[2]


def _machine(cloud: OpenStackCloud, server: Described, public: Sequence[str]) -> CloudInstance:
    status, metadata = str(server["status"]), metadata_of(server)
    is_broken = status == _FAILED
    return CloudInstance(
        str(server["name"]),
        metadata.get(names.TAG_GROUP, ""),
        outdated="Nova could not make it" if is_broken else "",
        compared=is_broken,
        launched=_moment(server.get("created")),
        private_addresses=tuple(fixed_addresses(server)),
        public_addresses=tuple(public),
        zone=str(server.get("OS-EXT-AZ:availability_zone") or ""),
        machine_type=_flavor(cloud, server),
        power=_POWER.get(status, status.lower()),
        healthy=not is_broken,
        tags=dict(metadata),
    )


def fixed_addresses(server: Described) -> Iterator[str]:
    """IPv4 first."""
    every = [each for addresses in (server.get("addresses") or {}).values() for each in addresses]
    for each in sorted(every, key=lambda address: int(address["version"])):
        if each.get("OS-EXT-IPS:type", _FIXED) == _FIXED:
            yield str(each["addr"])


def _floating_addresses(cloud: OpenStackCloud) -> dict[str, list[str]]:
    """Id of a server -> its floating addresses, as Neutron has them: Nova hears of them later."""
    servers = {each["id"]: str(each.get("device_id") or "") for each in cloud.once(described, PORT)}
    found: dict[str, list[str]] = {}
    for each in cloud.once(described, FLOATING_IP):
        found.setdefault(servers.get(each.get("port_id"), ""), []).append(str(each["floating_ip_address"]))
    return found


def _flavor(cloud: OpenStackCloud, server: Described) -> str:
    """Later versions of Nova's API give the name, earlier ones the id."""
    flavor = server.get("flavor") or {}
    if flavor.get("original_name"):
        return str(flavor["original_name"])
    return next((str(each["name"]) for each in cloud.once(catalog.flavors) if each["id"] == flavor.get("id")), "")


def _moment(text: object) -> datetime.datetime | None:
    """As 2026-01-31T09:00:00Z."""
    return datetime.datetime.fromisoformat(str(text).replace("Z", "+00:00")) if text else None
