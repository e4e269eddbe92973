# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster's own network: made, found again, changed in place, completed after a kill."""

from __future__ import annotations

import ipaddress
import urllib.request

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import from_tags
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dhcp_options import DHCPOptions
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.egress_only_internet_gateway import (
    EgressOnlyInternetGateway,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.elastic_ip import ElasticIP
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.internet_gateway import InternetGateway
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.nat_gateway import NatGateway
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.route import Route
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.route_table import RouteTable
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.route_table_association import (
    RouteTableAssociation,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc_amazon_ipv6_cidr_block import (
    VPCAmazonIPv6CIDRBlock,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc_cidr_block import VPCCIDRBlock
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc_dhcp_options_association import (
    VPCDHCPOptionsAssociation,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError, make_plan

CLUSTER = "demo.example.com"
TAG = f"kubernetes.io/cluster/{CLUSTER}"


def owned(name: str, **more: str) -> dict[str, str]:
    return {"Name": name, "KubernetesCluster": CLUSTER, TAG: "owned", **more}


def network(extra_cidrs: tuple[str, ...] = ("10.1.0.0/16",), **change) -> list:
    """A private network in one zone; change: keyword -> value, see below."""
    vpc = VPC(
        CLUSTER,
        cidr=change.get("cidr", "10.0.0.0/16"),
        enable_dns_support=True,
        enable_dns_hostnames=True,
        tags=owned(CLUSTER, **change.get("labels", {})),
        associate_extra_cidr_blocks=list(extra_cidrs),
    )
    ipv6 = VPCAmazonIPv6CIDRBlock("AmazonIPv6", vpc=vpc, shared=False)
    extra = [VPCCIDRBlock(cidr, vpc=vpc, cidr_block=cidr, shared=False) for cidr in extra_cidrs]
    dhcp = DHCPOptions(
        CLUSTER,
        domain_name="ec2.internal",
        domain_name_servers="AmazonProvidedDNS",
        tags=owned(CLUSTER),
    )
    association = VPCDHCPOptionsAssociation(CLUSTER, vpc=vpc, dhcp_options=dhcp)
    igw = InternetGateway(CLUSTER, vpc=vpc, tags=owned(CLUSTER))
    eigw = EgressOnlyInternetGateway(CLUSTER, vpc=vpc, tags=owned(CLUSTER))
    public = RouteTable(CLUSTER, vpc=vpc, tags=owned(CLUSTER, **{"kubernetes.io/kops/role": "public"}))
    private = RouteTable(
        f"private-us-east-1a.{CLUSTER}",
        vpc=vpc,
        tags=owned(f"private-us-east-1a.{CLUSTER}", **{"kubernetes.io/kops/role": "private-us-east-1a"}),
    )
    utility = Subnet(
        f"utility.{CLUSTER}",
        short_name="utility",
        vpc=vpc,
        availability_zone=change.get("zone", "us-east-1a"),
        cidr="10.0.0.0/22",
        ipv6_cidr=change.get("ipv6_cidr", "/64#1"),
        amazon_ipv6_cidr=ipv6,
        resource_based_naming=change.get("naming", True),
        tags=owned(f"utility.{CLUSTER}", SubnetType="Utility"),
    )
    nodes = Subnet(
        f"us-east-1a.{CLUSTER}",
        vpc=vpc,
        availability_zone="us-east-1a",
        cidr="10.0.32.0/19",
        resource_based_naming=True,
        tags=owned(f"us-east-1a.{CLUSTER}", SubnetType="Private"),
    )
    eip = ElasticIP(
        f"us-east-1a.{CLUSTER}",
        associated_nat_gateway_route_table=private,
        tags=owned(f"us-east-1a.{CLUSTER}"),
    )
    nat = NatGateway(
        f"us-east-1a.{CLUSTER}",
        subnet=utility,
        elastic_ip=eip,
        associated_route_table=private,
        tags=owned(f"us-east-1a.{CLUSTER}"),
    )
    nodes_table = change.get("nodes_table", private.name)
    return [
        vpc,
        ipv6,
        *extra,
        dhcp,
        association,
        igw,
        eigw,
        public,
        private,
        utility,
        nodes,
        eip,
        nat,
        Route("0.0.0.0/0", route_table=public, cidr="0.0.0.0/0", internet_gateway=igw),
        Route("::/0", route_table=public, ipv6_cidr="::/0", internet_gateway=igw),
        Route("private-0.0.0.0/0", route_table=private, cidr="0.0.0.0/0", nat_gateway=nat),
        Route("private-::/0", route_table=private, ipv6_cidr="::/0", egress_only_internet_gateway=eigw),
        RouteTableAssociation(f"utility.{CLUSTER}", route_table=public, subnet=utility),
        RouteTableAssociation(
            f"private.{CLUSTER}",
            route_table=public if nodes_table == public.name else private,
            subnet=nodes,
        ),
    ]


def our_vpc(client) -> dict:
    (vpc,) = client.describe_vpcs(Filters=[{"Name": f"tag:{TAG}", "Values": ["owned"]}])["Vpcs"]
    return vpc


def test_first_run_creates_everything_and_the_second_finds_it(run, calls):
    tasks = network()
    first = run(tasks)
    assert first.actions == {task.key: "create" for task in tasks}
    calls.clear()
    second = run(network())
    assert second.actions == {} and second.deletions == []
    assert calls.writes == []
    # Two VPC attributes, and every other kind of object once.
    assert sorted(set(calls)) == [
        "ec2.DescribeAddresses",
        "ec2.DescribeDhcpOptions",
        "ec2.DescribeEgressOnlyInternetGateways",
        "ec2.DescribeInternetGateways",
        "ec2.DescribeNatGateways",
        "ec2.DescribeRouteTables",
        "ec2.DescribeSubnets",
        "ec2.DescribeVpcAttribute",
        "ec2.DescribeVpcs",
    ]
    assert len(calls) == 10


def test_a_plan_for_an_empty_account_writes_nothing_and_asks_little(run, calls):
    run(network(), apply=False)
    assert calls.writes == []
    # What lives in a VPC that does not exist is not looked up.
    assert sorted(calls) == ["ec2.DescribeAddresses", "ec2.DescribeDhcpOptions", "ec2.DescribeVpcs"]


def test_creating_calls_carry_the_tags(run, cloud, calls):
    run(network())
    assert calls.of("CreateTags") == 0
    client = cloud.client("ec2")
    tagged = client.describe_tags(Filters=[{"Name": "key", "Values": [TAG]}])["Tags"]
    kinds = {entry["ResourceId"].split("-")[0] for entry in tagged}
    assert kinds == {"vpc", "dopt", "igw", "eigw", "rtb", "subnet", "eipalloc", "nat"}


@pytest.mark.parametrize("wanted", [True, False])
def test_an_association_that_is_there_already_is_looked_at(run, cloud, calls, monkeypatch, wanted):
    """A subnet that has got its table, or another one, since the run began."""
    from botocore.exceptions import ClientError

    first = {task.key: task for task in network()}
    run(list(first.values()))
    key = f"RouteTableAssociation/private.{CLUSTER}"
    client = cloud.client("ec2")
    associate = client.associate_route_table
    client.disassociate_route_table(AssociationId=first[key].id)
    table = first[key].route_table if wanted else first[f"RouteTable/{CLUSTER}"]

    def refuse(**_given):
        answer = {"Error": {"Code": "Resource.AlreadyAssociated", "Message": "it is"}}
        raise ClientError(answer, "AssociateRouteTable")

    def overtake() -> None:
        associate(RouteTableId=table.id, SubnetId=first[key].subnet.id)
        # moto would give the first answer again.
        monkeypatch.setattr(client, "associate_route_table", refuse)
        calls.clear()

    assert run(network(), meanwhile=overtake).actions == {key: "create"}
    assert calls.writes == ([] if wanted else ["ec2.ReplaceRouteTableAssociation"])
    assert run(network()).actions == {}


def test_dhcp_options_are_tagged_where_the_creating_call_takes_no_tags(cloud, calls, monkeypatch):
    """As with moto by itself."""
    client = cloud.client("ec2")
    create = client.create_dhcp_options

    def create_untagged(TagSpecifications, **given):
        return create(**given)

    monkeypatch.setattr(client, "create_dhcp_options", create_untagged)
    options = DHCPOptions(CLUSTER, domain_name="ec2.internal", tags={"Name": CLUSTER})
    options.create(cloud)
    (found,) = client.describe_dhcp_options(DhcpOptionsIds=[options.id])["DhcpOptions"]
    assert from_tags(found["Tags"]) == {"Name": CLUSTER}


def test_what_is_made_is_what_was_asked_for(run, cloud):
    tasks = {task.key: task for task in network()}
    run(list(tasks.values()))
    client = cloud.client("ec2")
    vpc = our_vpc(client)
    block = ipaddress.ip_network(vpc["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"])
    (subnet,) = client.describe_subnets(SubnetIds=[tasks[f"Subnet/utility.{CLUSTER}"].id])["Subnets"]
    assert subnet["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"] == str(list(block.subnets(8))[1])
    assert subnet["AssignIpv6AddressOnCreation"] is True
    assert subnet["PrivateDnsNameOptionsOnLaunch"]["EnableResourceNameDnsARecord"] is True
    assert vpc["DhcpOptionsId"] == tasks[f"DHCPOptions/{CLUSTER}"].id
    (nat,) = client.describe_nat_gateways(NatGatewayIds=[tasks[f"NatGateway/us-east-1a.{CLUSTER}"].id])["NatGateways"]
    assert nat["NatGatewayAddresses"][0]["AllocationId"] == tasks[f"ElasticIP/us-east-1a.{CLUSTER}"].id
    assert nat["SubnetId"] == subnet["SubnetId"]


def test_a_new_label_is_added_and_foreign_tags_stay(run, cloud, calls):
    run(network())
    client = cloud.client("ec2")
    vpc = our_vpc(client)
    client.create_tags(Resources=[vpc["VpcId"]], Tags=[{"Key": "team", "Value": "blue"}])
    calls.clear()
    changed = run(network(labels={"cost": "7"}))
    assert changed.actions == {f"VPC/{CLUSTER}": "update"}
    assert calls.writes == ["ec2.CreateTags"]
    tags = from_tags(our_vpc(client)["Tags"])
    assert tags["team"] == "blue" and tags["cost"] == "7"
    assert run(network(labels={"cost": "7"})).actions == {}


def test_vpc_attributes_are_switched_back(run, cloud, calls):
    run(network())
    client = cloud.client("ec2")
    client.modify_vpc_attribute(VpcId=our_vpc(client)["VpcId"], EnableDnsHostnames={"Value": False})
    calls.clear()
    changed = run(network())
    assert list(changed.changes[f"VPC/{CLUSTER}"]) == ["enable_dns_hostnames"]
    assert calls.writes == ["ec2.ModifyVpcAttribute"]
    assert run(network()).actions == {}


def test_additional_blocks_come_and_go(run, cloud):
    run(network())
    removed = run(network(extra_cidrs=("10.2.0.0/16",)))
    assert removed.actions == {"VPCCIDRBlock/10.2.0.0/16": "create"}
    assert [(gone.kind, gone.deferred) for gone in removed.deletions] == [("VPCCIDRBlock", False)]
    assert "cidr=10.1.0.0/16" in removed.deletions[0].item
    again = run(network(extra_cidrs=("10.2.0.0/16",)))
    assert again.actions == {} and again.deletions == []


def test_a_block_that_has_gone_meanwhile_counts_as_removed(run, cloud):
    run(network())
    planned = run(network(extra_cidrs=()), apply=False)
    planned.deletions[0].run()
    planned.deletions[0].run()
    assert run(network(extra_cidrs=())).deletions == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"cidr": "10.9.0.0/16"},
            f"VPC/{CLUSTER} exists and cannot be changed in place (cidr: 10.0.0.0/16 -> 10.9.0.0/16)",
        ),
        ({"zone": "us-east-1b"}, "availability_zone: us-east-1a -> us-east-1b"),
        ({"ipv6_cidr": "/64#7"}, f"Subnet/utility.{CLUSTER} has the IPv6 block"),
    ],
)
def test_what_cannot_change_is_refused_before_anything_is_written(run, calls, change, said):
    run(network())
    calls.clear()
    with pytest.raises(PlanError) as refused:
        run(network(**change))
    assert said in str(refused.value)
    assert calls.writes == []


def test_subnet_attributes_change_in_place(run):
    run(network(naming=False, ipv6_cidr=None))
    changed = run(network())
    assert set(changed.changes[f"Subnet/utility.{CLUSTER}"]) == {
        "ipv6_cidr",
        "assign_ipv6_address_on_creation",
        "resource_based_naming",
    }
    assert run(network()).actions == {}


def test_a_subnets_ipv6_block_that_is_no_longer_wanted_is_removed(run):
    run(network())
    changed = run(network(ipv6_cidr=None))
    assert [gone.kind for gone in changed.deletions] == ["SubnetIPv6CIDRBlock"]
    assert run(network(ipv6_cidr=None)).deletions == []


def test_an_association_moves_to_another_table_in_one_call(run, calls):
    run(network())
    calls.clear()
    changed = run(network(nodes_table=CLUSTER))
    assert changed.actions == {f"RouteTableAssociation/private.{CLUSTER}": "update"}
    assert calls.writes == ["ec2.ReplaceRouteTableAssociation"]
    assert run(network(nodes_table=CLUSTER)).actions == {}


def test_a_route_follows_its_next_hop(run, cloud, calls):
    run(network())
    client = cloud.client("ec2")
    tables = client.describe_route_tables(Filters=[{"Name": "tag:Name", "Values": [CLUSTER]}])["RouteTables"]
    peering = client.create_vpc_peering_connection(
        VpcId=our_vpc(client)["VpcId"], PeerVpcId=client.create_vpc(CidrBlock="10.200.0.0/16")["Vpc"]["VpcId"]
    )["VpcPeeringConnection"]["VpcPeeringConnectionId"]
    client.replace_route(
        RouteTableId=tables[0]["RouteTableId"], DestinationCidrBlock="0.0.0.0/0", VpcPeeringConnectionId=peering
    )
    calls.clear()
    assert run(network()).actions == {"Route/0.0.0.0/0": "update"}
    assert calls.writes == ["ec2.ReplaceRoute"]
    assert run(network()).actions == {}


@pytest.mark.parametrize("hops", [{}, {"transit_gateway_id": "tgw-1", "vpc_peering_connection_id": "pcx-1"}])
def test_a_route_has_exactly_one_next_hop(run, hops):
    tasks = network()
    with pytest.raises(PlanError, match="exactly one next hop"):
        run([*tasks, Route("odd", route_table=tasks[8], cidr="192.168.0.0/16", **hops)])


def test_ipv4_does_not_leave_by_an_egress_only_gateway(run):
    tasks = network()
    eigw = next(task for task in tasks if task.kind == "EgressOnlyInternetGateway")
    table = next(task for task in tasks if task.kind == "RouteTable")
    with pytest.raises(PlanError, match="does not carry IPv4"):
        run([*tasks, Route("odd", route_table=table, cidr="1.0.0.0/8", egress_only_internet_gateway=eigw)])


class Killed(Exception):
    """Stands for a SIGKILL: nothing of the process' memory is left."""


def counted_objects(client) -> dict[str, int]:
    filters = [{"Name": "tag-key", "Values": [TAG]}]
    return {
        "vpcs": len(client.describe_vpcs(Filters=filters)["Vpcs"]),
        "dhcp": len(client.describe_dhcp_options(Filters=filters)["DhcpOptions"]),
        "igw": len(client.describe_internet_gateways(Filters=filters)["InternetGateways"]),
        "subnets": len(client.describe_subnets(Filters=filters)["Subnets"]),
        "tables": len(client.describe_route_tables(Filters=filters)["RouteTables"]),
        "addresses": len(client.describe_addresses(Filters=filters)["Addresses"]),
        "nat": len(client.describe_nat_gateways(Filter=filters)["NatGateways"]),
    }


@pytest.mark.long
def test_killed_after_any_write_the_next_run_completes_without_duplicates(new_cloud, run, calls, monkeypatch):
    run(network())
    writes = len(calls.writes)
    client = new_cloud().client("ec2")
    complete = counted_objects(client)
    assert complete == {"vpcs": 1, "dhcp": 1, "igw": 1, "subnets": 2, "tables": 2, "addresses": 1, "nat": 1}
    for survive in range(0, writes, 3):
        request = urllib.request.Request(f"{client.meta.endpoint_url}/moto-api/reset", method="POST")
        urllib.request.urlopen(request)
        _killed_after(new_cloud(), network(), survive)
        run(network())
        assert counted_objects(client) == complete, f"killed after {survive} writes"
        assert run(network()).actions == {}, f"killed after {survive} writes"


def _killed_after(cloud, tasks: list, writes: int) -> None:
    """Let an apply make this many writing calls, then nothing more."""
    done = []

    def stop(model, **_rest) -> None:
        if not model.name.startswith("Describe"):
            if len(done) >= writes:
                raise Killed
            done.append(model.name)

    by_key = {task.key: task for task in tasks}
    plan = make_plan(by_key, cloud)
    events = cloud.client("ec2").meta.events
    events.register("before-call", stop)
    try:
        with pytest.raises(Exception, match="could not be made"):
            apply_plan(plan, cloud)
    finally:
        events.unregister("before-call", stop)


def test_two_objects_of_one_name_are_named_and_not_guessed_between(run, cloud):
    tasks = network()
    run(tasks)
    client = cloud.client("ec2")
    client.create_subnet(
        VpcId=our_vpc(client)["VpcId"],
        CidrBlock="10.0.200.0/24",
        TagSpecifications=[
            {
                "ResourceType": "subnet",
                "Tags": [{"Key": key, "Value": value} for key, value in owned(f"utility.{CLUSTER}").items()],
            }
        ],
    )
    with pytest.raises(PlanError, match=f"several objects are named utility.{CLUSTER} .*: subnet-"):
        run(network())


def test_a_vpc_without_cidr_is_refused(run, calls):
    with pytest.raises(PlanError, match="a VPC needs a CIDR"):
        run([VPC(CLUSTER, tags=owned(CLUSTER))])
    assert calls.writes == []
