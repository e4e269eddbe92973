# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what CloudFormation knows objects that are there, with the schemas of its registry as cfn-lint has them."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.stacks import imports
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.stacks import Imported
from ansible_collections.kubeops.kops.tests.support.moto_change_sets import schema_of

REGION = "us-east-1"
TASKS = Path(imports.__file__).parents[1] / "tasks"
KINDS = {kind for path in TASKS.glob("*.py") for kind in re.findall(r'"(AWS::\w+::\w+)"', path.read_text())}
RESOURCES: dict[str, Any] = {
    "VPC": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "172.20.0.0/16"}},
    "Attachment": {
        "Type": "AWS::EC2::VPCGatewayAttachment",
        "Properties": {"InternetGatewayId": {"Ref": "Gateway"}, "VpcId": {"Ref": "VPC"}},
    },
    "Gateway": {"Type": "AWS::EC2::InternetGateway", "Properties": {}},
    "Table": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "VPC"}}},
    "Route": {
        "Type": "AWS::EC2::Route",
        "Properties": {"RouteTableId": {"Ref": "Table"}, "DestinationCidrBlock": "0.0.0.0/0"},
    },
    "Route6": {
        "Type": "AWS::EC2::Route",
        "Properties": {"RouteTableId": {"Ref": "Table"}, "DestinationIpv6CidrBlock": "::/0"},
    },
    "Address": {"Type": "AWS::EC2::EIP", "Properties": {"Domain": "vpc"}},
    "Group": {"Type": "AWS::AutoScaling::AutoScalingGroup", "Properties": {"AutoScalingGroupName": "nodes"}},
    "Hook": {
        "Type": "AWS::AutoScaling::LifecycleHook",
        "Properties": {"AutoScalingGroupName": {"Ref": "Group"}, "LifecycleHookName": "kops-warmpool"},
    },
    "Role": {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "nodes.demo"}},
    "RolePolicy": {"Type": "AWS::IAM::RolePolicy", "Properties": {"PolicyName": "p", "RoleName": {"Ref": "Role"}}},
    "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "q"}},
    "QueuePolicy": {"Type": "AWS::SQS::QueuePolicy", "Properties": {"Queues": [{"Ref": "Queue"}]}},
    "Record": {
        "Type": "AWS::Route53::RecordSet",
        "Properties": {"HostedZoneId": "Z1", "Name": "api.demo", "Type": "A"},
    },
    "Balancer": {"Type": "AWS::ElasticLoadBalancingV2::LoadBalancer", "Properties": {"Name": "api"}},
}
FOUND: dict[str, dict[str, str]] = {
    "VPC": {"id": "vpc-1"},
    "Gateway": {"id": "igw-1"},
    "Attachment": {"id": "igw-1"},
    "Table": {"id": "rtb-1"},
    "Address": {"id": "eipalloc-1", "public_ip": "192.0.2.1"},
    "Role": {"id": "AROA1"},
    "Queue": {"arn": "arn:aws:sqs:us-east-1:1:q", "url": "https://sqs/1/q"},
    "Balancer": {"arn": "arn:aws:elb:1"},
}
KNOWN = {
    "VPC": {"VpcId": "vpc-1"},
    "Attachment": {"AttachmentType": "IGW", "VpcId": "vpc-1"},
    "Gateway": {"InternetGatewayId": "igw-1"},
    "Table": {"RouteTableId": "rtb-1"},
    "Route": {"RouteTableId": "rtb-1", "CidrBlock": "0.0.0.0/0"},
    "Route6": {"RouteTableId": "rtb-1", "CidrBlock": "::/0"},
    "Address": {"PublicIp": "192.0.2.1", "AllocationId": "eipalloc-1"},
    "Group": {"AutoScalingGroupName": "nodes"},
    "Hook": {"AutoScalingGroupName": "nodes", "LifecycleHookName": "kops-warmpool"},
    "Role": {"RoleName": "nodes.demo"},
    "RolePolicy": {"PolicyName": "p", "RoleName": "nodes.demo"},
    "Queue": {"QueueUrl": "https://sqs/1/q"},
    "Record": {"Name": "api.demo", "HostedZoneId": "Z1", "Type": "A"},
    "Balancer": {"LoadBalancerArn": "arn:aws:elb:1"},
}


class Registry:
    """A client of AWS that reads schemas."""

    def once(self, read: Any, kind: str) -> dict[str, Any]:
        return schema_of(kind, REGION)


def tasks(found: dict[str, dict[str, str]]) -> dict[str, Any]:
    return {name: SimpleNamespace(key=f"Kind/{name}", **found.get(name, {})) for name in RESOURCES}


def test_each_is_known_by_what_identifies_it() -> None:
    cloud: Any = Registry()
    known = imports.imported(cloud, RESOURCES, tasks(FOUND), [*RESOURCES])
    assert {each.name: dict(each.identifier) for each in known} == KNOWN
    assert Imported("VPC", "AWS::EC2::VPC", {"VpcId": "vpc-1"}) in known


def test_what_has_no_id_is_named() -> None:
    cloud: Any = Registry()
    with pytest.raises(KopsError, match=r"cannot take in Kind/Route \(AWS::EC2::Route\), Kind/Table \(AWS::EC2::Rou"):
        imports.imported(cloud, RESOURCES, tasks({**FOUND, "Table": {}}), ["Route", "Table", "VPC"])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_all_kinds_of_a_cluster_can_be_taken_in(kind: str) -> None:
    schema = schema_of(kind, REGION)
    assert "read" in schema["handlers"] or kind == "AWS::SQS::QueuePolicy"
