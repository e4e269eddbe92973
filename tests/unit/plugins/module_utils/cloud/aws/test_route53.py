# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosted zones and the records in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unittest.mock import Mock

import botocore.exceptions
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_name import DNSName
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_placeholder import DNSPlaceholder
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_zone import DNSZone
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task, TryAgainLater

CLUSTER = "demo.example.com"


@dataclass(eq=False)
class Balancer(Task):
    """A load balancer that exists."""

    dns_name: str | None = None
    hosted_zone_id: str | None = "Z26RNL4JYFTOTI"

    def find(self, cloud) -> Balancer:
        return self


def make_zone(cloud, name: str = "example.com", vpc: str | None = None) -> str:
    private = {"VPC": {"VPCRegion": "us-east-1", "VPCId": vpc}} if vpc else {}
    answer = cloud.client("route53").create_hosted_zone(
        Name=name, CallerReference=f"{name}{vpc}", HostedZoneConfig={"PrivateZone": bool(vpc)}, **private
    )
    return answer["HostedZone"]["Id"].rsplit("/", 1)[-1]


def records(zone: DNSZone, dns_name: str | None = "api-1.elb.us-east-1.amazonaws.com") -> list:
    balancer = Balancer(f"api.{CLUSTER}", dns_name=dns_name)
    names = [f"api.{CLUSTER}", f"api.internal.{CLUSTER}"]
    return [
        zone,
        balancer,
        *(
            DNSName(f"{name}-{kind}", zone=zone, resource_name=name, resource_type=kind, target_load_balancer=balancer)
            for name in names
            for kind in ("A", "AAAA")
        ),
    ]


def test_records_are_made_once_and_read_in_one_call_a_zone(run, cloud, calls):
    identifier = make_zone(cloud)
    first = run(records(DNSZone("example.com", dns_name="example.com")))
    assert list(first.actions.values()) == ["create"] * 4
    calls.clear()
    again = DNSZone("example.com", dns_name="example.com")
    assert run(records(again)).actions == {}
    assert again.zone_id == identifier
    assert calls == ["route53.ListHostedZones", "route53.ListResourceRecordSets"]


def test_a_record_follows_its_load_balancer(run, cloud):
    make_zone(cloud)
    run(records(DNSZone("example.com", dns_name="example.com")))
    moved = run(records(DNSZone("example.com", dns_name="example.com"), "api-2.elb.us-east-1.amazonaws.com"))
    assert set(moved.actions.values()) == {"update"}
    change = moved.changes[f"DNSName/api.{CLUSTER}-A"]["target_load_balancer"]
    assert change.before == "api-1.elb.us-east-1.amazonaws.com"
    assert (
        run(records(DNSZone("example.com", dns_name="example.com"), "api-2.elb.us-east-1.amazonaws.com")).actions == {}
    )


def test_a_placeholder_is_replaced(run, cloud):
    identifier = make_zone(cloud)
    record = {
        "Name": f"api.{CLUSTER}",
        "Type": "A",
        "TTL": 60,
        "ResourceRecords": [{"Value": "203.0.113.123"}],
    }
    cloud.client("route53").change_resource_record_sets(
        HostedZoneId=identifier, ChangeBatch={"Changes": [{"Action": "CREATE", "ResourceRecordSet": record}]}
    )
    replaced = run(records(DNSZone("example.com", dns_name="example.com")))
    assert replaced.actions[f"DNSName/api.{CLUSTER}-A"] == "update"
    assert replaced.changes[f"DNSName/api.{CLUSTER}-A"]["target_load_balancer"].before == "203.0.113.123"
    assert run(records(DNSZone("example.com", dns_name="example.com"))).actions == {}


@pytest.mark.parametrize("spelling", ["Z", "/hostedzone/Z"])
def test_a_zone_by_its_id(run, cloud, spelling):
    make_zone(cloud)
    identifier = make_zone(cloud)
    zone = DNSZone("example.com", zone_id=spelling.replace("Z", identifier))
    assert "DNSZone/example.com" not in run(records(zone)).actions


def test_a_private_zone_is_shown_to_the_vpc(run, cloud, calls):
    client = cloud.client("ec2")
    theirs = client.create_vpc(CidrBlock="10.5.0.0/16")["Vpc"]["VpcId"]
    ours = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    make_zone(cloud)
    make_zone(cloud, vpc=theirs)

    def tasks() -> list:
        vpc = VPC(CLUSTER, id=ours, shared=True, cidr="10.0.0.0/16")
        return [vpc, DNSZone("example.com", dns_name="example.com", private=True, private_vpc=vpc)]

    calls.clear()
    assert run(tasks()).actions == {"DNSZone/example.com": "update"}
    assert calls.writes == ["route53.AssociateVPCWithHostedZone"]
    assert run(tasks()).actions == {}


def test_a_zone_that_is_missing_is_made(run, cloud):
    zone = DNSZone("example.com", dns_name="example.com")
    assert run([zone]).actions == {"DNSZone/example.com": "create"}
    assert zone.zone_id
    assert run([DNSZone("example.com", dns_name="example.com")]).actions == {}


def test_a_private_zone_that_is_missing_is_made_in_the_vpc(run):
    def tasks() -> list:
        vpc = VPC(CLUSTER, cidr="10.0.0.0/16", tags={"Name": CLUSTER, f"kubernetes.io/cluster/{CLUSTER}": "owned"})
        return [vpc, DNSZone("example.com", dns_name="example.com", private=True, private_vpc=vpc)]

    assert set(run(tasks()).actions.values()) == {"create"}
    assert run(tasks()).actions == {}


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ({"dns_name": "example.com"}, r"several hosted zones are called example.com \(\w+, \w+\)"),
        ({"zone_id": "ZMISSING"}, "no hosted zone ZMISSING"),
    ],
)
def test_zones_that_cannot_be_used(run, cloud, calls, zone, said):
    for number in range(2):
        cloud.client("route53").create_hosted_zone(Name="example.com", CallerReference=str(number))
    calls.clear()
    with pytest.raises(PlanError, match=said):
        run([DNSZone("example.com", **zone)])
    assert calls.writes == []


def test_a_public_zone_where_a_private_one_is_wanted(run, cloud):
    identifier = make_zone(cloud)
    with pytest.raises(PlanError, match=f"hosted zone {identifier} is not private"):
        run([DNSZone("example.com", zone_id=identifier, private=True)])


def test_a_record_waits_for_its_load_balancer(cloud):
    zone = DNSZone("example.com", zone_id=make_zone(cloud))
    (_zone, _balancer, record, *_rest) = records(zone, dns_name=None)
    with pytest.raises(TryAgainLater, match="no DNS name yet"):
        record.create(cloud)


def test_a_record_that_says_nothing_is_refused(run, cloud):
    zone = DNSZone("example.com", zone_id=make_zone(cloud))
    with pytest.raises(PlanError, match="needs resource_type, target_load_balancer"):
        run([zone, DNSName("odd", zone=zone, resource_name="odd.example.com")])


# -- placeholders -----------------------------------------------------------------------------------------------------

PLACEHOLDERS = {
    (f"api.{CLUSTER}", "A"): "203.0.113.123",
    (f"api.internal.{CLUSTER}", "A"): "203.0.113.123",
    (f"api.internal.{CLUSTER}", "AAAA"): "fd00:dead:add::",
    (f"api.internal.{CLUSTER}", "TXT"): f'"heritage=external-dns,external-dns/owner=kops-{CLUSTER}"',
}


def placeholders() -> list:
    zone = DNSZone("example.com", dns_name="example.com")
    return [
        zone,
        *(
            DNSPlaceholder(f"{name}-{kind}", zone=zone, resource_name=name, resource_type=kind, value=value)
            for (name, kind), value in PLACEHOLDERS.items()
        ),
    ]


def write_record(cloud, zone: str, name: str, kind: str, value: str) -> None:
    record = {"Name": name, "Type": kind, "TTL": 60, "ResourceRecords": [{"Value": value}]}
    cloud.client("route53").change_resource_record_sets(
        HostedZoneId=zone, ChangeBatch={"Changes": [{"Action": "UPSERT", "ResourceRecordSet": record}]}
    )


def written(cloud, zone: str) -> dict[tuple[str, str], str]:
    """(name, type) -> value of the records of the cluster."""
    found = cloud.client("route53").list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
    return {
        (record["Name"].rstrip("."), record["Type"]): record["ResourceRecords"][0]["Value"]
        for record in found
        if CLUSTER in record["Name"]
    }


def test_placeholders_are_made_in_one_call_and_only_where_there_is_nothing(run, cloud, calls):
    zone = make_zone(cloud)
    write_record(cloud, zone, f"api.{CLUSTER}", "A", "198.51.100.7")
    calls.clear()
    first = run(placeholders())
    assert set(first.actions) == {f"DNSPlaceholder/api.internal.{CLUSTER}-{kind}" for kind in ("A", "AAAA", "TXT")}
    assert calls.writes == ["route53.ChangeResourceRecordSets"]
    assert written(cloud, zone) == {**PLACEHOLDERS, (f"api.{CLUSTER}", "A"): "198.51.100.7"}
    calls.clear()
    assert run(placeholders()).actions == {}
    assert calls == ["route53.ListHostedZones", "route53.ListResourceRecordSets"]


def test_a_record_that_the_cluster_has_written_stays(run, cloud):
    zone = make_zone(cloud)
    run(placeholders())
    write_record(cloud, zone, f"api.internal.{CLUSTER}", "A", "10.0.0.7")
    assert run(placeholders()).actions == {}
    assert written(cloud, zone)[(f"api.internal.{CLUSTER}", "A")] == "10.0.0.7"


def refuse_what_exists(cloud, monkeypatch) -> None:
    """moto's CREATE writes over what is there; AWS refuses the whole batch."""
    client = cloud.client("route53")
    change = client.change_resource_record_sets

    def change_or_refuse(*, HostedZoneId: str, ChangeBatch: dict) -> dict:
        made = {
            (each["ResourceRecordSet"]["Name"], each["ResourceRecordSet"]["Type"]) for each in ChangeBatch["Changes"]
        }
        if made & written(cloud, HostedZoneId).keys():
            error: Any = {"Code": "InvalidChangeBatch", "Message": "it already exists"}
            raise botocore.exceptions.ClientError({"Error": error}, "ChangeResourceRecordSets")
        return change(HostedZoneId=HostedZoneId, ChangeBatch=ChangeBatch)

    monkeypatch.setattr(client, "change_resource_record_sets", change_or_refuse)


@pytest.mark.parametrize("faster", [1, len(PLACEHOLDERS)])
def test_who_was_faster_keeps_what_it_has_written(run, cloud, monkeypatch, faster):
    monkeypatch.setattr(doubts, "PATIENCE", 0)
    zone = make_zone(cloud)

    def overtake() -> None:
        for (name, kind), value in list(PLACEHOLDERS.items())[:faster]:
            write_record(cloud, zone, name, kind, "10.0.0.7" if kind == "A" else value)
        refuse_what_exists(cloud, monkeypatch)

    assert len(run(placeholders(), meanwhile=overtake).actions) == len(PLACEHOLDERS)
    assert written(cloud, zone).keys() == PLACEHOLDERS.keys()
    assert written(cloud, zone)[(f"api.{CLUSTER}", "A")] == "10.0.0.7"


def test_a_batch_that_is_refused_for_another_reason_is_an_error(cloud, monkeypatch):
    tasks = placeholders()
    tasks[0].zone_id = make_zone(cloud)
    for code in ("InvalidChangeBatch", "AccessDenied"):
        refused = botocore.exceptions.ClientError({"Error": {"Code": code}}, "ChangeResourceRecordSets")
        monkeypatch.setattr(cloud.client("route53"), "change_resource_record_sets", Mock(side_effect=refused))
        with pytest.raises(botocore.exceptions.ClientError, match=code):
            tasks[1].create(cloud)
