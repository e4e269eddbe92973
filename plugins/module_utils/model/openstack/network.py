# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: network, subnets, and the router by which they reach the external one.

Source: pkg/model/openstackmodel/network.go of kops.
"""

from __future__ import annotations

from ...api.networking import ClusterSubnetSpec
from ...cloud.openstack import names
from ...cloud.openstack.tasks.network import Network
from ...cloud.openstack.tasks.router import Router
from ...cloud.openstack.tasks.router_interface import RouterInterface
from ...cloud.openstack.tasks.subnet import Subnet
from ..context import ModelContext
from .spec import spec


def build(context: ModelContext) -> None:
    """The network, its subnets, and a router unless subnets are given: their owner has one, or needs none."""
    network = context.add(
        Network(
            _network_name(context),
            context.layers.network,
            tag=context.name,
            availability_zone_hints=_hints(context),
            given=context.shares_network,
        )
    )
    subnets = [_subnet(context, network, each) for each in context.cluster.spec.networking.subnets]
    external = external_network(context)
    if external is None or any(each.given for each in subnets):
        return
    options = spec(context).router
    router = context.add(
        Router(
            names.router(context.name),
            context.layers.network,
            external_network=external,
            external_subnet=of_external(context, options.external_subnet if options else None),
            availability_zone_hints=list(options.availability_zone_hints) or None if options else None,
        )
    )
    for described, subnet in zip(context.cluster.spec.networking.subnets, subnets):
        context.add(RouterInterface(f"ri-{described.name}", context.layers.network, router=router, subnet=subnet))


def network_of(context: ModelContext) -> Network:
    """The cluster's network, once it is built."""
    return context.get(Network, _network_name(context))


def subnet_of(context: ModelContext, described: ClusterSubnetSpec) -> Subnet:
    """The task of a subnet of the specification, once it is built."""
    return context.get(Subnet, _subnet_name(context, described))


def interfaces(context: ModelContext) -> list[RouterInterface]:
    """The router's interfaces, once they are built."""
    return [task for task in context.tasks.values() if isinstance(task, RouterInterface)]


def external_network(context: ModelContext) -> Network | None:
    """The network that leads to the world; None if the specification names none."""
    options = spec(context).router
    if options is None or not options.external_network:
        return None
    return context.ensure(Network(options.external_network, context.layers.network, external=True))


def of_external(context: ModelContext, name: str | None) -> Subnet | None:
    """A subnet of the external network; None for none."""
    network = external_network(context)
    if not name or network is None:
        return None
    return context.ensure(Subnet(name, context.layers.network, network=network, of_cloud=True))


def _hints(context: ModelContext) -> list[str] | None:
    options = spec(context).network
    return (list(options.availability_zone_hints) or None) if options else None


def _network_name(context: ModelContext) -> str:
    return context.cluster.spec.networking.network_id or context.name


def _subnet_name(context: ModelContext, described: ClusterSubnetSpec) -> str:
    return described.id or names.subnet(str(described.name), context.name)


def _subnet(context: ModelContext, network: Network, described: ClusterSubnetSpec) -> Subnet:
    options, is_given = spec(context).router, bool(described.id)
    listed = (options.dns_servers if options else None) or ""
    servers = [each.strip() for each in listed.split(",") if each.strip()]
    return context.add(
        Subnet(
            _subnet_name(context, described),
            context.layers.network,
            network=network,
            cidr=described.cidr or None,
            # What the owner of a given subnet tells its servers stays.
            dns_servers=None if is_given else servers,
            tag=context.name,
            given=is_given,
        )
    )
