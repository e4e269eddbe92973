# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of a cluster on AWS: created, unchanged, changed, deleted, with nothing left and nothing else touched."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account

ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]

CLUSTERS: dict[str, dict[str, Any]] = {
    "minimal": {"zones": ZONES[:1]},
    "ha": {"zones": ZONES, "control_plane_count": 3},
    "private": {"zones": ZONES, "topology": "private", "bastion": True},
    "dns-public": {"zones": ZONES[:1], "dns": "public"},
    "dns-private": {"zones": ZONES[:1], "dns": "private", "topology": "private"},
    "ipv6": {"zones": ZONES[:1], "ipv6": True, "topology": "public"},
}


@pytest.fixture(params=CLUSTERS)
def cluster(request: pytest.FixtureRequest, account: Account) -> str:
    """A kind of cluster, stored; the account has the hosted zone that it needs."""
    kind: str = request.param
    if kind == "dns-public":
        account.client("route53").create_hosted_zone(Name="example.com", CallerReference="1")
    if kind == "dns-private":
        vpc = account.client("ec2").describe_vpcs()["Vpcs"][0]["VpcId"]
        account.client("route53").create_hosted_zone(
            Name="example.com",
            CallerReference="1",
            HostedZoneConfig={"PrivateZone": True},
            VPC={"VPCRegion": "us-east-1", "VPCId": vpc},
        )
    account.create(**CLUSTERS[kind])
    return kind


def test_life_of_a_cluster(account: Account, cluster: str) -> None:
    before = account.inventory()

    with account.server.recorded() as calls:
        planned = account.update(check=True)
    assert planned.changed
    assert account.writes(calls) == []
    assert account.inventory() == before

    applied = account.update()
    assert applied.plan.id == planned.plan.id
    _every_object_carries_the_cluster(account, before)

    for check in (True, False):
        with account.server.recorded() as calls:
            again = account.update(check=check)
        assert again.plan.text().startswith("Nothing to do"), again.plan.text()
        assert not again.changed
        # Holding the lease is the only write of an apply that has nothing to do.
        lease = [] if check else ["s3.Put"] * calls["s3.Put"]
        assert account.writes(calls) == sorted(set(lease)), calls

    listed = account.delete(check=True)
    assert listed.changed
    assert account.inventory() != before
    deleted = account.delete()
    assert {each["id"] for each in listed.resources} <= {each["id"] for each in deleted.resources}
    after = account.inventory()
    before["stored files"] = []
    assert after == before
    assert not account.delete().changed


def _every_object_carries_the_cluster(account: Account, before: dict[str, list[str]]) -> None:
    """Every EC2 object and scaling group that is new has the cluster's tag."""
    created = account.inventory()
    tagged = {
        item["ResourceId"]
        for item in account.client("ec2").get_paginator("describe_tags").paginate().build_full_result()["Tags"]
        if item["Key"] == f"kubernetes.io/cluster/{NAME}"
    }
    for kind in (
        "VPCs",
        "DHCP options",
        "subnets",
        "internet gateways",
        "egress-only gateways",
        "NAT gateways",
        "elastic IPs",
        "instances",
    ):
        new = set(created[kind]) - set(before[kind])
        assert new <= tagged, f"{kind} without the cluster's tag: {new - tagged}"
    # Only etcd's: the disks of instances are moto's own invention.
    volumes = account.client("ec2").describe_volumes(Filters=[{"Name": "status", "Values": ["available"]}])["Volumes"]
    assert {volume["VolumeId"] for volume in volumes} <= tagged
    groups = account.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    for group in groups:
        assert f"kubernetes.io/cluster/{NAME}" in {tag["Key"] for tag in group["Tags"]}


def test_scaling_a_group_plans_and_writes_only_that(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    account.change_group("nodes-us-east-1a", min_size=2, max_size=4)
    planned = account.update(check=True)
    assert [(entry["task"], entry["action"]) for entry in planned.plan.as_data()] == [
        (f"AutoscalingGroup/nodes-us-east-1a.{NAME}", "update")
    ]
    assert planned.plan.as_data()[0]["before"] == {"max_size": 1, "min_size": 1}
    assert planned.plan.as_data()[0]["after"] == {"max_size": 4, "min_size": 2}
    account.update(plan_id=planned.plan.id)
    (group,) = account.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[f"nodes-us-east-1a.{NAME}"]
    )["AutoScalingGroups"]
    assert (group["MinSize"], group["MaxSize"]) == (2, 4)
    assert not account.update().changed


def test_shared_network_is_left_alone(account: Account) -> None:
    ec2 = account.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(VpcId=vpc, InternetGatewayId=gateway)
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.20.1.0/24", AvailabilityZone=ZONES[0])["Subnet"]["SubnetId"]
    before = account.inventory()
    account.create(zones=ZONES[:1], network_id=vpc, subnets=[subnet])
    account.update()
    assert not account.update().changed
    account.delete()
    before["stored files"] = []
    assert account.inventory() == before


def test_an_approved_plan_is_applied_or_nothing(account: Account) -> None:
    account.create(zones=ZONES[:1])
    before = account.inventory()
    with pytest.raises(Exception, match="is not what would be done now"):
        account.update(plan_id="0123456789abcdef")
    after = account.inventory()
    lease = [name for name in after["stored files"] if name not in before["stored files"]]
    assert all("/igconfig/lease" in name for name in lease)
    after["stored files"] = before["stored files"]
    assert after == before


def test_pruning_deletes_old_launch_template_versions(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    account.change_group("nodes-us-east-1a", machine_type="t3.large")
    account.update()
    template = f"nodes-us-east-1a.{NAME}"
    ec2 = account.client("ec2")
    versions = ec2.describe_launch_template_versions(LaunchTemplateName=template)["LaunchTemplateVersions"]
    assert len(versions) == 2
    planned = account.update(check=True, prune=True)
    assert [entry["action"] for entry in planned.plan.as_data()] == ["delete"]
    account.update(prune=True)
    (left,) = ec2.describe_launch_template_versions(LaunchTemplateName=template)["LaunchTemplateVersions"]
    assert left["LaunchTemplateData"]["InstanceType"] == "t3.large"
    assert not account.update(prune=True).changed
