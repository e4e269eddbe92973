# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way out of subnets that cannot use the Internet gateway: a NAT gateway and route tables for each zone.

Source: pkg/model/awsmodel/network.go of kops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...api.networking import ClusterSubnetSpec, RouteSpec
from ...base.errors import KopsError
from ...cloud.aws.tasks.egress_only_internet_gateway import EgressOnlyInternetGateway
from ...cloud.aws.tasks.elastic_ip import ElasticIP
from ...cloud.aws.tasks.instance import Instance
from ...cloud.aws.tasks.internet_gateway import InternetGateway
from ...cloud.aws.tasks.nat_gateway import NatGateway
from ...cloud.aws.tasks.route import Route
from ...cloud.aws.tasks.route_table import RouteTable
from ...cloud.aws.tasks.subnet import Subnet
from ...cloud.aws.tasks.vpc import VPC
from ..context import ModelContext
from . import names, tags

UNMANAGED = "External"
EVERYWHERE = "0.0.0.0/0"
EVERYWHERE_IPV6 = "::/0"
# RFC 6052: where IPv6-only pods send what is meant for IPv4 hosts.
NAT64_PREFIX = "64:ff9b::/96"


@dataclass
class Zone:
    """The subnets of one zone whose IPv4 leaves through a NAT gateway, and the tables that say so."""

    name: str
    subnets: list[ClusterSubnetSpec]
    kinds: list[str]
    shared: bool


def is_unmanaged(spec: ClusterSubnetSpec) -> bool:
    """Whether the subnet's routes are managed outside of the cluster."""
    return spec.egress == UNMANAGED


def zone_table_kind(context: ModelContext, spec: ClusterSubnetSpec) -> str:
    """Which of its zone's route tables a subnet uses: "private", "public"; "" for the cluster's one public table."""
    if spec.type in ("DualStack", "Private"):
        return "private"
    # A public subnet with IPv6-only pods still needs NAT64.
    return "public" if context.is_ipv6_only and spec.type == "Public" and spec.ipv6_cidr else ""


def build(
    context: ModelContext,
    vpc: VPC,
    internet_gateway: InternetGateway | None,
    egress_gateway: EgressOnlyInternetGateway | None,
) -> dict[tuple[str, str], RouteTable]:
    """Route tables by kind and zone, with all their routes and the gateways that they lead to."""
    tables: dict[tuple[str, str], RouteTable] = {}
    for zone in _zones(context):
        for kind in zone.kinds:
            tables[kind, zone.name] = _route_table(context, vpc, kind, zone)
        way_out = _way_out(context, zone, tables[zone.kinds[0], zone.name])
        if "private" in zone.kinds:
            _private_routes(context, zone, tables["private", zone.name], way_out, egress_gateway)
        if "public" in zone.kinds:
            _public_routes(context, zone, tables["public", zone.name], way_out, internet_gateway)
    return tables


def _zones(context: ModelContext) -> list[Zone]:
    specs = context.cluster.spec.networking.subnets
    zones = []
    for name in sorted({str(spec.zone) for spec in specs}):
        here = [spec for spec in specs if spec.zone == name]
        ours = [spec for spec in here if not spec.id and not is_unmanaged(spec)]
        natted = [spec for spec in ours if zone_table_kind(context, spec)]
        if natted:
            kinds = sorted({zone_table_kind(context, spec) for spec in natted})
            zones.append(Zone(name, natted, kinds, shared=all(spec.id for spec in here)))
    return zones


def _route_table(context: ModelContext, vpc: VPC, kind: str, zone: Zone) -> RouteTable:
    name = names.route_table(kind, zone.name, context.name)
    return context.add(
        RouteTable(
            name,
            context.layers.network,
            vpc=vpc,
            shared=zone.shared,
            tags={**tags.of_object(context.cluster, name, zone.shared), tags.KOPS_ROLE: f"{kind}-{zone.name}"},
        )
    )


def _way_out(context: ModelContext, zone: Zone, table: RouteTable) -> dict[str, Any]:
    """Where a zone's IPv4 goes, as arguments of a Route; empty when nothing says."""
    choices = {(spec.egress or "", spec.public_ip or "") for spec in zone.subnets}
    if len(choices) > 1:
        raise KopsError(f"zone {zone.name}: its private and IPv6-capable subnets must agree on egress and publicIP")
    target, public_ip = choices.pop()
    if target.startswith("i-"):
        return {"instance": _instance(context, target)}
    if target.startswith("tgw-"):
        return {"transit_gateway_id": target}
    if not target or target.startswith(("nat-", "eipalloc-")):
        return {"nat_gateway": _nat_gateway(context, zone, table, target, public_ip)}
    raise KopsError(
        f"zone {zone.name}: egress {target!r} is not supported; allowed are nat-..., eipalloc-..., i-..., tgw-...,"
        f" {UNMANAGED}, or nothing for a NAT gateway of the cluster's own"
    )


def _instance(context: ModelContext, identifier: str) -> Instance:
    return context.ensure(Instance(identifier, context.layers.network, id=identifier, shared=True))


def _nat_gateway(context: ModelContext, zone: Zone, table: RouteTable, target: str, public_ip: str) -> NatGateway:
    layer, name = context.layers.network, f"{zone.name}.{context.name}"
    gateway = NatGateway(name, layer, subnet=_gateway_subnet(context, zone), associated_route_table=table)
    gateway.tags = tags.of_object(context.cluster, name, shared=target.startswith("nat-"))
    if target.startswith("nat-"):
        gateway.id, gateway.shared = target, True
        return context.add(gateway)
    address = ElasticIP(name, layer, associated_nat_gateway_route_table=table)
    address.tags = tags.of_object(context.cluster, name, shared=bool(target or public_ip))
    if target:
        address.id, address.shared = target, True
    elif public_ip:
        address.public_ip = public_ip
    gateway.elastic_ip = context.add(address)
    return context.add(gateway)


def _gateway_subnet(context: ModelContext, zone: Zone) -> Subnet:
    """The subnet that a zone's NAT gateway stands in: the utility one, or the public one where no subnet is private."""
    wanted = "Utility" if "private" in zone.kinds else "Public"
    specs = context.cluster.spec.networking.subnets
    found = [spec for spec in specs if spec.zone == zone.name and spec.type == wanted]
    if len(found) != 1:
        raise KopsError(
            f"zone {zone.name} needs exactly one subnet of type {wanted} for its NAT gateway, not {len(found)}"
        )
    return context.get(Subnet, names.subnet(str(found[0].name), context.name))


def _private_routes(
    context: ModelContext,
    zone: Zone,
    table: RouteTable,
    way_out: dict[str, Any],
    egress_gateway: EgressOnlyInternetGateway | None,
) -> None:
    layer, prefix = context.layers.network, f"private-{zone.name}-"
    context.add(Route(prefix + EVERYWHERE, layer, cidr=EVERYWHERE, route_table=table, **way_out))
    if context.is_ipv6_only:
        context.add(Route(prefix + NAT64_PREFIX, layer, ipv6_cidr=NAT64_PREFIX, route_table=table, **way_out))
        context.add(
            Route(
                prefix + EVERYWHERE_IPV6,
                layer,
                ipv6_cidr=EVERYWHERE_IPV6,
                route_table=table,
                egress_only_internet_gateway=egress_gateway,
            )
        )
    for spec in context.cluster.spec.networking.subnets:
        if spec.zone == zone.name and spec.type == "Private":
            for route in spec.additional_routes:
                _additional_route(context, spec, route, table)


def _public_routes(
    context: ModelContext,
    zone: Zone,
    table: RouteTable,
    way_out: dict[str, Any],
    gateway: InternetGateway | None,
) -> None:
    layer, prefix = context.layers.network, f"public-{zone.name}-"
    context.add(Route(prefix + EVERYWHERE, layer, cidr=EVERYWHERE, route_table=table, internet_gateway=gateway))
    context.add(
        Route(prefix + EVERYWHERE_IPV6, layer, ipv6_cidr=EVERYWHERE_IPV6, route_table=table, internet_gateway=gateway)
    )
    context.add(Route(prefix + NAT64_PREFIX, layer, ipv6_cidr=NAT64_PREFIX, route_table=table, **way_out))


def _additional_route(context: ModelContext, spec: ClusterSubnetSpec, route: RouteSpec, table: RouteTable) -> None:
    layer, target = context.layers.network, str(route.target)
    task = Route(f"{spec.name}.{route.cidr}", layer, cidr=route.cidr, route_table=table)
    if target.startswith("pcx-"):
        task.vpc_peering_connection_id = target
    elif target.startswith("tgw-"):
        task.transit_gateway_id = target
    elif target.startswith("i-"):
        task.instance = _instance(context, target)
    elif target.startswith("nat-"):
        task.nat_gateway = context.ensure(NatGateway(target, layer, id=target, shared=True))
    elif target.startswith("igw-"):
        task.internet_gateway = context.ensure(InternetGateway(target, layer, id=target, shared=True))
    elif target.startswith("eigw-"):
        task.egress_only_internet_gateway = context.ensure(
            EgressOnlyInternetGateway(target, layer, id=target, shared=True)
        )
    else:
        raise KopsError(f"subnet {spec.name}: route to {route.cidr}: {target!r} is no target that AWS routes to")
    context.add(task)
