# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instances of a cluster, as the role of a control plane sees them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import cluster_instances
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.api import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.cluster_instances import AWSInstances
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support import instances_contract as contract
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

from .conftest import INSTANCE, take_role, without_filters

_NUMBERS = itertools.count()
LABEL = "k8s.io/cluster-autoscaler/node-template/label/"
# What EC2 says of an instance of a cluster with IPv6 only; moto gives out no prefixes.
WITH_PREFIX = """
<DescribeInstancesResponse><reservationSet><item><instancesSet><item>
  <instanceId>i-0123456789abcdef0</instanceId><privateDnsName>i-0123456789abcdef0.ec2.internal</privateDnsName>
  <instanceState><code>16</code><name>running</name></instanceState><instanceLifecycle>spot</instanceLifecycle>
  <privateIpAddress>10.0.0.7</privateIpAddress><ipAddress>54.0.0.7</ipAddress>
  <networkInterfaceSet>
    <item><attachment><deviceIndex>1</deviceIndex></attachment>
      <ipv6AddressesSet><item><ipv6Address>2001:db8::2</ipv6Address></item></ipv6AddressesSet>
      <ipv6PrefixesSet><item><ipv6Prefix>2001:db8:0:1:2::/80</ipv6Prefix></item></ipv6PrefixesSet></item>
    <item><attachment><deviceIndex>0</deviceIndex></attachment>
      <ipv6AddressesSet><item><ipv6Address>2001:db8::1</ipv6Address></item></ipv6AddressesSet>
      <ipv6PrefixesSet><item><ipv6Prefix>2001:db8:0:1:1::/80</ipv6Prefix></item></ipv6PrefixesSet></item>
  </networkInterfaceSet>
  <tagSet><item><key>KubernetesCluster</key><value>demo</value></item></tagSet>
</item></instancesSet></item></reservationSet></DescribeInstancesResponse>
"""


class Region:
    """A cluster's instances."""

    def __init__(self, server: AWSServer, aws: AWS) -> None:
        self.ec2, self.cluster = server.client("ec2"), f"i{next(_NUMBERS)}.example.com"
        self.instances = AWSInstances(aws, self.cluster)

    def start(self, cluster: str = "", **tags: str) -> str:
        given = {"KubernetesCluster": cluster or self.cluster, "kops.k8s.io/instancegroup": "nodes-a", **tags}
        found = [{"Key": key, "Value": value} for key, value in given.items()]
        started = self.ec2.run_instances(
            ImageId="ami-12345678",
            MinCount=1,
            MaxCount=1,
            TagSpecifications=[{"ResourceType": "instance", "Tags": found}],
        )
        return str(started["Instances"][0]["InstanceId"])


@pytest.fixture()
def region(server: AWSServer, aws: AWS) -> Iterator[Region]:
    yield Region(server, aws)


class Party:
    """A cluster of AWS, for the contract of instances."""

    group = "nodes-a"

    def __init__(self, region: Region) -> None:
        self.region = region

    def instances(self) -> AWSInstances:
        return self.region.instances

    def start(self, role: str, *, foreign: bool = False) -> str:
        tags = {"k8s.io/role/control-plane": "1"} if role == contract.SERVER else {}
        return self.region.start("another.example.com" if foreign else "", **tags)

    def end(self, instance: str) -> None:
        self.region.ec2.terminate_instances(InstanceIds=[instance])


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(region: Region, check: Callable[[contract.Party], None]) -> None:
    check(Party(region))


def test_instances_have_groups_labels_roles_and_addresses(region: Region) -> None:
    worker = region.start(**{f"{LABEL}team": "red", f"{LABEL}node-role.kubernetes.io/node": "", "team": "not a label"})
    server = region.start(**{"k8s.io/role/control-plane": "1", "kops.k8s.io/instancegroup": "control-plane-a"})
    region.start("another.example.com")
    found = region.instances.all()
    assert found.keys() == {worker, server}
    assert found[worker].tagged_labels == {"team": "red", "node-role.kubernetes.io/node": ""}
    assert (found[worker].labels, found[worker].role, found[worker].group) == ({}, "", "nodes-a")
    assert (found[server].role, found[server].group) == ("ControlPlane", "control-plane-a")
    said = region.ec2.describe_instances(InstanceIds=[worker])["Reservations"][0]["Instances"][0]
    assert found[worker].internal == (said["PrivateIpAddress"],)
    assert found[worker].external == (said["PublicIpAddress"],)
    assert found[worker].host_name == said["PrivateDnsName"]


def test_their_own_tags_decide_where_a_server_passes_over_filters(
    region: Region, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = region.start()
    region.start("another.example.com", **{"k8s.io/role/control-plane": "1"})
    without_filters(region.instances.aws, monkeypatch)
    assert region.instances.all().keys() == {worker}
    assert not region.instances.servers()
    assert region.instances.existing({worker}) == {worker}


def test_those_that_serve_the_api_can_be_asked_for_alone(region: Region) -> None:
    region.start()
    server = region.start(**{"k8s.io/role/control-plane": "1"})
    alone = region.start(**{"k8s.io/role/apiserver": "1"})
    assert region.instances.servers().keys() == {server, alone}


def test_stopped_and_terminated_ones_are_told_apart(region: Region) -> None:
    stopped, terminated = region.start(), region.start()
    region.ec2.stop_instances(InstanceIds=[stopped])
    region.ec2.terminate_instances(InstanceIds=[terminated])
    found = region.instances.all()
    assert (found[stopped].runs, found[stopped].is_terminated) == (False, False)
    assert (found[terminated].runs, found[terminated].is_terminated) == (False, True)


def test_what_exists_is_asked_without_tags_and_many_at_once(
    region: Region, server: AWSServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_instances, "_FILTER_VALUES", 2)
    running, stopped, terminated, foreign = (region.start() for _number in range(4))
    region.ec2.stop_instances(InstanceIds=[stopped])
    region.ec2.terminate_instances(InstanceIds=[terminated])
    region.ec2.delete_tags(Resources=[foreign], Tags=[{"Key": "KubernetesCluster"}])
    assert foreign not in region.instances.all()
    with server.recorded() as calls:
        found = region.instances.existing({running, stopped, terminated, foreign, "i-0ffffffffffffffff"})
    assert found == {running, stopped, foreign}
    assert calls == {"ec2.DescribeInstances": 3}


def test_they_come_in_pages(region: Region, server: AWSServer, monkeypatch: pytest.MonkeyPatch) -> None:
    started = {region.start() for _number in range(12)}
    monkeypatch.setattr(cluster_instances, "_PAGE", "5")
    with server.recorded() as calls:
        assert region.instances.all().keys() == started
    assert calls == {"ec2.DescribeInstances": 3}


def test_a_page_that_is_refused_is_an_error(
    region: Region, server: AWSServer, service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    region.start()
    take_role(server, service, "nodes")
    monkeypatch.setattr(region.instances.aws.metadata, "_known", None)
    with pytest.raises(ServiceError) as error:
        region.instances.all()
    assert error.value.status == 403


def test_the_prefix_is_that_of_the_first_interface(aws: AWS, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws, "pages", lambda *_request: [ElementTree.fromstring(WITH_PREFIX)])
    found = AWSInstances(aws, "demo").all()["i-0123456789abcdef0"]
    assert found.pod_range == "2001:db8:0:1:1::/80"
    assert found.internal == ("10.0.0.7", "2001:db8::1")
    assert found.external == ("54.0.0.7", "2001:db8::1")
    assert found.labels == {"node-role.kubernetes.io/spot-worker": "true"}


def test_it_knows_its_own(region: Region) -> None:
    assert region.instances.own_id() == INSTANCE
