# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: VPC, gateways and the public route table. Subnets and their ways out follow in subnets.py, egress.py.

Source: pkg/model/awsmodel/network.go of kops.
"""

from __future__ import annotations

from ...api.networking import ClusterSubnetSpec
from ...cloud.aws.tasks.dhcp_options import DHCPOptions
from ...cloud.aws.tasks.egress_only_internet_gateway import EgressOnlyInternetGateway
from ...cloud.aws.tasks.internet_gateway import InternetGateway
from ...cloud.aws.tasks.route import Route
from ...cloud.aws.tasks.route_table import RouteTable
from ...cloud.aws.tasks.vpc import VPC
from ...cloud.aws.tasks.vpc_amazon_ipv6_cidr_block import VPCAmazonIPv6CIDRBlock
from ...cloud.aws.tasks.vpc_cidr_block import VPCCIDRBlock
from ...cloud.aws.tasks.vpc_dhcp_options_association import VPCDHCPOptionsAssociation
from ..context import ModelContext
from . import egress, subnets, tags

AMAZON_IPV6 = "AmazonIPv6"
EVERYWHERE_IPV4 = "0.0.0.0/0"
EVERYWHERE_IPV6 = "::/0"
# Feature flag of kops.
SKIP_DNS_SUPPORT = "VPCSkipEnableDNSSupport"


def build(context: ModelContext) -> None:
    """Everything between the cluster's instances and the Internet."""
    vpc = _vpc(context)
    if not context.shares_network:
        _cidr_blocks(context, vpc)
        _dhcp_options(context, vpc)
    specs = context.cluster.spec.networking.subnets
    managed = [spec for spec in specs if not egress.is_unmanaged(spec)]
    internet_gateway = _internet_gateway(context, vpc) if managed else None
    public_routes = None
    if internet_gateway is not None and not all(spec.id for spec in specs):
        public_routes = _public_route_table(context, vpc, internet_gateway)
    egress_gateway = _egress_only_gateway(context, vpc, managed)
    subnet_tasks = subnets.build(context, vpc)
    zone_tables = egress.build(context, vpc, internet_gateway, egress_gateway)
    subnets.associate(context, subnet_tasks, public_routes, zone_tables)


def _vpc(context: ModelContext) -> VPC:
    networking = context.cluster.spec.networking
    shared = context.shares_network
    # Of a shared VPC it is only required, and that can be waived.
    any_dns_support = shared and SKIP_DNS_SUPPORT in context.features
    vpc = VPC(
        context.name,
        context.layers.network,
        id=networking.network_id or None,
        cidr=networking.network_cidr or None,
        shared=shared,
        enable_dns_support=None if any_dns_support else True,
        # A shared VPC is known by its id: it is not ours to tag or to change.
        tags=None if shared else tags.of_object(context.cluster, context.name),
    )
    if not shared:
        vpc.enable_dns_hostnames = True
        vpc.amazon_ipv6 = True
        vpc.associate_extra_cidr_blocks = list(networking.additional_network_cidrs)
    return context.add(vpc)


def _cidr_blocks(context: ModelContext, vpc: VPC) -> None:
    context.add(VPCAmazonIPv6CIDRBlock(AMAZON_IPV6, context.layers.network, vpc=vpc, shared=False))
    for cidr in context.cluster.spec.networking.additional_network_cidrs:
        context.add(VPCCIDRBlock(cidr, context.layers.network, vpc=vpc, cidr_block=cidr, shared=False))


def _dhcp_options(context: ModelContext, vpc: VPC) -> None:
    region = context.region
    options = context.add(
        DHCPOptions(
            context.name,
            context.layers.network,
            domain_name="ec2.internal" if region == "us-east-1" else f"{region}.compute.internal",
            domain_name_servers="AmazonProvidedDNS",
            shared=False,
            tags=tags.of_object(context.cluster, context.name),
        )
    )
    context.add(VPCDHCPOptionsAssociation(context.name, context.layers.network, vpc=vpc, dhcp_options=options))


def _internet_gateway(context: ModelContext, vpc: VPC) -> InternetGateway:
    shared = context.shares_network
    return context.add(
        InternetGateway(
            context.name,
            context.layers.network,
            vpc=vpc,
            shared=shared,
            tags=tags.of_object(context.cluster, context.name, shared),
        )
    )


def _egress_only_gateway(
    context: ModelContext, vpc: VPC, managed: list[ClusterSubnetSpec]
) -> EgressOnlyInternetGateway | None:
    if not context.is_ipv6_only or not any(spec.type in subnets.PRIVATE_TYPES for spec in managed):
        return None
    shared = context.shares_network
    return context.add(
        EgressOnlyInternetGateway(
            context.name,
            context.layers.network,
            vpc=vpc,
            shared=shared,
            tags=tags.of_object(context.cluster, context.name, shared),
        )
    )


def _public_route_table(context: ModelContext, vpc: VPC, gateway: InternetGateway) -> RouteTable:
    layer = context.layers.network
    table = context.add(
        RouteTable(
            context.name,
            layer,
            vpc=vpc,
            shared=False,
            tags={**tags.of_object(context.cluster, context.name), tags.KOPS_ROLE: "public"},
        )
    )
    context.add(Route(EVERYWHERE_IPV4, layer, cidr=EVERYWHERE_IPV4, route_table=table, internet_gateway=gateway))
    context.add(Route(EVERYWHERE_IPV6, layer, ipv6_cidr=EVERYWHERE_IPV6, route_table=table, internet_gateway=gateway))
    return table
