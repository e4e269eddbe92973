# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: the network of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ....engine.resource import Resource
from ....engine.task import TryAgainLater
from ..cloud import AWSCloud, from_tags
from ..ownership import owned
from ..tasks.security_group import describe_rule
from .gone import call, removal


def network(cloud: AWSCloud) -> Iterator[Resource]:
    """The VPC and all that lies in it, as far as the cluster owns it."""
    yield from _vpcs(cloud)
    yield from _dhcp_options(cloud)
    yield from _subnets(cloud)
    yield from _route_tables(cloud)
    yield from _internet_gateways(cloud)
    yield from _egress_only_gateways(cloud)
    yield from _nat_gateways(cloud)
    yield from _elastic_ips(cloud)
    yield from _security_groups(cloud)
    yield from _network_interfaces(cloud)


def _name(item: dict[str, Any]) -> str:
    return from_tags(item.get("Tags")).get("Name", "")


def _vpcs(cloud: AWSCloud) -> Iterator[Resource]:
    for vpc in owned(cloud, "describe_vpcs", "Vpcs"):
        blocks = frozenset({f"dhcp-options:{vpc['DhcpOptionsId']}"} if vpc.get("DhcpOptionsId") else ())
        delete = removal(cloud, "ec2", "delete_vpc", VpcId=vpc["VpcId"])
        yield Resource("vpc", vpc["VpcId"], delete, _name(vpc), blocks)


def _dhcp_options(cloud: AWSCloud) -> Iterator[Resource]:
    for options in owned(cloud, "describe_dhcp_options", "DhcpOptions"):
        identifier = options["DhcpOptionsId"]
        delete = removal(cloud, "ec2", "delete_dhcp_options", DhcpOptionsId=identifier)
        yield Resource("dhcp-options", identifier, delete, _name(options))


def _subnets(cloud: AWSCloud) -> Iterator[Resource]:
    for subnet in owned(cloud, "describe_subnets", "Subnets"):
        delete = removal(cloud, "ec2", "delete_subnet", SubnetId=subnet["SubnetId"])
        yield Resource("subnet", subnet["SubnetId"], delete, _name(subnet), frozenset({f"vpc:{subnet['VpcId']}"}))


def _route_tables(cloud: AWSCloud) -> Iterator[Resource]:
    for table in owned(cloud, "describe_route_tables", "RouteTables"):
        blocks = {f"vpc:{table['VpcId']}"}
        blocks |= {f"subnet:{link['SubnetId']}" for link in table["Associations"] if link.get("SubnetId")}
        yield Resource(
            "route-table",
            table["RouteTableId"],
            _route_table_removal(cloud, table),
            _name(table),
            frozenset(blocks),
        )


def _route_table_removal(cloud: AWSCloud, table: dict[str, Any]) -> Callable[[], None]:
    def delete() -> None:
        for link in table["Associations"]:
            if not link.get("Main"):
                call(cloud, "ec2", "disassociate_route_table", AssociationId=link["RouteTableAssociationId"])
        call(cloud, "ec2", "delete_route_table", RouteTableId=table["RouteTableId"])

    return delete


def _internet_gateways(cloud: AWSCloud) -> Iterator[Resource]:
    for gateway in owned(cloud, "describe_internet_gateways", "InternetGateways"):
        blocks = frozenset(f"vpc:{attachment['VpcId']}" for attachment in gateway["Attachments"])
        delete = _internet_gateway_removal(cloud, gateway)
        yield Resource("internet-gateway", gateway["InternetGatewayId"], delete, _name(gateway), blocks)


def _internet_gateway_removal(cloud: AWSCloud, gateway: dict[str, Any]) -> Callable[[], None]:
    identifier = gateway["InternetGatewayId"]

    def delete() -> None:
        for attachment in gateway["Attachments"]:
            vpc = attachment["VpcId"]
            call(cloud, "ec2", "detach_internet_gateway", InternetGatewayId=identifier, VpcId=vpc)
        call(cloud, "ec2", "delete_internet_gateway", InternetGatewayId=identifier)

    return delete


def _egress_only_gateways(cloud: AWSCloud) -> Iterator[Resource]:
    found = owned(cloud, "describe_egress_only_internet_gateways", "EgressOnlyInternetGateways")
    for gateway in found:
        identifier = gateway["EgressOnlyInternetGatewayId"]
        blocks = frozenset(f"vpc:{attachment['VpcId']}" for attachment in gateway.get("Attachments", ()))
        delete = removal(cloud, "ec2", "delete_egress_only_internet_gateway", EgressOnlyInternetGatewayId=identifier)
        yield Resource("egress-only-internet-gateway", identifier, delete, _name(gateway), blocks)


def _nat_gateways(cloud: AWSCloud) -> Iterator[Resource]:
    for gateway in owned(cloud, "describe_nat_gateways", "NatGateways"):
        if gateway["State"] in ("deleted", "failed"):
            continue
        blocks = {f"subnet:{gateway['SubnetId']}", f"vpc:{gateway['VpcId']}"}
        for address in gateway.get("NatGatewayAddresses", ()):
            blocks.add(f"elastic-ip:{address.get('AllocationId')}")
            blocks.add(f"network-interface:{address.get('NetworkInterfaceId')}")
        delete = _nat_gateway_removal(cloud, gateway["NatGatewayId"])
        yield Resource("nat-gateway", gateway["NatGatewayId"], delete, _name(gateway), frozenset(blocks))


def _nat_gateway_removal(cloud: AWSCloud, identifier: str) -> Callable[[], None]:
    def delete() -> None:
        call(cloud, "ec2", "delete_nat_gateway", NatGatewayId=identifier)
        # Its address and its subnet are free only when it is gone, which takes a minute or two.
        filters = [{"Name": "nat-gateway-id", "Values": [identifier]}]
        left = cloud.client("ec2").describe_nat_gateways(Filters=filters)["NatGateways"]
        states = [gateway["State"] for gateway in left if gateway["NatGatewayId"] == identifier]
        if any(state not in ("deleted", "failed") for state in states):
            raise TryAgainLater("it is being deleted")

    return delete


def _elastic_ips(cloud: AWSCloud) -> Iterator[Resource]:
    for address in owned(cloud, "describe_addresses", "Addresses"):
        identifier = address["AllocationId"]
        delete = removal(cloud, "ec2", "release_address", AllocationId=identifier)
        blocks = frozenset(f"vpc:{vpc}" for vpc in _owned_vpc_ids(cloud))
        yield Resource("elastic-ip", identifier, delete, _name(address) or address.get("PublicIp", ""), blocks)


def _security_groups(cloud: AWSCloud) -> Iterator[Resource]:
    groups = owned(cloud, "describe_security_groups", "SecurityGroups")
    for group in groups:
        # Groups whose rules name each other cannot go before the rules are gone.
        delete = _security_group_removal(cloud, group)
        blocks = frozenset({f"vpc:{group['VpcId']}"})
        yield Resource("security-group", group["GroupId"], delete, group["GroupName"], blocks)
    yield from _rules_in_groups_of_others(cloud, {group["GroupId"] for group in groups})


def _rules_in_groups_of_others(cloud: AWSCloud, ours: set[str]) -> Iterator[Resource]:
    """Rules that the cluster has made in groups that it only uses. A group that such a rule names cannot go before."""
    for rule in owned(cloud, "describe_security_group_rules", "SecurityGroupRules"):
        if rule["GroupId"] in ours:
            continue
        identifier = rule["SecurityGroupRuleId"]
        operation = f"revoke_security_group_{'egress' if rule.get('IsEgress') else 'ingress'}"
        parameters = {"GroupId": rule["GroupId"], "SecurityGroupRuleIds": [identifier]}
        source = (rule.get("ReferencedGroupInfo") or {}).get("GroupId")
        blocks = frozenset({f"security-group:{source}"} if source else ())
        delete = removal(cloud, "ec2", operation, **parameters)
        yield Resource("security-group-rule", identifier, delete, describe_rule(rule), blocks)


def _security_group_removal(cloud: AWSCloud, group: dict[str, Any]) -> Callable[[], None]:
    identifier = group["GroupId"]

    def delete() -> None:
        for operation, rules in (
            ("revoke_security_group_ingress", group["IpPermissions"]),
            ("revoke_security_group_egress", group["IpPermissionsEgress"]),
        ):
            linked = [rule for rule in rules if rule.get("UserIdGroupPairs")]
            if linked:
                call(cloud, "ec2", operation, GroupId=identifier, IpPermissions=linked)
        call(cloud, "ec2", "delete_security_group", GroupId=identifier)

    return delete


def _network_interfaces(cloud: AWSCloud) -> Iterator[Resource]:
    """What network plugins leave behind: interfaces that nothing is attached to any more."""
    vpcs = _owned_vpc_ids(cloud)
    if not vpcs:
        return
    filters = ({"Name": "vpc-id", "Values": vpcs}, {"Name": "status", "Values": ["available"]})
    for interface in owned(cloud, "describe_network_interfaces", "NetworkInterfaces", *filters):
        if interface["VpcId"] not in vpcs or interface["Status"] != "available":
            continue
        identifier = interface["NetworkInterfaceId"]
        blocks = {f"vpc:{interface['VpcId']}", f"subnet:{interface['SubnetId']}"}
        blocks |= {f"security-group:{group['GroupId']}" for group in interface.get("Groups", ())}
        delete = removal(cloud, "ec2", "delete_network_interface", NetworkInterfaceId=identifier)
        yield Resource("network-interface", identifier, delete, interface.get("Description", ""), frozenset(blocks))


def _owned_vpc_ids(cloud: AWSCloud) -> list[str]:
    return [vpc["VpcId"] for vpc in cloud.once(_describe_owned_vpcs)]


def _describe_owned_vpcs(cloud: AWSCloud) -> list[dict[str, Any]]:
    return owned(cloud, "describe_vpcs", "Vpcs")
