# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of a cluster, by instance group: an instance is called by the name of its server."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Collection, Iterator, Mapping, Sequence

from ...base.errors import KopsError
from ..instances import DETACHED, SERVING, CloudInstance, InstancesOfGroup
from ..origin import Origin
from ..pools import user_data
from . import catalog, names
from .cloud import Described, OpenStackCloud
from .kinds import FLOATING_IP, PORT, SERVER
from .pool import forget_servers, numbers_of, templates
from .resources.owned import Owned, metadata_of
from .states import FAILED, POWER, console_of, lives
from .tasks._openstack import described
from .tasks.server_template import ServerTemplate

_FIXED = "fixed"
# Of a console's output.
_LINES = 1000


def servers_of_groups(cloud: OpenStackCloud, *, compare: bool = True) -> dict[str, InstancesOfGroup]:
    """Instance group -> its servers now, and as many as its places are wanted. Three calls, and one for all flavors.

    compare: with what the state store says of their groups, which is read, too.
    """
    forget_servers(cloud)
    floating, wanted_now = floating_addresses(cloud), templates(cloud) if compare else {}
    found: dict[str, list[CloudInstance]] = {group: [] for group in wanted_now}
    for server in living(cloud):
        machine = _machine(cloud, server, floating.get(str(server["id"]), ()), wanted_now)
        found.setdefault(machine.within, []).append(machine)
    # Ports have the names of groups as servers' names have them, and cut.
    known = {_as_of_ports(group) for group in found}
    found.update({group: [] for group in map(names.group_of, Owned(cloud).ports()) if group and group not in known})
    return {group: InstancesOfGroup(numbers_of(cloud, group).size, servers) for group, servers in found.items()}


def running_by_group(cloud: OpenStackCloud) -> dict[str, list[str]]:
    """Instance group -> its servers, as they were read last."""
    found: dict[str, list[str]] = {}
    for server in living(cloud):
        found.setdefault(metadata_of(server).get(names.TAG_GROUP, ""), []).append(str(server["name"]))
    return {group: sorted(servers) for group, servers in found.items()}


def living(cloud: OpenStackCloud) -> list[Described]:
    """The cluster's servers that are not being deleted."""
    return [each for each in Owned(cloud).servers() if lives(each)]


def existing(cloud: OpenStackCloud, servers: Collection[str]) -> set[str]:
    """Which of these servers the project has now, whatever cluster they are of."""
    cloud.forget(described, SERVER)
    return {str(each["name"]) for each in cloud.once(described, SERVER) if lives(each)} & set(servers)


def console_output(cloud: OpenStackCloud, name: str) -> str:
    """The last lines that a server has printed; "" if nothing is known of that."""
    for server in living(cloud):
        if server["name"] == name:
            # Not every cloud has consoles.
            with contextlib.suppress(KopsError):
                return console_of(cloud, server, _LINES)
    return ""


def user_data_by_instance(cloud: OpenStackCloud) -> dict[str, str]:
    """Server -> its user data, as the state store has kept it: Nova shows it to administrators only."""
    forget_servers(cloud)
    return user_data.user_data_by_server(_said(cloud), templates(cloud))


def user_data_in_use(cloud: OpenStackCloud) -> list[str] | None:
    """That of all servers now, and of those that are made from now on; None if that of a server is not kept."""
    forget_servers(cloud)
    return user_data.user_data_in_use(_said(cloud), templates(cloud))


def user_data_of_templates(cloud: OpenStackCloud) -> list[str]:
    """That of servers that are made from now on."""
    return user_data.user_data_of(templates(cloud))


def _said(cloud: OpenStackCloud) -> dict[str, user_data.Said]:
    said = {str(each["name"]): metadata_of(each) for each in living(cloud)}
    return {name: (each.get(names.TAG_GROUP, ""), each.get(names.MADE_FROM, "")) for name, each in said.items()}


def origins(cloud: OpenStackCloud) -> list[Origin]:
    """The state stores that the cluster's servers name."""
    named = [metadata_of(each).get(names.STORE) for each in Owned(cloud).servers()]
    return [Origin(store) for store in named if store]


def _as_of_ports(group: str) -> str:
    return names.group_tag(group).partition("=")[2]


def _machine(
    cloud: OpenStackCloud, server: Described, public: Sequence[str], wanted: Mapping[str, ServerTemplate]
) -> CloudInstance:
    status, metadata = str(server["status"]), metadata_of(server)
    group, is_broken = metadata.get(names.TAG_GROUP, ""), status == FAILED
    outdated = "Nova could not make it" if is_broken else _why_outdated(cloud, metadata, wanted.get(group))
    return CloudInstance(
        str(server["name"]),
        group,
        DETACHED if names.LEAVING in metadata else SERVING,
        outdated=outdated,
        compared=is_broken or group in wanted,
        launched=_moment(server.get("created")),
        private_addresses=tuple(fixed_addresses(server)),
        public_addresses=tuple(public),
        zone=str(server.get("OS-EXT-AZ:availability_zone") or ""),
        machine_type=_flavor(cloud, server),
        power=POWER.get(status, status.lower()),
        healthy=not is_broken,
        tags=dict(metadata),
    )


def _why_outdated(cloud: OpenStackCloud, metadata: Described, template: ServerTemplate | None) -> str:
    """By the mark that a server has."""
    number = names.number_of(metadata.get(names.TAG_NAME, ""), metadata.get(names.TAG_GROUP, ""), cloud.cluster_name)
    if template is None or number is None:
        return ""
    before = metadata.get(names.MADE_FROM, "")
    return template.why_outdated(number, before) if before else "kops has made it, and does not say from what"


def fixed_addresses(server: Described) -> Iterator[str]:
    """IPv4 first."""
    every = [each for addresses in (server.get("addresses") or {}).values() for each in addresses]
    for each in sorted(every, key=lambda address: int(address["version"])):
        if each.get("OS-EXT-IPS:type", _FIXED) == _FIXED:
            yield str(each["addr"])


def floating_addresses(cloud: OpenStackCloud) -> dict[str, list[str]]:
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
