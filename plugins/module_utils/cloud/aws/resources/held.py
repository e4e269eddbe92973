# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that AWS does not delete: others use them, or they are protected. Networks: in_the_way.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....engine.resource import Resource
from ..cloud import AWSCloud
from ..elb import describe_load_balancers, describe_target_groups
from ..ownership import is_owned, owned
from .gone import call
from .lines import line

_PROTECTION = "deletion_protection.enabled"


def held(cloud: AWSCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    """A line for each of found that others use, or that is protected. It asks for kinds in found only."""
    kinds = {resource.kind for resource in found.values()}
    for kind, ask in _KINDS.items():
        if kind in kinds:
            yield from ask(cloud, found)


def _volumes(cloud: AWSCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    there = owned(cloud, "describe_volumes", "Volumes")
    users = {each["VolumeId"]: [link["InstanceId"] for link in each.get("Attachments", ())] for each in there}
    yield from _used_by_instances(cloud, found, "volume", users)


def _addresses(cloud: AWSCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    there = owned(cloud, "describe_addresses", "Addresses")
    users = {each["AllocationId"]: [each["InstanceId"]] for each in there if each.get("InstanceId")}
    yield from _used_by_instances(cloud, found, "elastic-ip", users)


def _used_by_instances(
    cloud: AWSCloud, found: Mapping[str, Resource], kind: str, users: Mapping[str, list[str]]
) -> Iterator[str]:
    users = {identifier: used for identifier, used in users.items() if f"{kind}:{identifier}" in found}
    suspects = {each for used in users.values() for each in used if f"instance:{each}" not in found}
    own = owned_since(cloud, suspects)
    for identifier, used in users.items():
        for instance in used:
            if instance in suspects - own:
                yield line(kind, identifier, found[f"{kind}:{identifier}"].name, attached_to=instance)


def owned_since(cloud: AWSCloud, instances: set[str]) -> set[str]:
    """Instances of the cluster among these: a group may have started them after discovery."""
    if not instances:
        return set()
    filters = [{"Name": "instance-id", "Values": sorted(instances)}]
    reservations = cloud.paged("ec2", "describe_instances", "Reservations", Filters=filters)
    everything = [instance for each in reservations for instance in each["Instances"]]
    return {each["InstanceId"] for each in everything if is_owned(cloud, each.get("Tags"))}


def _roles(cloud: AWSCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for profile in cloud.paged("iam", "list_instance_profiles", "InstanceProfiles"):
        name = profile["InstanceProfileName"]
        for role in profile["Roles"]:
            if f"iam-role:{role['RoleName']}" in found and f"instance-profile:{name}" not in found:
                yield line("iam-role", role["RoleName"], "", in_instance_profile=name)


def _target_groups(cloud: AWSCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    ours = [each for each in describe_target_groups(cloud) if f"target-group:{each['TargetGroupArn']}" in found]
    users = {arn for each in ours for arn in each.get("LoadBalancerArns", ()) if f"load-balancer:{arn}" not in found}
    # A target group goes on naming a load balancer that was deleted a moment ago.
    there = {each["LoadBalancerArn"] for each in describe_load_balancers(cloud)} if users else set()
    for target in ours:
        staying = [arn for arn in target.get("LoadBalancerArns", ()) if arn in users & there]
        if staying:
            names = ", ".join(arn.partition(":loadbalancer/")[2] for arn in staying)
            yield line("target-group", target["TargetGroupName"], "", used_by_load_balancer=names)


def _balancers(cloud: AWSCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for balancer in [each for each in found.values() if each.kind == "load-balancer"]:
        answer = call(cloud, "elbv2", "describe_load_balancer_attributes", LoadBalancerArn=balancer.id)
        if answer is not None and {"Key": _PROTECTION, "Value": "true"} in answer["Attributes"]:
            yield line("load-balancer", balancer.name or balancer.id, "", deletion_protection="is on")


def _dhcp_options(cloud: AWSCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    ours = sorted(each.id for each in found.values() if each.kind == "dhcp-options")
    filters = [{"Name": "dhcp-options-id", "Values": ours}]
    for vpc in cloud.paged("ec2", "describe_vpcs", "Vpcs", Filters=filters):
        identifier = vpc.get("DhcpOptionsId")
        if f"dhcp-options:{identifier}" in found and f"vpc:{vpc['VpcId']}" not in found:
            yield line("dhcp-options", str(identifier), "", used_by_vpc=vpc["VpcId"])


_KINDS: dict[str, Callable[[AWSCloud, Mapping[str, Any]], Iterator[str]]] = {
    "volume": _volumes,
    "elastic-ip": _addresses,
    "iam-role": _roles,
    "target-group": _target_groups,
    "load-balancer": _balancers,
    "dhcp-options": _dhcp_options,
}
