# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not the cluster's and keeps its objects from being deleted, and what only seems so."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.resources.in_the_way import in_the_way
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import Resource

NAME = "demo.example.com"


class Cloud:
    """An AWSCloud with answers by operation; all others are empty."""

    cluster_name = NAME

    def __init__(self, **answers: list[dict[str, Any]]) -> None:
        self.answers = answers

    def paged(self, service: str, operation: str, _result: str, **_more: Any) -> list[dict[str, Any]]:
        return self.answers.get(f"{service}_{operation}", self.answers.get(operation, []))

    def client(self, _service: str) -> _Balancers:
        return _Balancers()


class _Balancers:
    """What elbv2 says of one balancer: those with "protected" in their names are."""

    def describe_load_balancer_attributes(self, LoadBalancerArn: str) -> dict[str, Any]:
        value = "true" if "protected" in LoadBalancerArn else "false"
        return {"Attributes": [{"Key": "deletion_protection.enabled", "Value": value}]}


def _found(*keys: str, blocks: str = "vpc:vpc-1") -> dict[str, Resource]:
    resources = []
    for key in keys:
        kind, _colon, identifier = key.partition(":")
        resources.append(Resource(kind, identifier, lambda: None, blocks=frozenset({blocks})))
    return {each.key: each for each in resources}


def _interface(identifier: str, **more: Any) -> dict[str, Any]:
    return {"NetworkInterfaceId": identifier, "VpcId": "vpc-1", "SubnetId": "subnet-1", "OwnerId": "1", **more}


def _named(cloud: Cloud, found: dict[str, Resource]) -> list[str]:
    asked: Any = cloud
    return [line.split()[1] for line in in_the_way(asked, found)]


def test_interfaces_that_go_with_what_is_deleted_are_not_in_the_way() -> None:
    owned = {"Key": f"kubernetes.io/cluster/{NAME}", "Value": "owned"}
    arn = "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/"
    cloud = Cloud(
        describe_network_interfaces=[
            _interface("eni-of-a-found-one"),
            _interface("eni-of-a-late-one", Attachment={"InstanceId": "i-late"}),
            _interface("eni-of-theirs", Attachment={"InstanceId": "i-theirs"}),
            _interface("eni-of-our-balancer", Description="ELB net/api/1"),
            _interface("eni-of-their-balancer", Description="ELB app/shop/2"),
            _interface("eni-of-a-balancer-that-is-gone", Description="ELB net/old/3"),
            _interface("eni-of-their-gateway", Description="Interface for NAT Gateway nat-theirs"),
            _interface("eni-of-a-gateway-that-goes", Description="Interface for NAT Gateway nat-going"),
            _interface("eni-elsewhere", SubnetId="subnet-2"),
            _interface("eni-with-our-group", SubnetId="subnet-2", Groups=[{"GroupId": "sg-1"}]),
        ],
        describe_instances=[
            {"Instances": [{"InstanceId": "i-late", "Tags": [owned]}, {"InstanceId": "i-theirs", "Tags": []}]}
        ],
        elbv2_describe_load_balancers=[{"LoadBalancerArn": f"{arn}{name}"} for name in ("net/api/1", "app/shop/2")],
        elb_describe_load_balancers=[],
        describe_nat_gateways=[
            {"NatGatewayId": "nat-theirs", "State": "available"},
            {"NatGatewayId": "nat-going", "State": "deleting"},
        ],
    )
    found = {
        **_found("subnet:subnet-1", "security-group:sg-1", f"load-balancer:{arn}net/api/1"),
        **_found("instance:i-1", blocks="network-interface:eni-of-a-found-one"),
    }
    assert _named(cloud, found) == [
        "eni-of-their-balancer",
        "eni-of-their-gateway",
        "eni-of-theirs",
        "eni-with-our-group",
    ]


def test_a_group_of_others_with_a_rule_for_ours_is_in_the_way() -> None:
    def group(name: str, *sources: str) -> dict[str, Any]:
        pairs = [{"UserIdGroupPairs": [{"GroupId": source}]} for source in sources]
        return {"GroupId": name, "GroupName": name, "VpcId": "vpc-1", "IpPermissions": pairs, "IpPermissionsEgress": []}

    def rule(identifier: str, name: str) -> dict[str, Any]:
        return {"SecurityGroupRuleId": identifier, "GroupId": name, "ReferencedGroupInfo": {"GroupId": "sg-ours"}}

    cloud = Cloud(
        describe_security_groups=[
            group("sg-ours", "sg-ours"),
            group("sg-theirs", "sg-ours"),
            group("sg-with-ours", "sg-ours"),
            group("sg-4"),
        ],
        describe_security_group_rules=[rule("sgr-1", "sg-theirs"), rule("sgr-2", "sg-with-ours")],
    )
    # The VPC stays, so their groups are not in its way; one of the rules is the cluster's own, and goes.
    found = _found("security-group:sg-ours", "security-group-rule:sgr-2")
    assert _named(cloud, found) == ["sg-theirs"]


def test_gateways_and_peering_connections_of_the_network_are_in_the_way() -> None:
    def gateway(identifier: str, vpc: str, state: str = "attached") -> dict[str, Any]:
        return {"VpnGatewayId": identifier, "State": "available", "VpcAttachments": [{"VpcId": vpc, "State": state}]}

    def peering(identifier: str, requester: str, accepter: str, state: str) -> dict[str, Any]:
        sides = {"RequesterVpcInfo": {"VpcId": requester}, "AccepterVpcInfo": {"VpcId": accepter}}
        return {"VpcPeeringConnectionId": identifier, "Status": {"Code": state}, **sides}

    cloud = Cloud(
        describe_vpn_gateways=[
            gateway("vgw-1", "vpc-1"),
            gateway("vgw-elsewhere", "vpc-2"),
            gateway("vgw-detached", "vpc-1", "detached"),
        ],
        describe_vpc_peering_connections=[
            peering("pcx-ours", "vpc-1", "vpc-2", "active"),
            peering("pcx-theirs", "vpc-2", "vpc-1", "pending-acceptance"),
            peering("pcx-elsewhere", "vpc-2", "vpc-3", "active"),
            peering("pcx-gone", "vpc-1", "vpc-2", "deleted"),
        ],
    )
    assert _named(cloud, _found("vpc:vpc-1", blocks="")) == ["pcx-ours", "pcx-theirs", "vgw-1"]


def test_what_others_use_of_the_cluster_is_in_the_way() -> None:
    """A volume, an address, a role, a target group and DHCP options; and who deletes must switch a protection off."""
    owned = [{"Key": f"kubernetes.io/cluster/{NAME}", "Value": "owned"}]
    arn = "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/"

    cloud = Cloud(
        describe_volumes=[
            {"VolumeId": "vol-ours", "Tags": owned, "Attachments": [{"InstanceId": "i-ours"}]},
            {"VolumeId": "vol-late", "Tags": owned, "Attachments": [{"InstanceId": "i-late"}]},
            {"VolumeId": "vol-held", "Tags": owned, "Attachments": [{"InstanceId": "i-theirs"}]},
            {"VolumeId": "vol-free", "Tags": owned},
            {"VolumeId": "vol-theirs", "Tags": [], "Attachments": [{"InstanceId": "i-theirs"}]},
        ],
        describe_addresses=[
            {"AllocationId": "eip-held", "Tags": owned, "InstanceId": "i-theirs"},
            {"AllocationId": "eip-of-a-gateway", "Tags": owned, "NetworkInterfaceId": "eni-1"},
        ],
        describe_instances=[{"Instances": [{"InstanceId": "i-late", "Tags": owned}, {"InstanceId": "i-theirs"}]}],
        list_instance_profiles=[
            {"InstanceProfileName": "ours", "Roles": [{"RoleName": "nodes"}]},
            {"InstanceProfileName": "theirs", "Roles": [{"RoleName": "nodes"}, {"RoleName": "other"}]},
        ],
        describe_target_groups=[
            {"TargetGroupArn": "tg-1", "TargetGroupName": "api", "LoadBalancerArns": [f"{arn}ours", f"{arn}shop"]},
            {"TargetGroupArn": "tg-2", "TargetGroupName": "free", "LoadBalancerArns": [f"{arn}ours", f"{arn}gone"]},
        ],
        elbv2_describe_load_balancers=[{"LoadBalancerArn": f"{arn}{name}"} for name in ("ours", "shop")],
        describe_vpcs=[
            {"VpcId": "vpc-1", "DhcpOptionsId": "dopt-1"},
            {"VpcId": "vpc-theirs", "DhcpOptionsId": "dopt-1"},
            {"VpcId": "vpc-3", "DhcpOptionsId": "default"},
        ],
    )
    found = _found(
        *("vpc:vpc-1", "instance:i-ours", "volume:vol-ours", "volume:vol-late", "volume:vol-held", "volume:vol-free"),
        *("elastic-ip:eip-held", "elastic-ip:eip-of-a-gateway", "iam-role:nodes", "instance-profile:ours"),
        *("target-group:tg-1", "target-group:tg-2", "dhcp-options:dopt-1"),
        *(f"load-balancer:{arn}ours", f"load-balancer:{arn}protected"),
    )
    asked: Any = cloud
    assert in_the_way(asked, found) == [
        "dhcp-options dopt-1 (used by vpc vpc-theirs)",
        "elastic-ip eip-held (attached to i-theirs)",
        "iam-role nodes (in instance profile theirs)",
        f"load-balancer {arn}protected (deletion protection is on)",
        "target-group api (used by load balancer shop)",
        "volume vol-held (attached to i-theirs)",
    ]


def test_without_a_network_nobody_is_asked() -> None:
    nobody: Any = None
    assert in_the_way(nobody, _found("key-pair:key-1", blocks="volume:vol-1")) == []
