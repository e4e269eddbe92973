# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Terraform form of the network, beside what kops writes for the same objects."""

from __future__ import annotations

import pathlib
import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dhcp_options import DHCPOptions
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_name import DNSName
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_zone import DNSZone
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.ebs_volume import EBSVolume
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.egress_only_internet_gateway import (
    EgressOnlyInternetGateway,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.elastic_ip import ElasticIP
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.instance import Instance
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.internet_gateway import InternetGateway
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.nat_gateway import NatGateway
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.route import Route
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.route_table import RouteTable
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.route_table_association import (
    RouteTableAssociation,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group import SecurityGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group_rule import SecurityGroupRule
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc_amazon_ipv6_cidr_block import (
    VPCAmazonIPv6CIDRBlock,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc_cidr_block import VPCCIDRBlock
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc_dhcp_options_association import (
    VPCDHCPOptionsAssociation,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task


def render(*tasks: Task) -> str:
    target = TerraformTarget(PROVIDERS[AWS], {"region": "us-test-1"})
    return target.render(tasks)["kubernetes.tf"].decode()


def blocks(text: str, kinds: str = "resource|data|output") -> list[str]:
    return re.findall(rf"^(?:{kinds}) .*?^}}\n", text, re.MULTILINE | re.DOTALL)


def owned(cluster: str, name: str, **more: str) -> dict[str, str]:
    return {"Name": name, "KubernetesCluster": cluster, f"kubernetes.io/cluster/{cluster}": "owned", **more}


def ipv6_network() -> list[Task]:
    cluster = "minimal-ipv6.example.com"
    key = f"kubernetes.{cluster}-c4:a6:ed:9a:a8:89:b9:e2:c3:9c:d6:63:eb:9c:71:57"
    vpc = VPC(
        cluster,
        cidr="172.20.0.0/16",
        amazon_ipv6=True,
        enable_dns_hostnames=True,
        enable_dns_support=True,
        tags=owned(cluster, cluster),
    )
    dhcp = DHCPOptions(
        cluster,
        domain_name="us-test-1.compute.internal",
        domain_name_servers="AmazonProvidedDNS",
        tags=owned(cluster, cluster),
    )
    zone = f"us-test-1a.{cluster}"
    subnet = Subnet(
        zone,
        short_name="us-test-1a",
        vpc=vpc,
        availability_zone="us-test-1a",
        ipv6_cidr="2001:db8:0:111::/64",
        resource_based_naming=True,
        tags=owned(cluster, zone, SubnetType="Private"),
    )
    utility = Subnet(f"utility-us-test-1a.{cluster}", vpc=vpc)
    igw = InternetGateway(cluster, vpc=vpc, tags=owned(cluster, cluster))
    eigw = EgressOnlyInternetGateway(cluster, vpc=vpc, tags=owned(cluster, cluster))
    public = RouteTable(cluster, vpc=vpc, tags=owned(cluster, cluster, **{"kubernetes.io/kops/role": "public"}))
    private_name = f"private-us-test-1a.{cluster}"
    private = RouteTable(
        private_name,
        vpc=vpc,
        tags=owned(cluster, private_name, **{"kubernetes.io/kops/role": "private-us-test-1a"}),
    )
    eip = ElasticIP(zone, tags=owned(cluster, zone))
    nat = NatGateway(zone, subnet=utility, elastic_ip=eip, tags=owned(cluster, zone))
    masters, nodes = (
        SecurityGroup(
            f"{role}.{cluster}",
            vpc=vpc,
            description=f"Security group for {role}",
            tags=owned(cluster, f"{role}.{cluster}"),
        )
        for role in ("masters", "nodes")
    )
    volume = f"us-test-1a.etcd-main.{cluster}"
    roles = {"k8s.io/role/control-plane": "1", "k8s.io/role/master": "1", "k8s.io/etcd/main": "us-test-1a/us-test-1a"}
    balancer = Task(f"api.{cluster}")
    return [
        vpc,
        VPCAmazonIPv6CIDRBlock("AmazonIPv6", vpc=vpc),
        dhcp,
        VPCDHCPOptionsAssociation(cluster, vpc=vpc, dhcp_options=dhcp),
        subnet,
        igw,
        eigw,
        public,
        private,
        eip,
        nat,
        masters,
        nodes,
        Route("0.0.0.0/0", route_table=public, cidr="0.0.0.0/0", internet_gateway=igw),
        Route("private-us-test-1a-0.0.0.0/0", route_table=private, cidr="0.0.0.0/0", nat_gateway=nat),
        Route("private-us-test-1a-::/0", route_table=private, ipv6_cidr="::/0", egress_only_internet_gateway=eigw),
        RouteTableAssociation(private_name, route_table=private, subnet=subnet),
        SecurityGroupRule(
            f"from-nodes.{cluster}-ingress-4-0to0-masters.{cluster}",
            security_group=masters,
            source_group=nodes,
            protocol="4",
        ),
        SecurityGroupRule(
            f"from-nodes.{cluster}-ingress-all-0to0-nodes.{cluster}", security_group=nodes, source_group=nodes
        ),
        SecurityGroupRule(
            f"from-nodes.{cluster}-egress-all-0to0-::/0", security_group=nodes, ipv6_cidr="::/0", egress=True
        ),
        SecurityGroupRule(
            f"from-0.0.0.0/0-ingress-tcp-22to22-nodes.{cluster}",
            security_group=nodes,
            cidr="0.0.0.0/0",
            protocol="tcp",
            from_port=22,
            to_port=22,
        ),
        EBSVolume(
            volume,
            availability_zone="us-test-1a",
            encrypted=False,
            size_gb=20,
            volume_iops=3000,
            volume_throughput=125,
            volume_type="gp3",
            tags=owned(cluster, volume, **roles),
        ),
        SSHKey(key, public_key="ssh-rsa AAAA me", tags=owned(cluster, cluster)),
        DNSName(
            f"api.{cluster}",
            zone=DNSZone("example.com", zone_id="Z1AFAKE1ZON3YO"),
            resource_name=f"api.{cluster}",
            resource_type="A",
            target_load_balancer=balancer,
        ),
    ]


def unaligned(text: str) -> str:
    return re.sub(r" += ", " = ", text)


PROTECTION = "  lifecycle {\n    prevent_destroy = true\n  }\n"
KEPT_KEY = "  lifecycle {\n    ignore_changes = [public_key]\n  }\n"


def test_every_block_is_as_kops_writes_it(golden: pathlib.Path):
    # Two cases of one cluster name: the second one's network adds a rule.
    cases = ("minimal-ipv6", "minimal-ipv6-calico")
    expected = "".join((golden / "update_cluster" / case / "kubernetes.tf").read_text() for case in cases)
    # What keeps volumes of etcd, and keys that were imported, is not kops', and shifts columns: tests look at it.
    written = blocks(render(*ipv6_network()).replace(PROTECTION, "").replace(KEPT_KEY, ""))
    assert len(written) > 25
    assert [block for block in written if unaligned(block) not in unaligned(expected)] == []


def test_a_network_that_exists_is_referred_to_by_id(golden: pathlib.Path):
    expected = (golden / "update_cluster" / "private-shared-subnet" / "kubernetes.tf").read_text()
    cluster = "private-shared-subnet.example.com"
    vpc = VPC(cluster, id="vpc-12345678", shared=True)
    private = Subnet(f"us-test-1a.{cluster}", short_name="us-test-1a", id="subnet-12345678", vpc=vpc, shared=True)
    utility = Subnet(
        f"utility-us-test-1a.{cluster}", short_name="utility-us-test-1a", id="subnet-abcdef", vpc=vpc, shared=True
    )
    written = blocks(render(vpc, private, utility))
    assert len(written) == 8
    assert [block for block in written if block not in expected] == []


def test_shared_gateways_stand_in_routes_by_id():
    vpc = VPC("c", id="vpc-1", shared=True)
    table = RouteTable("c", vpc=vpc)
    hops = {
        "internet_gateway": InternetGateway("c", id="igw-1", vpc=vpc, shared=True),
        "egress_only_internet_gateway": EgressOnlyInternetGateway("c", id="eigw-1", vpc=vpc, shared=True),
        "nat_gateway": NatGateway("c", id="nat-1", shared=True),
        "instance": Instance("i-1", id="i-1", shared=True),
        "transit_gateway_id": "tgw-1",
        "vpc_peering_connection_id": "pcx-1",
    }
    routes = [Route(name, route_table=table, ipv6_cidr="2001:db8::/64", **{name: hop}) for name, hop in hops.items()]
    text = render(*(hop for hop in hops.values() if isinstance(hop, Task)), *routes)
    assert "resource" in text and "aws_internet_gateway" not in text and "aws_nat_gateway" not in text
    for argument, identifier in {
        "gateway_id": "igw-1",
        "egress_only_gateway_id": "eigw-1",
        "nat_gateway_id": "nat-1",
        "instance_id": "i-1",
        "transit_gateway_id": "tgw-1",
        "vpc_peering_connection_id": "pcx-1",
    }.items():
        assert re.search(rf'^ +{argument} += "{identifier}"$', text, re.MULTILINE)


@pytest.mark.parametrize("kind", [InternetGateway, EgressOnlyInternetGateway])
def test_a_shared_gateway_that_was_not_found_cannot_be_referred_to(kind):
    with pytest.raises(KopsError, match="has no .*internet gateway to refer to"):
        kind("c", shared=True).terraform_link()


def test_shared_addresses_groups_and_keys_are_not_written():
    group = SecurityGroup("sg", id="sg-1", shared=True)
    text = render(ElasticIP("c", id="eipalloc-1", shared=True), group, SSHKey("mine", shared=True))
    assert blocks(text, "resource") == []
    assert (group.terraform_link(), SSHKey("mine").terraform_link()) == ("sg-1", "mine")
    assert ElasticIP("c", id="eipalloc-1", shared=True).terraform_link() == "eipalloc-1"


def test_ipv6_subnets_are_cut_from_the_vpcs_block():
    vpc = VPC("c", cidr="10.0.0.0/16")
    text = render(Subnet("s", vpc=vpc, cidr="10.0.1.0/24", ipv6_cidr="/64#1a", resource_based_naming=False))
    assert "cidrsubnet(local.vpc_ipv6_cidr_block, 64 - local.vpc_ipv6_cidr_length, 26)" in text
    assert '"ip-name"' in text and "ipv6_native" not in text


def test_additional_blocks_and_volumes_that_begin_with_a_digit():
    vpc = VPC("c", cidr="10.0.0.0/16")
    text = render(
        VPCCIDRBlock("10.1.0.0/16", vpc=vpc, cidr_block="10.1.0.0/16"), EBSVolume("1.etcd-main.c", size_gb=20)
    )
    assert 'resource "aws_vpc_ipv4_cidr_block_association" "cidr-10-1-0-0--16"' in text
    assert 'resource "aws_ebs_volume" "ebs-1-etcd-main-c"' in text


def test_terraform_never_destroys_a_volume_of_etcd():
    (written,) = blocks(render(EBSVolume("a.etcd-main.c", size_gb=20, availability_zone="us-test-1a")), "resource")
    assert PROTECTION in written


def test_terraform_does_not_replace_a_key_whose_text_aws_does_not_say():
    (written,) = blocks(render(SSHKey("kubernetes.c-aa:bb", public_key="ssh-rsa AAAA me")), "resource")
    assert KEPT_KEY in written


def test_a_private_zone_is_shown_to_the_vpc_unless_it_is_already(golden: pathlib.Path):
    expected = (golden / "update_cluster" / "privatedns1" / "kubernetes.tf").read_text()
    vpc = VPC("privatedns1.example.com")
    zone = DNSZone("internal.example.com", zone_id="Z2AFAKE1ZON3NO", private=True, private_vpc=vpc)
    (written,) = blocks(render(zone), "resource")
    assert written in expected
    zone.associated = True
    assert blocks(render(zone), "resource") == []


def test_terraform_creates_no_zones():
    with pytest.raises(KopsError, match="create the zone first"):
        render(DNSZone("example.com", dns_name="example.com"))
