# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of an instance group as a pool: numbers, and what the server of a number has (pools/replacing.py)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Sequence
from functools import partial

from ...engine.task import Task, TryAgainLater
from ..errors import Missing
from ..instances import CloudInstance
from ..pools.making import make_now, nothing_to_make_from, until, wait_until_gone
from ..pools.numbers import Numbers
from ..pools.replacing import Pool
from ..pools.template import stored_templates
from . import names
from .cloud import Described, OpenStackCloud
from .errors import explain
from .kinds import BALANCER, FLOATING_IP, MEMBER, POOL, PORT, SERVER
from .resources.owned import Owned, metadata_of
from .states import FAILED, has_ended, lives
from .store_keys import key_of_servers
from .tasks._openstack import add_tag, described, members, refers
from .tasks.floating_ip import FloatingIP
from .tasks.port import Port
from .tasks.router_interface import RouterInterface
from .tasks.server import Server
from .tasks.server_template import ServerTemplate

# Seconds that a server may take to go.
_ENDING = 300.0
_IN_SERVICE, _OUT_OF_SERVICE = 1, 0


# -- numbers ----------------------------------------------------------------------------------------------------------


def forget_servers(cloud: OpenStackCloud) -> None:
    """Read servers, and what each of them has, anew the next time."""
    for kind in (SERVER, PORT, FLOATING_IP):
        cloud.forget(described, kind)


def numbers_of(cloud: OpenStackCloud, group: str) -> Numbers:
    """Those of a group's servers, as servers and ports were read last."""
    owned = Owned(cloud)
    served, empty, leaving = set(), set(), {}
    for server in owned.servers():
        number = names.number_of(str(metadata_of(server).get(names.TAG_NAME, "")), group, cloud.cluster_name)
        if number is None or not lives(server):
            continue
        size = size_left(server)
        if size < 0:
            served.add(number)
        else:
            leaving[number] = size
    for port in owned.ports():
        number = names.number_of(names.server_of_port(str(port["name"])), group, cloud.cluster_name)
        if number is not None and names.LEAVING not in (port.get("tags") or ()):
            empty.add(number)
    return Numbers(frozenset(served), frozenset(empty - served - leaving.keys()), leaving)


def size_left(server: Described) -> int:
    """The size of the group that a server leaves, as it was told; -1 if it leaves none."""
    size = str(metadata_of(server).get(names.LEAVING, ""))
    return int(size) if size.isdecimal() else -1


def marks_of(cloud: OpenStackCloud, group: str) -> dict[int, str]:
    """Number -> what its server was made from; without those that could not be made. As they were read last."""
    found = {}
    for server in Owned(cloud).servers():
        metadata = metadata_of(server)
        number = names.number_of(str(metadata.get(names.TAG_NAME, "")), group, cloud.cluster_name)
        if number is not None and lives(server) and server["status"] != FAILED:
            found[number] = str(metadata.get(names.MADE_FROM, ""))
    return found


# -- what a number has ------------------------------------------------------------------------------------------------


def port_of(template: ServerTemplate, number: int, cluster: str) -> Port:
    """The port of a server."""
    return Port(
        names.port(template.name, number, cluster),
        template.lifecycle,
        network=template.network,
        subnet=template.subnet(number),
        security_groups=template.security_groups,
        tags=names.port_tags(template.name, number, cluster),
        address_pairs=template.address_pairs,
    )


def floating_ip_of(
    template: ServerTemplate, number: int, port: Port, cluster: str, interfaces: Sequence[RouterInterface] = ()
) -> FloatingIP | None:
    """The floating address of a server; None if it has none. interfaces: of the router, which come before."""
    if template.subnet(number).identity() not in {each.identity() for each in template.floating or ()}:
        return None
    return FloatingIP(
        names.floating_ip(names.server(template.name, number, cluster)),
        template.lifecycle,
        network=template.external,
        subnet=template.external_subnet,
        port=port,
        interfaces=list(interfaces),
    )


def server_of(template: ServerTemplate, number: int, port: Port, cluster: str) -> Server:
    """A server."""
    return Server(
        names.server(template.name, number, cluster),
        template.lifecycle,
        store=template.base,
        template=template,
        number=number,
        port=port,
    )


# -- templates --------------------------------------------------------------------------------------------------------


def templates(cloud: OpenStackCloud) -> dict[str, ServerTemplate]:
    """Instance group -> what its servers are made from, by the state store; empty where that is not known."""
    return stored_templates(ServerTemplate, cloud.store)


class ServerPool(Pool[OpenStackCloud]):
    """Servers in OpenStack: a place is a port, with its floating address."""

    def numbers(self, cloud: OpenStackCloud, group: str) -> Numbers:
        forget_servers(cloud)
        return numbers_of(cloud, group)

    def groups(self, cloud: OpenStackCloud) -> dict[str, Numbers]:
        forget_servers(cloud)
        return {group: numbers_of(cloud, group) for group in sorted(templates(cloud))}

    def number(self, cloud: OpenStackCloud, machine: CloudInstance) -> int | None:
        return names.number_of(machine.tags.get(names.TAG_NAME, ""), machine.within, cloud.cluster_name)

    def make(self, cloud: OpenStackCloud, group: str, numbers: Sequence[int]) -> None:
        template = templates(cloud).get(group)
        if template is None:
            raise nothing_to_make_from(group)
        _ensure_store_key(cloud, template)
        tasks: dict[str, Task[OpenStackCloud]] = {}
        for number in numbers:
            port = port_of(template, number, cloud.cluster_name)
            floating = floating_ip_of(template, number, port, cloud.cluster_name)
            server = server_of(template, number, port, cloud.cluster_name)
            tasks.update({each.key: each for each in (port, floating, server) if each is not None})
        forget_servers(cloud)
        make_now(cloud, tasks.values(), explain)
        # Those that were taken out of it before their servers ended.
        places = {names.port(group, number, cloud.cluster_name) for number in numbers}
        ports = [each for each in Owned(cloud).ports() if each["name"] in places]
        _weigh(cloud, {address for port in ports for address in _addresses(port)}, _IN_SERVICE, _ENDING)

    def let_go(self, cloud: OpenStackCloud, group: str, numbers: Collection[int], size: int) -> None:
        places = {names.server(group, number, cloud.cluster_name) for number in numbers}
        for server in Owned(cloud).servers():
            if metadata_of(server).get(names.TAG_NAME) in places and lives(server):
                told = {"metadata": {names.LEAVING: str(size)}}
                doing = f"take server {server['name']} out of its group"
                cloud.ask("POST", SERVER, f"/{server['id']}/metadata", told, doing)
        for port in Owned(cloud).ports():
            if names.server_of_port(str(port["name"])) in places:
                add_tag(cloud, PORT, str(port["id"]), names.LEAVING)

    def deregister(self, cloud: OpenStackCloud, machine: CloudInstance, seconds: float) -> None:
        """Let the API's load balancer send no new connections to it. Those of Services follow the Node."""
        _weigh(cloud, set(machine.private_addresses), _OUT_OF_SERVICE, seconds)

    def end(self, cloud: OpenStackCloud, machine: CloudInstance, for_good: bool) -> None:
        forget_servers(cloud)
        if not for_good and machine.tags.get(names.ROLE) == names.CONTROL_PLANE:
            # Before the other one is gone in whose place it comes.
            _ensure_store_key(cloud, templates(cloud).get(machine.within))
        name = machine.tags.get(names.TAG_NAME, "")
        owned = Owned(cloud)
        ports = [each for each in owned.ports() if name and names.server_of_port(str(each["name"])) == name]
        if for_good:
            # First: a place that is left over must not count.
            for port in ports:
                with contextlib.suppress(Missing):
                    add_tag(cloud, PORT, str(port["id"]), names.LEAVING)
        for server in owned.servers():
            if server["name"] == machine.name:
                _delete_server(cloud, server)
        if for_good:
            for floating in owned.floating_ips():
                if name and floating["description"] == names.floating_ip(name):
                    cloud.delete(FLOATING_IP, str(floating["id"]))
            for port in ports:
                cloud.delete(PORT, str(port["id"]))


def _ensure_store_key(cloud: OpenStackCloud, template: ServerTemplate | None) -> None:
    """Raises KopsError if servers that are made from it could not be given the key that they should have."""
    if template is not None and template.store_key:
        key_of_servers(cloud.cluster_name, template.store_key)


def _delete_server(cloud: OpenStackCloud, server: Described) -> None:
    """Delete it, and wait until it is gone. Raises KopsError if it stays."""
    identifier = str(server["id"])
    cloud.delete(SERVER, identifier)
    is_gone = partial(_is_gone, cloud, identifier, time.monotonic())
    wait_until_gone(str(server["name"]), _ENDING, is_gone)


def _is_gone(cloud: OpenStackCloud, identifier: str, deleted: float) -> bool:
    """Several may be ended at once. deleted: when."""
    return has_ended(cloud.latest(SERVER, identifier, deleted))


# -- the load balancer of the API -------------------------------------------------------------------------------------


def _weigh(cloud: OpenStackCloud, addresses: Collection[str], weight: int, seconds: float) -> None:
    """Give members of the API's load balancers a weight, and wait until Octavia has done it. Raises KopsError."""
    end = time.monotonic() + seconds
    for kind in (BALANCER, POOL):
        cloud.forget(described, kind)
    balancers = {str(each["id"]) for each in Owned(cloud).api_balancers()} if addresses else set()
    for pool in cloud.once(described, POOL) if balancers else ():
        if not any(refers(pool, "loadbalancers", each) for each in balancers):
            continue
        identifier = str(pool["id"])
        cloud.forget(members, identifier)
        for member in cloud.once(members, identifier):
            if member["address"] in addresses and member.get("weight", _IN_SERVICE) != weight:
                path, body = f"/{identifier}/members/{member['id']}", {MEMBER.key: {"weight": weight}}
                until(end, partial(cloud.ask, "PUT", MEMBER, path, body, f"weigh server {member['address']}"))
                cloud.forget(members, identifier)
                for balancer in balancers:
                    until(end, partial(_settled, cloud, balancer))


def _settled(cloud: OpenStackCloud, balancer: str) -> None:
    found = cloud.get(BALANCER, balancer)
    if found is not None and str(found["provisioning_status"]).startswith("PENDING"):
        raise TryAgainLater(f"load balancer {found['name']} is in the state {found['provisioning_status']}")


def _addresses(port: Described) -> list[str]:
    return [str(each["ip_address"]) for each in port.get("fixed_ips") or ()]
