# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of others that block the deletion of a cluster, because they lie in its networks or use its objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....engine.resource import Resource
from ..cloud import Described, OpenStackCloud
from ..kinds import BALANCER, NETWORK, PORT, SECURITY_GROUP, SUBNET
from ..tasks._openstack import described
from .discovery import INTERFACE

# Ports that services of Neutron make in a network, and remove with it.
_OF_NEUTRON = ("network:dhcp", "network:distributed")


def in_the_way(cloud: OpenStackCloud, found: Mapping[str, Resource]) -> list[str]:
    """A line for each object that keeps one of found from being deleted: its kind and name, and what it uses."""
    return sorted([*_ports(cloud, found), *_subnets(cloud, found), *_balancers(cloud, found)])


def _ports(cloud: OpenStackCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    # The port of a load balancer goes with it.
    addresses = {each["vip_port_id"] for each in cloud.once(described, BALANCER)}
    for port in cloud.once(described, PORT):
        is_going = f"{PORT.word}:{port['id']}" in found or f"{INTERFACE}:{port['id']}" in found
        if is_going or port["id"] in addresses or port.get("device_owner") in _OF_NEUTRON:
            continue
        subnets = [f"{SUBNET.word}:{each['subnet_id']}" for each in port.get("fixed_ips") or ()]
        groups = [f"{SECURITY_GROUP.word}:{each}" for each in port.get("security_groups") or ()]
        used = [key for key in (*subnets, *groups, f"{NETWORK.word}:{port['network_id']}") if key in found]
        if used:
            yield _line(PORT.word, port, found[used[0]])


def _subnets(cloud: OpenStackCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for subnet in cloud.once(described, SUBNET):
        network = f"{NETWORK.word}:{subnet['network_id']}"
        if network in found and f"{SUBNET.word}:{subnet['id']}" not in found:
            yield _line(SUBNET.word, subnet, found[network])


def _balancers(cloud: OpenStackCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for balancer in cloud.once(described, BALANCER):
        subnet = f"{SUBNET.word}:{balancer.get('vip_subnet_id')}"
        if subnet in found and f"{BALANCER.word}:{balancer['id']}" not in found:
            yield _line(BALANCER.word, balancer, found[subnet])


def _line(word: str, other: Described, used: Resource) -> str:
    return f"{word} {other.get('name') or other['id']}: it uses {used.label}"
