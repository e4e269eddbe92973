# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Server groups, and the ports and floating addresses of the servers that instance groups have.

Source: pkg/model/openstackmodel/servergroup.go of kops.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...api.instance_group import InstanceGroup
from ...cloud.openstack import names
from ...cloud.openstack.pool import floating_ip_of, port_of
from ...cloud.openstack.tasks.port import Port
from ...cloud.openstack.tasks.server_group import ServerGroup
from ..context import ModelContext
from ..pools import numbers_wanted
from . import network, server_templates
from .spec import AFFINITY, account_of, annotation

_APART = "anti-affinity"


def build(context: ModelContext) -> None:
    """A server group, and a port for each server; a floating address where servers are reached from outside."""
    # Nodes of all groups are told of the control planes' addresses.
    for group in {id(each): each for each in (*context.groups_of("ControlPlane"), *context.updated_groups)}.values():
        policy = annotation(group, AFFINITY) or _APART
        context.ensure(
            ServerGroup(server_templates.server_group_of(context, group), context.layers.cluster, policy=policy)
        )
        template = context.add(server_templates.template_of(context, group))
        for number in numbers_of(context, group):
            port = context.add(port_of(template, number, context.name))
            floating = floating_ip_of(template, number, port, context.name, network.interfaces(context))
            if floating is not None:
                context.add(floating)


def numbers_of(context: ModelContext, group: InstanceGroup) -> list[int]:
    """The numbers of a group's servers: those that are there, and free ones up to its smallest size."""
    return numbers_wanted(group, account_of(context).numbers)


def ports_of(context: ModelContext, group: InstanceGroup) -> Iterator[Port]:
    """The ports of a group's servers, once they are built."""
    for number in numbers_of(context, group):
        yield context.get(Port, names.port(str(group.metadata.name), number, context.name))
