# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of an AWS region, and what is said when AWS cannot be asked."""

from __future__ import annotations

import builtins
import dataclasses

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudDNSZone
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.errors import explain
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.facts import AWSFacts

REGION = "us-east-1"


@pytest.fixture
def facts(cloud) -> AWSFacts:
    return AWSFacts(cloud)


def test_zones_are_read_once(facts, calls):
    assert facts.zones()[:3] == ["us-east-1a", "us-east-1b", "us-east-1c"]
    facts.zones()
    assert calls == ["ec2.DescribeAvailabilityZones"]


def test_instance_types_are_read_together(facts, calls):
    facts.prefetch(["t3.medium", "m5.large", "t4g.medium", "no.such"])
    assert facts.instance_type("no.such") is None
    medium = facts.instance_type("t3.medium")
    assert (medium.vcpus, medium.memory_mib, medium.architectures) == (2, 4096, ("amd64",))
    assert (medium.max_network_interfaces, medium.ipv4_per_interface, medium.gpu) == (3, 6, False)
    assert facts.instance_type("t4g.medium").architectures == ("arm64",)
    assert calls == ["ec2.DescribeInstanceTypes"]
    facts.instance_type("c5.large")
    facts.instance_type("c5.large")
    assert calls == ["ec2.DescribeInstanceTypes"] * 2


def test_disks_and_graphics_of_instance_types(facts):
    assert facts.instance_type("m5d.large").instance_storage == ((1, 75),)
    assert facts.instance_type("g4dn.xlarge").gpu is True


@pytest.mark.parametrize(
    ("role", "zones", "architecture", "chosen"),
    [
        ("Node", ["us-east-1a", "us-east-1b"], None, "t3.medium"),
        ("ControlPlane", ["us-east-1a"], "amd64", "t3.medium"),
        ("APIServer", ["us-east-1a"], None, "t3.medium"),
        ("Bastion", ["us-east-1a"], None, "t3.micro"),
        ("Node", ["us-east-1a"], "arm64", "t4g.medium"),
        ("Bastion", ["us-east-1a"], "arm64", "t4g.micro"),
        # The zone without the newer families.
        ("Node", ["us-east-1a", "us-east-1e"], None, "c4.large"),
        ("Node", ["us-east-1z"], None, None),
    ],
)
def test_default_instance_types(facts, role, zones, architecture, chosen):
    assert facts.default_instance_type(role, zones, architecture) == chosen


def test_offerings_are_read_once_for_all_roles(facts, calls):
    facts.default_instance_type("Node", ["us-east-1a"])
    facts.default_instance_type("Bastion", ["us-east-1a"])
    assert calls == ["ec2.DescribeInstanceTypeOfferings"]


def register(cloud, name: str) -> str:
    client = cloud.client("ec2")
    return client.register_image(Name=name, RootDeviceName="/dev/sda1")["ImageId"]


def test_an_image_by_id_and_by_name(facts, cloud, calls):
    identifier = register(cloud, "mine-1")
    calls.clear()
    image = facts.image(identifier)
    assert dataclasses.astuple(image) == (identifier, "mine-1", "amd64", "/dev/sda1")
    assert facts.image("mine-1") == image
    assert facts.image("123456789012/mine-1") == image
    facts.image("mine-1")
    assert calls == ["ec2.DescribeImages"] * 3


def test_images_are_read_together(facts, cloud, calls):
    first, second = register(cloud, "mine-1"), register(cloud, "mine-2")
    other = register(cloud, "mine-3")
    ubuntu = [image["Name"] for image in cloud.client("ec2").describe_images(Owners=["099720109477"])["Images"]][:2]
    by_name = ["mine-1", "mine-2", *(f"ubuntu/{name}" for name in ubuntu), f"099720109477/{ubuntu[0]}"]
    calls.clear()
    facts.read_ahead(["t3.medium"], [*by_name, first, second, "", "ubuntu/no-such"])
    assert sorted(calls) == [
        "ec2.DescribeAvailabilityZones",
        # The account's own, Ubuntu's, and those by their identifiers.
        *["ec2.DescribeImages"] * 3,
        "ec2.DescribeInstanceTypes",
        "sts.GetCallerIdentity",
    ]
    assert [facts.image(name).name for name in by_name] == ["mine-1", "mine-2", *ubuntu, ubuntu[0]]
    assert [facts.image(name).name for name in (first, second)] == ["mine-1", "mine-2"]
    assert facts.image("ubuntu/no-such") is None
    assert len(calls) == 6
    assert facts.image(other).name == "mine-3"


def test_one_image_that_does_not_exist_hides_no_other(facts, cloud):
    mine = register(cloud, "mine-1")
    facts.read_ahead([], [mine, "ami-00000000000000000"])
    assert facts.image(mine).name == "mine-1"
    assert facts.image("ami-00000000000000000") is None


def test_a_name_with_wildcards_is_the_newest_that_fits(facts, cloud):
    register(cloud, "mine-1")
    register(cloud, "other-1")
    facts.read_ahead([], ["mine-*", "other-1"])
    assert facts.image("mine-*").name == "mine-1"


def test_a_known_owners_name_stands_for_the_account(facts, cloud):
    ubuntu = next(
        image
        for image in cloud.client("ec2").describe_images(Owners=["099720109477"])["Images"]
        if image["Architecture"] == "x86_64"
    )
    found = facts.image(f"ubuntu/{ubuntu['Name']}")
    assert found.name == ubuntu["Name"] and found.architecture == "amd64"
    assert facts.image(f"099720109477/{ubuntu['Name']}") == found


def test_an_image_by_parameter(facts, cloud):
    identifier = register(cloud, "mine-2")
    cloud.client("ssm").put_parameter(Name="/images/mine", Value=identifier, Type="String")
    assert facts.image("ssm:/images/mine").id == identifier


@pytest.mark.parametrize("reference", ["ami-00000000000000000", "ubuntu/no-such-image", "no-such", "ssm:/no/such"])
def test_an_image_that_does_not_exist(facts, reference):
    assert facts.image(reference) is None


def test_a_network_with_its_subnets(facts, cloud, calls):
    client = cloud.client("ec2")
    vpc = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    client.associate_vpc_cidr_block(VpcId=vpc, CidrBlock="10.1.0.0/16")
    subnet = client.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24", AvailabilityZone="us-east-1b")["Subnet"]
    calls.clear()
    network = facts.network(vpc)
    assert (network.cidr, network.additional_cidrs) == ("10.0.0.0/16", ("10.1.0.0/16",))
    assert [(found.id, found.zone, found.cidr) for found in network.subnets] == [
        (subnet["SubnetId"], "us-east-1b", "10.0.0.0/24")
    ]
    assert facts.network_of_subnet(subnet["SubnetId"]) == network
    assert sorted(calls) == ["ec2.DescribeSubnets", "ec2.DescribeSubnets", "ec2.DescribeVpcs"]


def test_a_network_that_does_not_exist(facts):
    assert facts.network("vpc-00000000") is None
    assert facts.network_of_subnet("subnet-00000000") is None


def test_hosted_zones(facts, cloud):
    answer = cloud.client("route53").create_hosted_zone(Name="example.com", CallerReference="1")
    identifier = answer["HostedZone"]["Id"].rsplit("/", 1)[-1]
    assert facts.dns_zones() == [CloudDNSZone(id=identifier, name="example.com", private=False)]


def test_without_credentials(moto_server, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    with pytest.raises(
        KopsError, match="AWS us-east-1, reading the zones: no AWS credentials were found: set AWS_PROFILE"
    ):
        AWSFacts(AWSCloud(REGION)).zones()


def test_with_a_profile_that_does_not_exist(moto_server, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "no-such-profile")
    with pytest.raises(KopsError, match="the AWS profile does not exist.*no-such-profile"):
        AWSCloud(REGION)


def test_where_nothing_answers(moto_server, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(KopsError, match="AWS cannot be reached: check the region's name"):
        AWSFacts(AWSCloud("us-nowhere-1")).zones()


def test_without_boto3(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.split(".")[0] in ("boto3", "botocore"):
            raise ImportError(f"No module named '{name}'")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(KopsError, match="boto3 is missing: install it"):
        AWSCloud(REGION)


class Refusal(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(f"An error occurred ({code}) when calling the RunInstances operation: no")
        self.response = {"Error": {"Code": code, "Message": "no"}}


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("UnauthorizedOperation", "the credentials lack a permission"),
        ("ExpiredToken", "the AWS session has ended"),
        ("SignatureDoesNotMatch", "this machine's clock is wrong"),
        ("Throttling", "limits the rate"),
        ("VpcLimitExceeded", "VpcLimitExceeded"),
    ],
)
def test_what_aws_refuses_is_said_with_its_own_words(code, said):
    explained = explain(Refusal(code), "making a thing")
    assert isinstance(explained, KopsError)
    assert str(explained).startswith("making a thing: ")
    assert said in str(explained) and f"({code})" in str(explained)


def test_our_own_errors_stay_as_they_are():
    error = KopsError("as it is")
    assert explain(error, "anywhere") is error
