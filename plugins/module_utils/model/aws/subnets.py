# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets, and which route table each of them uses (pkg/model/awsmodel/network.go of kops)."""

from __future__ import annotations

import ipaddress

from ...api.networking import ClusterSubnetSpec
from ...base.errors import KopsError
from ...cloud.aws.tasks.route_table import RouteTable
from ...cloud.aws.tasks.route_table_association import RouteTableAssociation
from ...cloud.aws.tasks.subnet import Subnet
from ...cloud.aws.tasks.vpc import VPC
from ...cloud.aws.tasks.vpc_amazon_ipv6_cidr_block import VPCAmazonIPv6CIDRBlock
from ...cloud.aws.tasks.vpc_cidr_block import VPCCIDRBlock
from ..context import ModelContext
from . import egress, names, tags
from .spec import aws_spec

PUBLIC_TYPES = ("Public", "Utility")
PRIVATE_TYPES = ("DualStack", "Private")


def build(context: ModelContext, vpc: VPC) -> dict[str, Subnet]:
    """The subnets of the cluster: name in the spec -> task."""
    specs = context.cluster.spec.networking.subnets
    return {str(spec.name): context.add(_subnet(context, vpc, spec)) for spec in specs}


def task_of(context: ModelContext, spec: ClusterSubnetSpec) -> Subnet:
    """The subnet that the network builder made of a subnet of the spec."""
    return context.get(Subnet, names.subnet(str(spec.name), context.name))


def associate(
    context: ModelContext,
    subnet_tasks: dict[str, Subnet],
    public_routes: RouteTable | None,
    zone_tables: dict[tuple[str, str], RouteTable],
) -> None:
    """Bind every subnet that is ours to its route table. zone_tables: ("private" or "public", zone) -> table."""
    for spec in context.cluster.spec.networking.subnets:
        if spec.id or egress.is_unmanaged(spec):
            continue
        kind = egress.zone_table_kind(context, spec)
        name = names.subnet(str(spec.name), context.name)
        context.add(
            RouteTableAssociation(
                f"{kind}-{name}" if kind else name,
                context.layers.network,
                route_table=zone_tables[kind, str(spec.zone)] if kind else public_routes,
                subnet=subnet_tasks[str(spec.name)],
            )
        )


def _subnet(context: ModelContext, vpc: VPC, spec: ClusterSubnetSpec) -> Subnet:
    if spec.type not in PUBLIC_TYPES + PRIVATE_TYPES:
        raise KopsError(f"subnet {spec.name} has the unknown type {spec.type!r}")
    name = names.subnet(str(spec.name), context.name)
    subnet = Subnet(
        name,
        context.layers.network,
        short_name=spec.name,
        id=spec.id or None,
        vpc=vpc,
        availability_zone=spec.zone,
        cidr=spec.cidr or None,
        ipv6_cidr=spec.ipv6_cidr or None,
        shared=bool(spec.id),
        tags=_tags(context, name, spec),
    )
    if context.cluster.spec.cloud_controller_manager is not None:
        subnet.resource_based_naming = not aws_spec(context).use_ip_based_node_names
    if not context.shares_network:
        subnet.vpccidr_block = _additional_block(context, spec)
        if spec.ipv6_cidr:
            subnet.amazon_ipv6_cidr = context.get(VPCAmazonIPv6CIDRBlock, "AmazonIPv6")
    return subnet


def _additional_block(context: ModelContext, spec: ClusterSubnetSpec) -> VPCCIDRBlock | None:
    """The additional CIDR block of the VPC that a subnet lies in: the subnet must wait for it."""
    if not spec.cidr:
        return None
    first = ipaddress.ip_interface(spec.cidr).ip
    blocks = [c for c in context.cluster.spec.networking.additional_network_cidrs if first in ipaddress.ip_network(c)]
    return context.get(VPCCIDRBlock, blocks[-1]) if blocks else None


def _tags(context: ModelContext, name: str, spec: ClusterSubnetSpec) -> dict[str, str]:
    if context.cluster.spec.networking.tag_subnets is False:
        return {}
    subnet_tags = {**tags.of_object(context.cluster, name, bool(spec.id)), "SubnetType": str(spec.type)}
    if spec.type in PUBLIC_TYPES:
        subnet_tags[tags.PUBLIC_LOAD_BALANCER] = "1"
    if _takes_internal_load_balancers(context, spec):
        subnet_tags[tags.INTERNAL_LOAD_BALANCER] = "1"
    for group in context.groups:
        if group.spec.manager == "Karpenter" and spec.name in group.spec.subnets:
            subnet_tags[f"{tags.KARPENTER_SUBNET_PREFIX}{group.metadata.name}"] = "true"
    return subnet_tags


def _takes_internal_load_balancers(context: ModelContext, spec: ClusterSubnetSpec) -> bool:
    """One kind of subnet in each zone: dual-stack before private, and public ones only where there is nothing else."""
    others = context.cluster.spec.networking.subnets
    if spec.type == "Private":
        return not any(other.type == "DualStack" and other.zone == spec.zone for other in others)
    if spec.type in PUBLIC_TYPES:
        # AWS refuses internal load balancers where the IPv6 default route is an Internet gateway.
        return not any(other.type in PRIVATE_TYPES for other in others) and not context.is_ipv6_only
    return True
