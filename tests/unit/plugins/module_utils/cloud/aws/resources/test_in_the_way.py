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


def test_without_a_network_nobody_is_asked() -> None:
    nobody: Any = None
    assert in_the_way(nobody, _found("key-pair:key-1", blocks="volume:vol-1")) == []
