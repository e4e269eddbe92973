# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record sets of Route 53, read and written with the role of a control plane."""

from __future__ import annotations

import itertools
import json
import urllib.parse
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import api
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.api import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.route53 import HostedZone
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

_NUMBERS = itertools.count()


class Zones:
    """The zones of a test, all with one name. rights: of the role, to the first of them."""

    def __init__(self, server: AWSServer) -> None:
        self.route53, self.iam = server.client("route53"), server.client("iam")
        self.name = f"z{next(_NUMBERS)}.example.com"
        self.made: list[str] = []

    def make(self, private: bool = False) -> str:
        vpc = {"VPC": {"VPCRegion": "us-east-1", "VPCId": "vpc-1"}} if private else {}
        made = self.route53.create_hosted_zone(
            Name=self.name, CallerReference=str(next(_NUMBERS)), HostedZoneConfig={"PrivateZone": private}, **vpc
        )["HostedZone"]["Id"].rpartition("/")[2]
        self.made.append(made)
        actions = ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets", "route53:GetHostedZone"]
        statements = [
            {"Effect": "Allow", "Action": actions, "Resource": f"arn:aws:route53:::hostedzone/{self.made[0]}"},
            {"Effect": "Allow", "Action": ["route53:ListHostedZones"], "Resource": "*"},
        ]
        policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
        self.iam.put_role_policy(RoleName="masters", PolicyName="zone", PolicyDocument=policy)
        return str(made)

    def put(self, zone: str, **record: Any) -> None:
        change = {"Changes": [{"Action": "UPSERT", "ResourceRecordSet": record}]}
        self.route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch=change)

    def sets(self, zone: str) -> dict[tuple[str, str], Any]:
        found = self.route53.list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
        return {(each["Name"].rstrip("."), each["Type"]): each for each in found if each["Type"] not in ("NS", "SOA")}


@pytest.fixture()
def zones(server: AWSServer) -> Iterator[Zones]:
    made = Zones(server)
    yield made
    server.client("iam").delete_role_policy(RoleName="masters", PolicyName="zone")


@pytest.mark.parametrize("by", ["name", "id"])
def test_records_are_written_in_one_batch_and_read_back(aws: AWS, zones: Zones, server: AWSServer, by: str) -> None:
    zone_id = zones.make()
    zone = HostedZone(aws, zones.name if by == "name" else zone_id, private=False)
    name = f"api.internal.{zones.name}"
    zones.put(zone_id, Name=name, Type="A", TTL=10, ResourceRecords=[{"Value": "203.0.113.123"}])
    assert zone.find(name, "A") == RecordSet(name, "A", ("203.0.113.123",))
    wanted = [RecordSet(name, "A", ("10.0.0.1", "10.0.0.2")), RecordSet(name, "AAAA", ("2001:db8::1",))]
    with server.recorded() as calls:
        zone.write(wanted, 60)
    assert calls == {"route53.Post": 1}
    assert [zone.find(name, each.type) for each in wanted] == wanted
    found = zones.sets(zone_id)
    assert {key: each["TTL"] for key, each in found.items()} == {(name, "A"): 60, (name, "AAAA"): 60}


def test_a_name_that_is_not_there_is_not_the_next_one(aws: AWS, zones: Zones) -> None:
    zone_id = zones.make()
    zones.put(zone_id, Name=f"b.{zones.name}", Type="A", TTL=10, ResourceRecords=[{"Value": "10.0.0.1"}])
    zone = HostedZone(aws, zones.name, private=False)
    assert zone.find(f"a.{zones.name}", "A") is None
    assert zone.find(f"b.{zones.name}", "AAAA") is None


def test_an_alias_is_told_from_addresses(aws: AWS, zones: Zones) -> None:
    zone_id = zones.make()
    target = {"HostedZoneId": "Z1", "DNSName": "balancer.example.com.", "EvaluateTargetHealth": False}
    name = f"api.{zones.name}"
    zones.put(zone_id, Name=name, Type="A", AliasTarget=target)
    found = HostedZone(aws, zones.name, private=False).find(name, "A")
    assert found == RecordSet(name, "A", (), "balancer.example.com")


@pytest.mark.parametrize("private", [False, True])
def test_a_private_and_a_public_zone_of_one_name_are_told_apart(aws: AWS, zones: Zones, private: bool) -> None:
    made = zones.make(private=private)
    other = zones.make(private=not private)
    HostedZone(aws, zones.name, private=private).write([RecordSet(f"a.{zones.name}", "A", ("10.0.0.1",))], 60)
    assert (len(zones.sets(made)), len(zones.sets(other))) == (1, 0)


def test_no_zone_and_two_zones_are_errors_that_say_so(aws: AWS, zones: Zones) -> None:
    first, second = sorted((zones.make(), zones.make()))
    with pytest.raises(KopsError, match=f"has no public hosted zone no-{zones.name}"):
        HostedZone(aws, f"no-{zones.name}", private=False).find("a", "A")
    with pytest.raises(KopsError, match=f"several public hosted zones {zones.name} .{first}, {second}."):
        HostedZone(aws, zones.name, private=False).find("a", "A")


def test_the_role_has_no_rights_to_other_zones(aws: AWS, zones: Zones) -> None:
    zones.make()
    other = zones.make()
    zone = HostedZone(aws, other, private=False)
    with pytest.raises(ServiceError) as error:
        zone.write([RecordSet(f"a.{zones.name}", "A", ("10.0.0.1",))], 60)
    assert error.value.status == 403
    assert zones.sets(other) == {}


@pytest.mark.parametrize(
    ("partition", "host", "region"),
    [
        ("aws", "route53.amazonaws.com", "us-east-1"),
        ("aws-cn", "route53.amazonaws.com.cn", "cn-northwest-1"),
        ("aws-us-gov", "route53.us-gov.amazonaws.com", "us-gov-west-1"),
    ],
)
def test_each_partition_has_one_endpoint(
    aws: AWS, service: Any, monkeypatch: pytest.MonkeyPatch, partition: str, host: str, region: str
) -> None:
    """As the SDK has them; requests are signed for the region of the endpoint."""
    sent: list[tuple[str, str]] = []

    def send(_method: str, url: str, _body: bytes | None, headers: dict[str, str]) -> bytes:
        sent.append((urllib.parse.urlsplit(url).netloc, headers["authorization"].split("/")[2]))
        return b"<ListResourceRecordSetsResponse/>"

    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.setattr(api, "send", send)
    service.paths["meta-data/services/partition"] = partition
    assert HostedZone(aws, "Z1", private=False).find("a.example.com", "A") is None
    assert sent == [(host, region)]


def test_zones_come_in_pages(aws: AWS, monkeypatch: pytest.MonkeyPatch) -> None:
    def page(number: int) -> str:
        zone = f"<HostedZone><Id>/hostedzone/Z{number}</Id><Name>z{number}.example.com.</Name></HostedZone>"
        more = f"<IsTruncated>true</IsTruncated><NextMarker>Z{number + 1}</NextMarker>" if number < 3 else ""
        return f"<ListHostedZonesResponse><HostedZones>{zone}</HostedZones>{more}</ListHostedZonesResponse>"

    asked: list[str] = []

    def rest(_service: str, _region: str, _method: str, url: str, *_more: Any) -> ElementTree.Element:
        asked.append(url.partition("/2013-04-01/")[2])
        number = int(url.rpartition("marker=Z")[2]) if "marker=" in url else 1
        return ElementTree.fromstring(page(number))

    monkeypatch.setattr(aws, "rest", rest)
    HostedZone(aws, "z3.example.com", private=False).find("a.z3.example.com", "A")
    assert asked == [
        "hostedzone",
        "hostedzone?marker=Z2",
        "hostedzone?marker=Z3",
        "hostedzone/Z3/rrset?name=a.z3.example.com&type=A&maxitems=1",
    ]
