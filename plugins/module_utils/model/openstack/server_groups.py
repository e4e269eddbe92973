# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Server groups, and the ports and floating addresses of the servers that instance groups have.

Source: pkg/model/openstackmodel/servergroup.go of kops.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.openstack import names
from ...cloud.openstack.tasks.port import Port
from ...cloud.openstack.tasks.security_group import SecurityGroup
from ...cloud.openstack.tasks.server_group import ServerGroup
from ..context import ModelContext
from . import floating_ips, network, security_groups
from .spec import ADDRESS_PAIR, AFFINITY, SERVER_GROUP, annotation, annotations_with, has_balancer

_APART = "anti-affinity"
_REACHED = ("Public", "Utility")


def build(context: ModelContext) -> None:
    """A server group, and a port for each server; a floating address where servers are reached from outside."""
    for group in context.updated_groups:
        policy = annotation(group, AFFINITY) or _APART
        context.ensure(ServerGroup(name_of(context, group), context.layers.cluster, policy=policy))
        for number in range(1, (group.spec.min_size or 0) + 1):
            port = _port(context, group, number)
            if _is_reached(context, group, number):
                floating_ips.add(context, names.server(str(group.metadata.name), number, context.name), port=port)


def name_of(context: ModelContext, group: InstanceGroup) -> str:
    """The server group of an instance group, which others may share."""
    return f"{context.name}-{annotation(group, SERVER_GROUP) or group.metadata.name}"


def ports_of(context: ModelContext, group: InstanceGroup) -> Iterator[Port]:
    """The ports of a group's servers, once they are built."""
    for number in range(1, (group.spec.min_size or 0) + 1):
        yield context.get(Port, names.port(str(group.metadata.name), number, context.name))


def _port(context: ModelContext, group: InstanceGroup, number: int) -> Port:
    name = str(group.metadata.name)
    subnets = context.subnets_of(group)
    return context.add(
        Port(
            names.port(name, number, context.name),
            context.layers.cluster,
            network=network.network_of(context),
            subnet=network.subnet_of(context, subnets[(number - 1) % len(subnets)]),
            security_groups=_security_groups(context, group),
            tags=names.port_tags(name, number, context.name),
            address_pairs=_address_pairs(group),
        )
    )


def _security_groups(context: ModelContext, group: InstanceGroup) -> list[SecurityGroup]:
    found = [security_groups.group_of(context, str(group.spec.role))]
    if group.spec.role == "ControlPlane" and not has_balancer(context):
        found.append(security_groups.group_of(context, security_groups.API))
    users = group.spec.additional_security_groups
    return found + [context.ensure(SecurityGroup(each, context.layers.security, given=True)) for each in users]


def _address_pairs(group: InstanceGroup) -> dict[str, str] | None:
    """Address -> MAC, "" for the port's own: from annotations "ADDRESS" or "ADDRESS,MAC"."""
    pairs = {}
    for text in annotations_with(group, ADDRESS_PAIR):
        address, _comma, mac = text.partition(",")
        if not address.strip():
            raise KopsError(f"instance group {group.metadata.name}: annotation {ADDRESS_PAIR}: {text!r} has no address")
        pairs[address.strip()] = mac.strip()
    return dict(sorted(pairs.items())) or None


def _is_reached(context: ModelContext, group: InstanceGroup, number: int) -> bool:
    """Whether a server has a floating address: it is a bastion, or in a subnet for it, and there are such addresses."""
    if network.external_network(context) is None or group.spec.associate_public_ip is False:
        return False
    subnets = context.subnets_of(group)
    return group.spec.role == "Bastion" or subnets[(number - 1) % len(subnets)].type in _REACHED
