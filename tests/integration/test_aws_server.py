# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account that tests run against does as AWS where moto alone does not."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import botocore.exceptions
import pytest
from ansible_collections.kubeops.kops.tests.support.aws_server import REGION, AWSServer

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2"}, "Action": "sts:AssumeRole"}],
    }
)


@pytest.fixture(scope="module")
def aws() -> Iterator[AWSServer]:
    with AWSServer(checked=True) as running:
        yield running


@pytest.fixture
def ec2(aws: AWSServer) -> Any:
    """A client, of an account in which nothing exists."""
    aws.reset()
    return aws.client("ec2")


def subnets(ec2: Any, zones: int = 1) -> list[str]:
    """A network, and a subnet of it in each of so many zones."""
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]["VpcId"]
    (network,) = ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"]
    ipv6 = network["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"].replace("::/56", "")
    return [
        ec2.create_subnet(
            VpcId=vpc,
            CidrBlock=f"10.0.{number}.0/24",
            AvailabilityZone=f"{REGION}{'abcdef'[number]}",
            Ipv6CidrBlock=f"{ipv6[:-1]}{number}::/64",
        )["Subnet"]["SubnetId"]
        for number in range(zones)
    ]


def template_of(ec2: Any, name: str = "nodes", **data: Any) -> str:
    data = {"ImageId": "ami-12345678", "InstanceType": "t3.medium", **data}
    answer = ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
    identity: str = answer["LaunchTemplate"]["LaunchTemplateId"]
    return identity


def group_of(aws: AWSServer, template: str, networks: list[str], size: int = 1, **options: Any) -> Any:
    scaling = aws.client("autoscaling")
    scaling.create_auto_scaling_group(
        AutoScalingGroupName="nodes",
        LaunchTemplate={"LaunchTemplateId": template, "Version": "$Latest"},
        VPCZoneIdentifier=",".join(networks),
        MinSize=0,
        MaxSize=9,
        DesiredCapacity=size,
        **options,
    )
    return scaling


def running(ec2: Any) -> list[dict[str, Any]]:
    filters = [{"Name": "instance-state-name", "Values": ["running"]}]
    found = ec2.describe_instances(Filters=filters)["Reservations"]
    return [instance for reservation in found for instance in reservation["Instances"]]


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def user_data(ec2: Any, instance: dict[str, Any]) -> str:
    answer = ec2.describe_instance_attribute(InstanceId=instance["InstanceId"], Attribute="userData")
    return base64.b64decode(answer["UserData"]["Value"]).decode()


def test_a_later_version_of_a_launch_template_is_what_new_instances_get(aws, ec2):
    template = template_of(ec2, UserData=encoded("one"))
    scaling = group_of(aws, template, subnets(ec2))
    ec2.create_launch_template_version(
        LaunchTemplateId=template, SourceVersion="$Latest", LaunchTemplateData={"UserData": encoded("two")}
    )
    scaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=2)
    first, second = sorted(running(ec2), key=lambda instance: user_data(ec2, instance))
    assert (user_data(ec2, first), user_data(ec2, second)) == ("one", "two")
    # From the version that it was made from.
    assert second["ImageId"] == "ami-12345678"
    tags = {tag["Key"]: tag["Value"] for tag in second["Tags"]}
    assert (tags["aws:ec2launchtemplate:version"], tags["aws:autoscaling:groupName"]) == ("2", "nodes")
    (group,) = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    versions = {each["InstanceId"]: each["LaunchTemplate"]["Version"] for each in group["Instances"]}
    assert versions == {first["InstanceId"]: "1", second["InstanceId"]: "2"}


def test_user_data_is_limited_as_it_was_before_its_encoding(ec2):
    template = template_of(ec2, UserData=encoded("x" * 16384))
    for call in (
        lambda data: template_of(ec2, "others", **data),
        lambda data: ec2.create_launch_template_version(LaunchTemplateId=template, LaunchTemplateData=data),
    ):
        with pytest.raises(botocore.exceptions.ClientError, match=r"InvalidUserData\.Malformed.*limited to 16384"):
            call({"UserData": encoded("x" * 16385)})


def test_instances_of_a_group_are_as_their_launch_template_says(aws, ec2):
    networks = subnets(ec2, zones=3)
    vpc = ec2.describe_subnets(SubnetIds=networks)["Subnets"][0]["VpcId"]
    security_group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    iam = aws.client("iam")
    iam.create_instance_profile(InstanceProfileName="nodes")
    template = template_of(
        ec2,
        IamInstanceProfile={"Name": "nodes"},
        MetadataOptions={"HttpTokens": "required", "HttpPutResponseHopLimit": 3},
        NetworkInterfaces=[
            {"DeviceIndex": 0, "Groups": [security_group], "AssociatePublicIpAddress": True, "Ipv6AddressCount": 1}
        ],
    )
    group_of(aws, template, networks, size=4)
    found = running(ec2)
    # Spread over the zones.
    assert sorted(found.count(one) for one in found) == [1, 1, 1, 1]
    assert {instance["SubnetId"] for instance in found} == set(networks)
    for instance in found:
        assert instance["IamInstanceProfile"]["Arn"].endswith(":instance-profile/nodes")
        options = instance["MetadataOptions"]
        assert (options["HttpTokens"], options["HttpPutResponseHopLimit"]) == ("required", 3)
        assert [group["GroupId"] for group in instance["SecurityGroups"]] == [security_group]
        assert instance["PublicIpAddress"]
        assert len(instance["NetworkInterfaces"][0]["Ipv6Addresses"]) == 1


def test_nothing_is_told_of_where_instances_are(aws, ec2):
    group_of(aws, template_of(ec2), subnets(ec2))
    names = [each["InstanceId"] for each in running(ec2)]
    assert ec2.describe_instance_topology(InstanceIds=names)["Instances"] == []


def test_an_interface_is_given_prefixes(aws, ec2):
    group_of(aws, template_of(ec2), subnets(ec2), size=2)
    given = []
    for instance in running(ec2):
        interface = instance["NetworkInterfaces"][0]["NetworkInterfaceId"]
        answer = ec2.assign_ipv6_addresses(NetworkInterfaceId=interface, Ipv6PrefixCount=1)
        (described,) = ec2.describe_network_interfaces(NetworkInterfaceIds=[interface])["NetworkInterfaces"]
        assert [each["Ipv6Prefix"] for each in described["Ipv6Prefixes"]] == answer["AssignedIpv6Prefixes"]
        given += answer["AssignedIpv6Prefixes"]
    assert len(set(given)) == 2
    assert all(prefix.endswith("/80") for prefix in given)
    shown = [each["NetworkInterfaces"][0]["Ipv6Prefixes"][0]["Ipv6Prefix"] for each in running(ec2)]
    assert sorted(shown) == sorted(given)


def test_a_network_load_balancer_has_an_address_in_each_subnet(aws, ec2):
    elb, networks = aws.client("elbv2"), subnets(ec2, zones=3)
    (balancer,) = elb.create_load_balancer(
        Name="api",
        Type="network",
        SubnetMappings=[{"SubnetId": networks[0], "PrivateIPv4Address": "10.0.0.77"}, {"SubnetId": networks[1]}],
        Tags=[{"Key": "Name", "Value": "api.example.com"}],
    )["LoadBalancers"]
    arn = balancer["LoadBalancerArn"]
    name = arn.partition(":loadbalancer/")[2]
    assert name.startswith("net/api/")
    assert elb.describe_load_balancers(LoadBalancerArns=[arn])["LoadBalancers"][0]["Type"] == "network"
    (tagged,) = elb.describe_tags(ResourceArns=[arn])["TagDescriptions"]
    assert tagged["Tags"] == [{"Key": "Name", "Value": "api.example.com"}]

    def interfaces() -> dict[str, str]:
        filters = [{"Name": "description", "Values": [f"ELB {name}"]}]
        found = ec2.describe_network_interfaces(Filters=filters)["NetworkInterfaces"]
        assert all(each["RequesterManaged"] and each["Status"] == "in-use" for each in found)
        return {each["SubnetId"]: each["PrivateIpAddress"] for each in found}

    before = interfaces()
    assert set(before) == {networks[0], networks[1]}
    assert before[networks[0]] == "10.0.0.77"
    assert before[networks[1]].startswith("10.0.1.")
    elb.set_subnets(LoadBalancerArn=arn, Subnets=networks[1:])
    after = interfaces()
    assert set(after) == set(networks[1:])
    assert after[networks[1]] == before[networks[1]]
    elb.delete_load_balancer(LoadBalancerArn=arn)
    assert interfaces() == {}


def test_a_classic_load_balancer_has_a_health_check(aws, ec2):
    elb = aws.client("elb")
    listener = {"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 30080}
    elb.create_load_balancer(LoadBalancerName="web", Listeners=[listener], Subnets=subnets(ec2))
    (balancer,) = elb.describe_load_balancers()["LoadBalancerDescriptions"]
    assert balancer["HealthCheck"] == {
        "Target": "TCP:30080",
        "Interval": 30,
        "Timeout": 5,
        "UnhealthyThreshold": 2,
        "HealthyThreshold": 10,
    }


def test_targets_end_with_their_instances(aws, ec2):
    elb, networks = aws.client("elbv2"), subnets(ec2)
    vpc = ec2.describe_subnets(SubnetIds=networks)["Subnets"][0]["VpcId"]
    group = elb.create_target_group(Name="api", Protocol="TCP", Port=443, VpcId=vpc)["TargetGroups"][0]
    arn = group["TargetGroupArn"]
    scaling = group_of(aws, template_of(ec2), networks, size=2, TargetGroupARNs=[arn])

    def targets() -> list[str]:
        found = elb.describe_target_health(TargetGroupArn=arn)["TargetHealthDescriptions"]
        return sorted(each["Target"]["Id"] for each in found)

    def instances() -> list[str]:
        return sorted(each["InstanceId"] for each in running(ec2))

    before = instances()
    assert targets() == before
    ec2.terminate_instances(InstanceIds=before[:1])
    assert len(instances()) == 2
    assert instances() != before
    assert targets() == instances()
    scaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=1)
    assert len(targets()) == 1
    assert targets() == instances()


def test_a_volume_is_attached_once(aws, ec2):
    group_of(aws, template_of(ec2), subnets(ec2, zones=2), size=3)
    here, there = [
        [each["InstanceId"] for each in running(ec2) if each["Placement"]["AvailabilityZone"] == f"{REGION}{zone}"]
        for zone in "ab"
    ]
    volume, other = [ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=1)["VolumeId"] for _number in range(2)]
    with pytest.raises(botocore.exceptions.ClientError, match=r"ZoneMismatch"):
        ec2.attach_volume(VolumeId=volume, InstanceId=there[0], Device="/dev/xvdu")
    ec2.attach_volume(VolumeId=volume, InstanceId=here[0], Device="/dev/xvdu")
    with pytest.raises(botocore.exceptions.ClientError, match=r"VolumeInUse"):
        ec2.attach_volume(VolumeId=volume, InstanceId=here[1], Device="/dev/xvdu")
    with pytest.raises(botocore.exceptions.ClientError, match=r"already in use"):
        ec2.attach_volume(VolumeId=other, InstanceId=here[0], Device="/dev/xvdu")
    ec2.terminate_instances(InstanceIds=here[:1])
    ec2.attach_volume(VolumeId=volume, InstanceId=here[1], Device="/dev/xvdu")


@pytest.fixture
def role(aws: AWSServer) -> Callable[..., Callable[[str], Any]]:
    """Makes clients of a role's session: role(statement...)(service)."""

    def make(*statements: dict[str, Any]) -> Callable[[str], Any]:
        iam, name = aws.client("iam"), f"nodes-{uuid.uuid4()}"
        arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
        document = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", **statement} for statement in statements],
        }
        iam.put_role_policy(RoleName=name, PolicyName="nodes", PolicyDocument=json.dumps(document))
        session = aws.client("sts").assume_role(RoleArn=arn, RoleSessionName="i-1")["Credentials"]

        def client(service: str) -> Any:
            return boto3.client(
                service,
                endpoint_url=aws.url,
                region_name=REGION,
                aws_access_key_id=session["AccessKeyId"],
                aws_secret_access_key=session["SecretAccessKey"],
                aws_session_token=session["SessionToken"],
            )

        return client

    return make


def test_a_role_lists_objects_below_a_prefix(aws, role):
    aws.client("s3").create_bucket(Bucket="store")
    for name in ("a b/c+d=é.txt", "a b/e", "other"):
        aws.client("s3").put_object(Bucket="store", Key=name, Body=b"text")
    s3 = role(
        {"Action": ["s3:ListBucket"], "Resource": "arn:aws:s3:::store"},
        {"Action": "s3:GetObject", "Resource": "arn:aws:s3:::store/a b/*"},
    )("s3")
    found = s3.list_objects_v2(Bucket="store", Prefix="a b/", Delimiter="/")["Contents"]
    assert [each["Key"] for each in found] == ["a b/c+d=é.txt", "a b/e"]
    assert s3.get_object(Bucket="store", Key="a b/c+d=é.txt")["Body"].read() == b"text"
    with pytest.raises(botocore.exceptions.ClientError, match="AccessDenied"):
        s3.get_object(Bucket="store", Key="other")


def test_a_role_changes_records_of_the_zones_that_it_may_change(aws, role):
    theirs, ours = [
        aws.client("route53").create_hosted_zone(Name=name, CallerReference=name)["HostedZone"]["Id"].rpartition("/")[2]
        for name in ("example.org", "example.com")
    ]
    route53 = role(
        {"Action": "route53:ListHostedZones", "Resource": "*"},
        {
            "Action": ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets"],
            "Resource": f"arn:aws:route53:::hostedzone/{ours}",
        },
    )("route53")
    assert len(route53.list_hosted_zones()["HostedZones"]) == 2

    def change(zone: str, name: str) -> None:
        record = {"Name": name, "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "10.0.0.1"}]}
        changes = [{"Action": "UPSERT", "ResourceRecordSet": record}]
        route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch={"Changes": changes})

    change(ours, "api.example.com")
    listed = route53.list_resource_record_sets(HostedZoneId=ours, StartRecordName="api.example.com", MaxItems="1")
    assert [each["Name"] for each in listed["ResourceRecordSets"]] == ["api.example.com."]
    with pytest.raises(botocore.exceptions.ClientError, match=r"AccessDenied.*route53:ChangeResourceRecordSets"):
        change(theirs, "api.example.org")


def test_refusals_are_in_the_words_of_each_service(role):
    client = role({"Action": "sts:*", "Resource": "*"})
    for service, call, code in (
        ("ec2", lambda ec2: ec2.describe_instances(), "UnauthorizedOperation"),
        ("ecr", lambda ecr: ecr.get_authorization_token(), "AccessDeniedException"),
        ("elbv2", lambda elb: elb.describe_load_balancers(), "AccessDenied"),
    ):
        with pytest.raises(botocore.exceptions.ClientError) as refused:
            call(client(service))
        assert refused.value.response["Error"]["Code"] == code
        assert "is not authorized to perform" in refused.value.response["Error"]["Message"]


def test_an_altered_signature_is_refused(aws, role):
    ec2 = role({"Action": "ec2:*", "Resource": "*"})("ec2")
    ec2.describe_instances()

    def alter(request: Any, **_rest: Any) -> None:
        request.headers["Authorization"] = request.headers["Authorization"].replace(b"Signature=", b"Signature=0")

    ec2.meta.events.register("before-send.ec2", alter)
    with pytest.raises(botocore.exceptions.ClientError, match="AuthFailure"):
        ec2.describe_instances()
