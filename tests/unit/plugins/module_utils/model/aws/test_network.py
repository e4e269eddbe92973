# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: gateways, subnets, and the way out of each."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

PRIVATE_ROUTE = "Route/private-us-east-1a-0.0.0.0/0"


def subnets(**fields):
    """The two subnets of the small cluster, the private one with fields of its own."""
    return [
        {"name": "utility-a", "zone": "us-east-1a", "type": "Utility", "cidr": "172.20.0.0/22"},
        {"name": "a", "zone": "us-east-1a", "type": "Private", "cidr": "172.20.32.0/19", **fields},
    ]


def subnet_model(model, fields=None, **private):
    return model({"networking.subnets": subnets(**private), **(fields or {})})


def kinds(tasks):
    return {task.kind for task in tasks.values()}


def test_private_subnets_leave_through_a_gateway_of_their_own(model):
    tasks = model()
    gateway = tasks["NatGateway/us-east-1a.demo.example.com"]
    assert gateway.subnet is tasks["Subnet/utility-a.demo.example.com"]
    assert gateway.elastic_ip is tasks["ElasticIP/us-east-1a.demo.example.com"]
    assert tasks[PRIVATE_ROUTE].nat_gateway is gateway
    table = tasks["RouteTableAssociation/private-a.demo.example.com"].route_table
    assert table is tasks["RouteTable/private-us-east-1a.demo.example.com"]
    assert tasks["RouteTableAssociation/utility-a.demo.example.com"].route_table is tasks["RouteTable/demo.example.com"]


@pytest.mark.parametrize(
    ("region", "domain"), [("us-east-1", "ec2.internal"), ("eu-west-1", "eu-west-1.compute.internal")]
)
def test_dhcp_domain_is_that_of_the_region(context_of, model, region, domain):
    facts = context_of().facts
    facts.region = region
    assert model(facts=facts)["DHCPOptions/demo.example.com"].domain_name == domain


@pytest.mark.parametrize(
    ("shared", "flags", "wanted"),
    [
        (False, {"VPCSkipEnableDNSSupport"}, True),
        (True, set(), True),
        (True, {"VPCSkipEnableDNSSupport"}, None),
    ],
)
def test_a_shared_vpc_needs_dns_support_unless_it_is_waived(model, shared, flags, wanted):
    fields = {"networking.networkID": "vpc-1"} if shared else {}
    assert model(fields, features=frozenset(flags))["VPC/demo.example.com"].enable_dns_support is wanted


def test_given_gateway_is_used(model):
    tasks = subnet_model(model, egress="nat-1")
    gateway = tasks["NatGateway/us-east-1a.demo.example.com"]
    assert (gateway.id, gateway.shared) == ("nat-1", True)
    assert "ElasticIP" not in kinds(tasks)


def test_given_address_is_used(model):
    tasks = subnet_model(model, egress="eipalloc-1")
    address = tasks["ElasticIP/us-east-1a.demo.example.com"]
    assert (address.id, address.shared) == ("eipalloc-1", True)
    assert tasks["NatGateway/us-east-1a.demo.example.com"].elastic_ip is address


def test_public_ip_names_an_address_that_exists(model):
    address = subnet_model(model, publicIP="192.0.2.1")["ElasticIP/us-east-1a.demo.example.com"]
    assert address.public_ip == "192.0.2.1"
    assert "Name" not in address.tags


@pytest.mark.parametrize(
    ("egress", "hop"), [("tgw-1", lambda route: route.transit_gateway_id), ("i-1", lambda route: route.instance.id)]
)
def test_other_ways_out(model, egress, hop):
    tasks = subnet_model(model, egress=egress)
    assert hop(tasks[PRIVATE_ROUTE]) == egress
    assert "NatGateway" not in kinds(tasks)


def test_unmanaged_subnets_get_no_routes(model):
    tasks = subnet_model(model, egress="External")
    assert PRIVATE_ROUTE not in tasks
    assert "RouteTableAssociation/private-a.demo.example.com" not in tasks
    assert "InternetGateway/demo.example.com" in tasks


def test_unknown_way_out_is_refused(model):
    with pytest.raises(KopsError, match=r"zone us-east-1a: egress 'vpn-1'.*nat-"):
        subnet_model(model, egress="vpn-1")


def test_subnets_of_a_zone_must_agree(model):
    both = [*subnets(egress="nat-1"), {**subnets()[1], "name": "b", "cidr": "172.20.64.0/19"}]
    with pytest.raises(KopsError, match="must agree"):
        model({"networking.subnets": both})


def test_a_zone_without_utility_subnet_has_no_place_for_its_gateway(model):
    with pytest.raises(KopsError, match="one subnet of type Utility"):
        model({"networking.subnets": subnets()[1:]})


@pytest.mark.parametrize(
    ("target", "hop"),
    [
        ("pcx-1", lambda route: route.vpc_peering_connection_id),
        ("tgw-1", lambda route: route.transit_gateway_id),
        ("i-1", lambda route: route.instance.id),
        ("nat-1", lambda route: route.nat_gateway.id),
        ("igw-1", lambda route: route.internet_gateway.id),
        ("eigw-1", lambda route: route.egress_only_internet_gateway.id),
    ],
)
def test_additional_routes(model, target, hop):
    tasks = subnet_model(model, additionalRoutes=[{"cidr": "192.0.2.0/24", "target": target}])
    assert hop(tasks["Route/a.192.0.2.0/24"]) == target


def test_additional_route_to_nowhere_is_refused(model):
    with pytest.raises(KopsError, match="subnet a: route to 192.0.2.0/24"):
        subnet_model(model, additionalRoutes=[{"cidr": "192.0.2.0/24", "target": "x-1"}])


def test_shared_network_is_neither_tagged_nor_changed(model):
    tasks = model({"networking.networkID": "vpc-1"})
    vpc = tasks["VPC/demo.example.com"]
    assert (vpc.id, vpc.shared, vpc.tags) == ("vpc-1", True, None)
    assert not kinds(tasks) & {"DHCPOptions", "VPCAmazonIPv6CIDRBlock", "VPCCIDRBlock"}
    assert tasks["InternetGateway/demo.example.com"].shared is True


def test_shared_subnets_bring_their_routes(model):
    shared = [{**subnet, "id": f"subnet-{index}"} for index, subnet in enumerate(subnets())]
    tasks = model({"networking.networkID": "vpc-1", "networking.subnets": shared})
    assert not kinds(tasks) & {"RouteTable", "Route", "RouteTableAssociation", "NatGateway"}
    assert tasks["Subnet/a.demo.example.com"].id == "subnet-1"


def test_subnet_waits_for_the_additional_block_that_it_lies_in(model):
    blocks = {"networking.additionalNetworkCIDRs": ["10.1.0.0/16", "10.2.0.0/16"]}
    tasks = subnet_model(model, blocks, cidr="10.2.32.0/19")
    assert tasks["Subnet/a.demo.example.com"].vpccidr_block is tasks["VPCCIDRBlock/10.2.0.0/16"]
    assert tasks["Subnet/utility-a.demo.example.com"].vpccidr_block is None


def test_load_balancer_tags_go_to_one_kind_of_subnet_a_zone(model):
    tasks = model()
    assert "kubernetes.io/role/internal-elb" in tasks["Subnet/a.demo.example.com"].tags
    assert "kubernetes.io/role/internal-elb" not in tasks["Subnet/utility-a.demo.example.com"].tags
    public = [{"name": "a", "zone": "us-east-1a", "type": "Public", "cidr": "172.20.0.0/19"}]
    tags = model({"networking.subnets": public})["Subnet/a.demo.example.com"].tags
    assert {"kubernetes.io/role/elb", "kubernetes.io/role/internal-elb"} <= tags.keys()


def test_subnet_tags_can_be_left_to_others(model):
    assert model({"networking.tagSubnets": False})["Subnet/a.demo.example.com"].tags == {}


def test_ipv6_pods_reach_both_worlds(model):
    dual = {**subnets(ipv6CIDR="/64#1")[1], "type": "DualStack"}
    public = {"name": "p", "zone": "us-east-1b", "type": "Public", "cidr": "172.20.64.0/19", "ipv6CIDR": "/64#2"}
    tasks = model({"networking.nonMasqueradeCIDR": "::/0", "networking.subnets": [subnets()[0], dual, public]})
    assert tasks["Route/private-us-east-1a-64:ff9b::/96"].nat_gateway
    outward = tasks["Route/private-us-east-1a-::/0"]
    assert outward.egress_only_internet_gateway is tasks["EgressOnlyInternetGateway/demo.example.com"]
    assert tasks["NatGateway/us-east-1b.demo.example.com"].subnet is tasks["Subnet/p.demo.example.com"]
    table = tasks["RouteTableAssociation/public-p.demo.example.com"].route_table
    assert table is tasks["RouteTable/public-us-east-1b.demo.example.com"]
    assert "kubernetes.io/role/internal-elb" not in tasks["Subnet/p.demo.example.com"].tags


def test_node_names_decide_host_names(model):
    assert model()["Subnet/a.demo.example.com"].resource_based_naming is True
    named_by_ip = model({"cloudProvider.aws.useIPBasedNodeNames": True})
    assert named_by_ip["Subnet/a.demo.example.com"].resource_based_naming is False
