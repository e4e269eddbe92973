# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A network that exists: verified, tagged where kops tags it, never changed otherwise."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import from_tags
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.egress_only_internet_gateway import (
    EgressOnlyInternetGateway,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.elastic_ip import ElasticIP
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.instance import Instance
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.internet_gateway import InternetGateway
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.nat_gateway import NatGateway
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.route_table import RouteTable
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group import SecurityGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc_cidr_block import VPCCIDRBlock
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError, look_up

CLUSTER = "demo.example.com"
TAG = f"kubernetes.io/cluster/{CLUSTER}"
SHARED = {TAG: "shared"}
# One of Amazon's own; to list them all takes a second.
IMAGE = "ami-12c6146b"


@pytest.fixture
def theirs(cloud) -> dict[str, str]:
    """Somebody else's network: name -> id."""
    client = cloud.client("ec2")
    vpc = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = client.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24", AvailabilityZone="us-east-1a")["Subnet"]
    igw = client.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    client.attach_internet_gateway(InternetGatewayId=igw, VpcId=vpc)
    eigw = client.create_egress_only_internet_gateway(VpcId=vpc)["EgressOnlyInternetGateway"]
    address = client.allocate_address(Domain="vpc")
    nat = client.create_nat_gateway(AllocationId=address["AllocationId"], SubnetId=subnet["SubnetId"])["NatGateway"]
    group = client.create_security_group(GroupName="theirs", Description="theirs", VpcId=vpc)["GroupId"]
    run = client.run_instances(ImageId=IMAGE, MinCount=1, MaxCount=1, SubnetId=subnet["SubnetId"])
    return {
        "vpc": vpc,
        "subnet": subnet["SubnetId"],
        "igw": igw,
        "eigw": eigw["EgressOnlyInternetGatewayId"],
        "address": address["AllocationId"],
        "ip": address["PublicIp"],
        "nat": nat["NatGatewayId"],
        "group": group,
        "instance": run["Instances"][0]["InstanceId"],
    }


def network(theirs: dict[str, str], **change: str) -> list:
    names = {**theirs, **change}
    vpc = VPC(CLUSTER, id=names["vpc"], cidr="10.0.0.0/16", enable_dns_support=True, shared=True)
    subnet = Subnet(
        f"a.{CLUSTER}",
        id=names["subnet"],
        vpc=vpc,
        availability_zone="us-east-1a",
        cidr="10.0.0.0/24",
        resource_based_naming=True,
        shared=True,
        tags={**SHARED, "SubnetType": "Private"},
    )
    table = RouteTable("private", vpc=vpc, shared=True, tags={**SHARED, "kubernetes.io/kops/role": "private-a"})
    return [
        vpc,
        subnet,
        table,
        InternetGateway(CLUSTER, vpc=vpc, shared=True, tags=SHARED),
        InternetGateway(names["igw"], id=names["igw"], shared=True),
        EgressOnlyInternetGateway(CLUSTER, vpc=vpc, shared=True, tags=SHARED),
        EgressOnlyInternetGateway(names["eigw"], id=names["eigw"], shared=True),
        ElasticIP("by id", id=names["address"], shared=True, tags=SHARED),
        ElasticIP("by address", public_ip=names["ip"], tags=SHARED),
        NatGateway(CLUSTER, id=names["nat"], subnet=subnet, associated_route_table=table, shared=True, tags=SHARED),
        SecurityGroup("override", id=names["group"], vpc=vpc, description="ours", shared=True),
        Instance(names["instance"], id=names["instance"], shared=True),
    ]


def test_shared_objects_are_found_and_only_tagged(run, cloud, calls, theirs):
    calls.clear()
    first = run(network(theirs))
    assert first.actions == {
        f"Subnet/a.{CLUSTER}": "update",
        "RouteTable/private": "create",
        "ElasticIP/by id": "update",
        "ElasticIP/by address": "update",
        f"NatGateway/{CLUSTER}": "update",
    }
    assert set(calls.writes) == {"ec2.CreateTags", "ec2.CreateRouteTable"}
    second = run(network(theirs))
    assert second.actions == {} and second.deletions == []
    client = cloud.client("ec2")
    (vpc,) = client.describe_vpcs(VpcIds=[theirs["vpc"]])["Vpcs"]
    assert from_tags(vpc.get("Tags")) == {}
    (table,) = client.describe_route_tables(Filters=[{"Name": "tag-key", "Values": [TAG]}])["RouteTables"]
    assert from_tags(table["Tags"])["AssociatedNatgateway"] == theirs["nat"]


def test_ids_are_taken_over_from_what_is_found(run, theirs):
    found = run(network(theirs)).tasks
    assert found[f"InternetGateway/{CLUSTER}"].id == theirs["igw"]
    assert found[f"EgressOnlyInternetGateway/{CLUSTER}"].id == theirs["eigw"]
    assert found["ElasticIP/by address"].id == theirs["address"]


@pytest.mark.parametrize(
    ("kind", "missing", "said"),
    [
        ("vpc", "vpc-00000000", "VPC vpc-00000000, and it was not found"),
        ("subnet", "subnet-00000000", "subnet subnet-00000000 of the VPC"),
        ("igw", "igw-00000000", "internet gateway igw-00000000"),
        ("eigw", "eigw-00000000", "egress-only internet gateway eigw-00000000"),
        ("address", "eipalloc-00000000", "elastic IP eipalloc-00000000"),
        ("ip", "192.0.2.1", "no elastic IP with the address 192.0.2.1"),
        ("nat", "nat-00000000", "NAT gateway nat-00000000"),
        ("group", "sg-00000000", "security group sg-00000000"),
        ("instance", "i-00000000", "instance i-00000000"),
    ],
)
def test_a_shared_object_that_is_not_there_is_named_and_nothing_is_written(run, calls, theirs, kind, missing, said):
    calls.clear()
    with pytest.raises(PlanError) as refused:
        run(network(theirs, **{kind: missing}))
    assert said in str(refused.value)
    assert calls.writes == []


def test_a_shared_vpc_needs_dns_support(run, cloud, theirs):
    cloud.client("ec2").modify_vpc_attribute(VpcId=theirs["vpc"], EnableDnsSupport={"Value": False})
    with pytest.raises(PlanError, match="must have DNS support"):
        run(network(theirs))


def test_a_shared_vpc_of_another_cidr_is_refused(run, theirs):
    tasks = network(theirs)
    tasks[0].cidr = "10.9.0.0/16"
    with pytest.raises(PlanError, match=r"cidr: 10\.0\.0\.0/16 -> 10\.9\.0\.0/16"):
        run(tasks)


def test_a_shared_vpc_lacks_a_block(run, theirs):
    tasks = network(theirs)
    with pytest.raises(PlanError, match=r"CIDR block 10\.7\.0\.0/16 of the VPC"):
        run([*tasks, VPCCIDRBlock("10.7.0.0/16", vpc=tasks[0], cidr_block="10.7.0.0/16", shared=True)])


def test_a_shared_subnet_gets_no_ipv6_block(run, theirs):
    tasks = network(theirs)
    tasks[1].ipv6_cidr = "2001:db8::/64"
    with pytest.raises(PlanError, match="has no IPv6 block"):
        run(tasks)


def test_reads_do_not_grow_with_the_number_of_shared_subnets(run, cloud, calls, theirs):
    run(network(theirs))
    client = cloud.client("ec2")
    calls.clear()
    run(network(theirs))
    few = len(calls)
    more = []
    for number in range(1, 6):
        made = client.create_subnet(
            VpcId=theirs["vpc"], CidrBlock=f"10.0.{number}.0/24", AvailabilityZone="us-east-1a"
        )["Subnet"]["SubnetId"]
        more.append((f"s{number}", made))
    tasks = network(theirs)
    tasks += [Subnet(name, id=made, vpc=tasks[0], shared=True) for name, made in more]
    calls.clear()
    assert run(tasks).actions == {}
    assert len(calls) == few


def test_a_rendering_learns_the_ids_of_shared_gateways(cloud, calls, theirs):
    tasks = {task.key: task for task in network(theirs)}
    calls.clear()
    look_up(tasks.values(), cloud)
    assert tasks[f"InternetGateway/{CLUSTER}"].terraform_link() == theirs["igw"]
    assert tasks[f"EgressOnlyInternetGateway/{CLUSTER}"].terraform_link() == theirs["eigw"]
    assert calls.writes == []
