# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What exists in an account, by asking for every kind of object that a cluster can have.

As a program it prints the counts of the account that the environment points at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# kind -> (service, operation, key of the list, key of an item's name; "" where the item is the name)
LISTINGS: dict[str, tuple[str, str, str, str]] = {
    "VPCs": ("ec2", "describe_vpcs", "Vpcs", "VpcId"),
    "DHCP options": ("ec2", "describe_dhcp_options", "DhcpOptions", "DhcpOptionsId"),
    "subnets": ("ec2", "describe_subnets", "Subnets", "SubnetId"),
    "route tables": ("ec2", "describe_route_tables", "RouteTables", "RouteTableId"),
    "internet gateways": ("ec2", "describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
    "egress-only gateways": (
        "ec2",
        "describe_egress_only_internet_gateways",
        "EgressOnlyInternetGateways",
        "EgressOnlyInternetGatewayId",
    ),
    "NAT gateways": ("ec2", "describe_nat_gateways", "NatGateways", "NatGatewayId"),
    "elastic IPs": ("ec2", "describe_addresses", "Addresses", "AllocationId"),
    "security groups": ("ec2", "describe_security_groups", "SecurityGroups", "GroupId"),
    "network interfaces": ("ec2", "describe_network_interfaces", "NetworkInterfaces", "NetworkInterfaceId"),
    "key pairs": ("ec2", "describe_key_pairs", "KeyPairs", "KeyName"),
    "volumes": ("ec2", "describe_volumes", "Volumes", "VolumeId"),
    "launch templates": ("ec2", "describe_launch_templates", "LaunchTemplates", "LaunchTemplateName"),
    "scaling groups": ("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups", "AutoScalingGroupName"),
    "load balancers": ("elbv2", "describe_load_balancers", "LoadBalancers", "LoadBalancerName"),
    "target groups": ("elbv2", "describe_target_groups", "TargetGroups", "TargetGroupName"),
    "IAM roles": ("iam", "list_roles", "Roles", "RoleName"),
    "instance profiles": ("iam", "list_instance_profiles", "InstanceProfiles", "InstanceProfileName"),
    "OIDC providers": ("iam", "list_open_id_connect_providers", "OpenIDConnectProviderList", "Arn"),
    "queues": ("sqs", "list_queues", "QueueUrls", ""),
    "event rules": ("events", "list_rules", "Rules", "Name"),
}


def inventory(client: Callable[[str], Any]) -> dict[str, list[str]]:
    """Kind -> sorted names of what exists. client(service) gives a boto3 client. Terminated instances do not exist.

    moto starts a scaling group's instances without the disks and interfaces of its launch template, and never removes
    the ones that it makes up, nor those of NAT gateways: what hangs on a terminated instance or lies in a VPC that is
    gone does not exist either.
    """
    reservations = listed(client("ec2"), "describe_instances", "Reservations")
    instances = [instance for reservation in reservations for instance in reservation["Instances"]]
    ended = {instance["InstanceId"] for instance in instances if instance["State"]["Name"] == "terminated"}
    found: dict[str, list[str]] = {}
    for kind, (service, operation, key, name) in LISTINGS.items():
        items = listed(client(service), operation, key)
        items = [item for item in items if not item_is_gone(kind, item)]
        if kind == "volumes":
            items = [item for item in items if not {each["InstanceId"] for each in item["Attachments"]} & ended]
        if kind == "network interfaces":
            items = [item for item in items if item.get("Attachment", {}).get("InstanceId") not in ended]
            items = [item for item in items if item["VpcId"] in found["VPCs"]]
        found[kind] = sorted(item[name] if name else item for item in items)
    found["instances"] = sorted({instance["InstanceId"] for instance in instances} - ended)
    route53 = client("route53")
    found["DNS records"] = sorted(
        f"{record['Name']} {record['Type']}"
        for zone in listed(route53, "list_hosted_zones", "HostedZones")
        for record in listed(route53, "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=zone["Id"])
    )
    s3 = client("s3")
    found["stored files"] = sorted(
        f"{bucket['Name']}/{item['Key']}"
        for bucket in s3.list_buckets()["Buckets"]
        for item in listed(s3, "list_objects_v2", "Contents", Bucket=bucket["Name"])
    )
    return found


# Kinds whose listing does not show tags: kind -> (service, operation, its parameter, key of the name's item, the tags).
TAG_LISTINGS: dict[str, tuple[str, str, str, str, str]] = {
    "IAM roles": ("iam", "list_role_tags", "RoleName", "RoleName", "Tags"),
    "OIDC providers": ("iam", "list_open_id_connect_provider_tags", "OpenIDConnectProviderArn", "Arn", "Tags"),
    "queues": ("sqs", "list_queue_tags", "QueueUrl", "", "Tags"),
    "event rules": ("events", "list_tags_for_resource", "ResourceARN", "Arn", "Tags"),
    "load balancers": ("elbv2", "describe_tags", "ResourceArns", "LoadBalancerArn", "TagDescriptions"),
    "target groups": ("elbv2", "describe_tags", "ResourceArns", "TargetGroupArn", "TagDescriptions"),
}


def without_tag(client: Callable[[str], Any], tag: str, before: dict[str, list[str]]) -> list[str]:
    """What is there, was not there before (an inventory), and does not carry the tag, as "kind name"."""
    missing = []
    for kind, (service, operation, key, name) in LISTINGS.items():
        for item in listed(client(service), operation, key):
            known = item[name] if name else item
            is_new = known not in before[kind] and not item_is_gone(kind, item)
            if is_new and not _is_made_up(kind, item) and tag not in _tags(client, kind, item):
                missing.append(f"{kind} {known}")
    return sorted(missing)


def _is_made_up(kind: str, item: Any) -> bool:
    """Whether the cloud created it together with another object, so that it could not be tagged at creation.

    Every VPC has a default group and a main table. The disks and interfaces are moto's: see inventory().
    """
    return (
        kind == "network interfaces"
        or (kind == "volumes" and bool(item["Attachments"]))
        or (kind == "security groups" and item["GroupName"] == "default")
        or (kind == "route tables" and any(each.get("Main") for each in item["Associations"]))
    )


def item_is_gone(kind: str, item: Any) -> bool:
    """Whether an item is only still shown, as NAT gateways are for an hour."""
    return kind == "NAT gateways" and item["State"] == "deleted"


def _tags(client: Callable[[str], Any], kind: str, item: Any) -> set[str]:
    if kind in TAG_LISTINGS:
        service, operation, parameter, key, tags = TAG_LISTINGS[kind]
        name = item[key] if key else item
        answer = getattr(client(service), operation)(**{parameter: [name] if parameter.endswith("s") else name})
        found = answer.get(tags, [])
        if tags == "TagDescriptions":
            found = found[0]["Tags"]
    else:
        found = item.get("Tags", [])
    return set(found) if isinstance(found, dict) else {each["Key"] for each in found}


def listed(client: Any, operation: str, key: str, **parameters: Any) -> list[Any]:
    """All items of a listing, over all its pages."""
    if not client.can_paginate(operation):
        return list(getattr(client, operation)(**parameters).get(key, ()))
    pages = client.get_paginator(operation).paginate(**parameters)
    return [item for page in pages for item in page.get(key, ())]


if __name__ == "__main__":
    import boto3

    for kind, names in inventory(boto3.client).items():
        if names:
            print(f"  {kind:20}{len(names):4d}")
