# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that block the deletion of a cluster: objects of others in its network, or that use its objects (held.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from ....engine.resource import Resource
from ..cloud import AWSCloud, from_tags
from ..elb import describe_load_balancers
from .held import held, owned_since
from .lines import line

# What AWS writes into the description of a load balancer's interface, before the balancer's name.
_BALANCER = "ELB "
# The same of a NAT gateway's, before its id.
_GATEWAY = "Interface for NAT Gateway "


class _Kind(NamedTuple):
    """A kind of objects that keep a VPC. kind: as discovery names it. of_vpc: the filter; without it, all are read."""

    kind: str
    operation: str
    result: str
    identifier: str
    of_vpc: str = "vpc-id"


# https://docs.aws.amazon.com/vpc/latest/userguide/delete-vpc.html; what has an interface is found by that.
_KINDS = (
    _Kind("subnet", "describe_subnets", "Subnets", "SubnetId"),
    _Kind("route-table", "describe_route_tables", "RouteTables", "RouteTableId"),
    _Kind("network-acl", "describe_network_acls", "NetworkAcls", "NetworkAclId"),
    _Kind("vpc-endpoint", "describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId"),
    _Kind(
        "internet-gateway", "describe_internet_gateways", "InternetGateways", "InternetGatewayId", "attachment.vpc-id"
    ),
    _Kind("vpn-gateway", "describe_vpn_gateways", "VpnGateways", "VpnGatewayId", "attachment.vpc-id"),
    # Either side can be the cluster's, and a filter is for one of them.
    _Kind(
        "vpc-peering-connection",
        "describe_vpc_peering_connections",
        "VpcPeeringConnections",
        "VpcPeeringConnectionId",
        "",
    ),
)
_ENDED = ("deleting", "deleted", "detached", "expired", "failed", "rejected")


def in_the_way(cloud: AWSCloud, found: Mapping[str, Resource]) -> list[str]:
    """A line for each object that keeps one of found from being deleted: others' ones, and what others use or protect.

    found: what discovery has found, by key. It says what an object is, its id, description and owner, and where it is.
    """
    going = found.keys() | {key for resource in found.values() for key in resource.blocks}
    networks = sorted(key.partition(":")[2] for key in going if key.startswith("vpc:"))
    if not networks:
        return sorted(held(cloud, found))
    ours = [network for network in networks if f"vpc:{network}" in found]
    return sorted(
        [
            *held(cloud, found),
            *_interfaces(cloud, found, going, networks),
            *_security_groups(cloud, found, networks),
            *(each for kind in _KINDS if ours for each in _in_vpcs(cloud, kind, found, ours)),
        ]
    )


def _interfaces(
    cloud: AWSCloud, found: Mapping[str, Resource], going: Collection[str], networks: list[str]
) -> Iterator[str]:
    interfaces = _in(cloud, "describe_network_interfaces", "NetworkInterfaces", "vpc-id", networks)
    suspects = [
        each
        for each in interfaces
        if f"network-interface:{each['NetworkInterfaceId']}" not in going and _uses(each, found)
    ]
    if not suspects:
        return
    started = owned_since(cloud, {_instance_of(each) for each in suspects} - {""})
    there = _balancers_of_others(cloud, found) if any(map(_balancer_of, suspects)) else set()
    there |= _gateways_of_others(cloud, found, networks) if any(map(_gateway_of, suspects)) else set()
    for each in suspects:
        maker = _balancer_of(each) or _gateway_of(each)
        # The interfaces of a load balancer or a NAT gateway that is gone follow in some minutes.
        if _instance_of(each) not in started and (not maker or maker in there):
            yield _interface_line(each)


def _uses(interface: dict[str, Any], found: Mapping[str, Resource]) -> bool:
    keys = [f"vpc:{interface['VpcId']}", f"subnet:{interface['SubnetId']}"]
    keys += [f"security-group:{group['GroupId']}" for group in interface.get("Groups", ())]
    return any(key in found for key in keys)


def _instance_of(interface: dict[str, Any]) -> str:
    return str((interface.get("Attachment") or {}).get("InstanceId") or "")


def _balancer_of(interface: dict[str, Any]) -> str:
    """The balancer, such as net/api-demo/50dc6c495c0c9188, or a classic one's name; empty if it is of none."""
    description = str(interface.get("Description") or "")
    return description.removeprefix(_BALANCER) if description.startswith(_BALANCER) else ""


def _gateway_of(interface: dict[str, Any]) -> str:
    """The id of the NAT gateway, empty if it is of none."""
    description = str(interface.get("Description") or "")
    return description.removeprefix(_GATEWAY) if description.startswith(_GATEWAY) else ""


def _balancers_of_others(cloud: AWSCloud, found: Mapping[str, Resource]) -> set[str]:
    """Load balancers that exist and stay, as their interfaces call them."""
    arns = [each["LoadBalancerArn"] for each in describe_load_balancers(cloud)]
    classic = cloud.paged("elb", "describe_load_balancers", "LoadBalancerDescriptions")
    return {arn.partition(":loadbalancer/")[2] for arn in arns if f"load-balancer:{arn}" not in found} | {
        each["LoadBalancerName"] for each in classic if f"classic-load-balancer:{each['LoadBalancerName']}" not in found
    }


def _gateways_of_others(cloud: AWSCloud, found: Mapping[str, Resource], networks: list[str]) -> set[str]:
    """NAT gateways that exist and stay."""
    filters = [{"Name": "vpc-id", "Values": networks}]
    there = cloud.paged("ec2", "describe_nat_gateways", "NatGateways", Filters=filters)
    return {
        each["NatGatewayId"]
        for each in there
        if not _has_ended(each) and f"nat-gateway:{each['NatGatewayId']}" not in found
    }


def _interface_line(interface: dict[str, Any]) -> str:
    instance = _instance_of(interface)
    requester = interface.get("RequesterId") if interface.get("RequesterManaged") else ""
    return line(
        "network-interface",
        interface["NetworkInterfaceId"],
        from_tags(interface.get("TagSet")).get("Name", ""),
        description=interface.get("Description"),
        owner=interface.get("OwnerId"),
        made_by=requester,
        attached_to=instance,
        place=interface["SubnetId"],
    )


def _security_groups(cloud: AWSCloud, found: Mapping[str, Resource], networks: list[str]) -> Iterator[str]:
    """Groups of others in a VPC that is to go, and those with a rule that names a group that is to go."""
    for group in _in(cloud, "describe_security_groups", "SecurityGroups", "vpc-id", networks):
        identifier = group["GroupId"]
        if f"security-group:{identifier}" in found:
            continue
        named = _names(cloud, group, found)
        if named or (f"vpc:{group['VpcId']}" in found and group["GroupName"] != "default"):
            yield line(
                "security-group",
                identifier,
                group["GroupName"],
                description=group.get("Description"),
                owner=group.get("OwnerId"),
                has_a_rule_for=", ".join(named),
                place=group["VpcId"],
            )


def _names(cloud: AWSCloud, group: dict[str, Any], found: Mapping[str, Resource]) -> list[str]:
    """The cluster's groups that a group of others names in rules that stay."""
    permissions = [*group["IpPermissions"], *group["IpPermissionsEgress"]]
    named = {pair.get("GroupId") for each in permissions for pair in each.get("UserIdGroupPairs", ())}
    if not any(f"security-group:{each}" in found for each in named):
        return []
    rules = _in(cloud, "describe_security_group_rules", "SecurityGroupRules", "group-id", [group["GroupId"]])
    staying = [rule for rule in rules if f"security-group-rule:{rule['SecurityGroupRuleId']}" not in found]
    sources = {(rule.get("ReferencedGroupInfo") or {}).get("GroupId") for rule in staying}
    return sorted(each for each in sources if each and f"security-group:{each}" in found)


def _in_vpcs(cloud: AWSCloud, kind: _Kind, found: Mapping[str, Resource], vpcs: list[str]) -> Iterator[str]:
    for item in _in(cloud, kind.operation, kind.result, kind.of_vpc, vpcs):
        identifier = item[kind.identifier]
        if f"{kind.kind}:{identifier}" not in found and not _goes_with_its_vpc(item):
            yield line(
                kind.kind,
                identifier,
                from_tags(item.get("Tags")).get("Name", ""),
                description=item.get("ServiceName"),
                owner=item.get("OwnerId"),
                place=", ".join(sorted(_vpcs_of(item))),
            )


def _goes_with_its_vpc(item: dict[str, Any]) -> bool:
    """The main route table and the default network ACL do; what has ended only seems to be there."""
    is_main = any(link.get("Main") for link in item.get("Associations", ()))
    return is_main or bool(item.get("IsDefault")) or _has_ended(item)


def _has_ended(item: dict[str, Any]) -> bool:
    """Whether an object, or an attachment, is none any more. Peering connections have a Status instead of a State."""
    state = item.get("State") or (item.get("Status") or {}).get("Code") or ""
    return str(state).lower() in _ENDED


def _vpcs_of(item: dict[str, Any]) -> set[str]:
    """Gateways name VPCs in their attachments, and peering connections both of their sides."""
    attachments = [*item.get("Attachments", ()), *item.get("VpcAttachments", ())]
    places = [item, *(each for each in attachments if not _has_ended(each))]
    places += [item.get("RequesterVpcInfo") or {}, item.get("AccepterVpcInfo") or {}]
    return {each["VpcId"] for each in places if each.get("VpcId")}


def _in(cloud: AWSCloud, operation: str, result: str, name: str, values: list[str]) -> list[dict[str, Any]]:
    """Objects of a listing in these VPCs or groups, also if the server ignores the filter."""
    found = cloud.paged("ec2", operation, result, Filters=[{"Name": name, "Values": values}] if name else [])
    wanted = set(values)
    return [each for each in found if wanted & ({each["GroupId"]} if name == "group-id" else _vpcs_of(each))]
