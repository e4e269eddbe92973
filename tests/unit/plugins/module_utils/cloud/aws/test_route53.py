# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosted zones and the records in them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_name import DNSName
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_zone import DNSZone
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
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
