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
        if kind == "NAT gateways":
            items = [item for item in items if item["State"] != "deleted"]
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
            print(f"  {len(names):4d} {kind}")
