# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: scaling groups, launch templates, instances, volumes and key pairs of a cluster."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ....engine.resource import Resource
from ....engine.task import TryAgainLater
from ...claims import claim_of
from ..cloud import AWSCloud, from_tags, parts
from ..ownership import is_owned, owned, owned_instances
from ..tasks.autoscaling_group import owned_groups
from ..tasks.launch_template import describe_launch_templates
from .gone import call, removal

ENDING = ("shutting-down", "terminated")
# Groups that one call asks for; AWS deletes them one by one, so that a larger number would take long.
GROUPS_TOGETHER = 25
# EC2 ends as many instances in one call.
INSTANCES_TOGETHER = 1000


def compute(cloud: AWSCloud) -> Iterator[Resource]:
    """Everything that runs, and what it was started from."""
    yield from _scaling_groups(cloud)
    yield from _launch_templates(cloud)
    yield from _instances(cloud)
    yield from _volumes(cloud)
    yield from _key_pairs(cloud)


def _scaling_groups(cloud: AWSCloud) -> Iterator[Resource]:
    # With those that are being deleted: their instances go before other objects can.
    delete_groups = _groups_removal(cloud)
    for index, group in enumerate(owned_groups(cloud)):
        name = group["AutoScalingGroupName"]
        blocks = {f"instance:{instance['InstanceId']}" for instance in group.get("Instances", ())}
        blocks |= {f"subnet:{subnet}" for subnet in group.get("VPCZoneIdentifier", "").split(",") if subnet}
        blocks |= {f"target-group:{arn}" for arn in group.get("TargetGroupARNs", ())}
        template = group.get("LaunchTemplate") or (
            group.get("MixedInstancesPolicy", {}).get("LaunchTemplate", {}).get("LaunchTemplateSpecification", {})
        )
        if template:
            blocks.add(f"launch-template:{template['LaunchTemplateId']}")
        yield Resource(
            "autoscaling-group",
            name,
            partial(delete_groups, [name]),
            name,
            frozenset(blocks),
            delete_many=delete_groups,
            batch=f"autoscaling-groups {index // GROUPS_TOGETHER}",
        )


def _groups_removal(cloud: AWSCloud) -> Callable[[Sequence[str]], None]:
    def delete(names: Sequence[str]) -> None:
        for group in _groups_left(cloud, names):
            # AWS sets a status only while it deletes a group.
            if not group.get("Status"):
                name = group["AutoScalingGroupName"]
                call(cloud, "autoscaling", "delete_auto_scaling_group", AutoScalingGroupName=name, ForceDelete=True)
        # A name stays taken, and its instances are replaced, until the group is really gone.
        left = len(_groups_left(cloud, names))
        if left:
            raise TryAgainLater(f"the instances of {left} groups are being ended")

    return delete


def _groups_left(cloud: AWSCloud, names: Sequence[str]) -> list[dict[str, Any]]:
    found = cloud.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=list(names))
    return [group for group in found["AutoScalingGroups"] if group["AutoScalingGroupName"] in names]


def _launch_templates(cloud: AWSCloud) -> Iterator[Resource]:
    for template in describe_launch_templates(cloud).values():
        identifier = template["LaunchTemplateId"]
        delete = removal(cloud, "ec2", "delete_launch_template", LaunchTemplateId=identifier)
        yield Resource("launch-template", identifier, delete, template["LaunchTemplateName"])


def _instances(cloud: AWSCloud) -> Iterator[Resource]:
    for instance in owned_instances(cloud):
        if instance["State"]["Name"] == "terminated":
            continue
        blocks = {f"subnet:{instance['SubnetId']}"} if instance.get("SubnetId") else set()
        blocks |= {f"vpc:{instance['VpcId']}"} if instance.get("VpcId") else set()
        blocks |= {f"security-group:{group['GroupId']}" for group in instance.get("SecurityGroups", ())}
        blocks |= {f"network-interface:{each['NetworkInterfaceId']}" for each in instance.get("NetworkInterfaces", ())}
        blocks |= {f"volume:{mapping['Ebs']['VolumeId']}" for mapping in instance.get("BlockDeviceMappings", ())}
        if instance.get("IamInstanceProfile"):
            blocks.add(f"instance-profile:{instance['IamInstanceProfile']['Arn'].rsplit('/', 1)[-1]}")
        yield Resource(
            "instance",
            instance["InstanceId"],
            removal(cloud, "ec2", "terminate_instances", InstanceIds=[instance["InstanceId"]]),
            from_tags(instance.get("Tags")).get("Name", ""),
            frozenset(blocks),
            delete_many=_instances_removal(cloud),
        )


def _instances_removal(cloud: AWSCloud) -> Callable[[Sequence[str]], None]:
    def delete(identifiers: Sequence[str]) -> None:
        states = _states(cloud, identifiers)
        running = [identifier for identifier, state in states.items() if state not in ENDING]
        for part in parts(running, INSTANCES_TOGETHER):
            call(cloud, "ec2", "terminate_instances", InstanceIds=list(part))
        if running:
            states = _states(cloud, identifiers)
        left = sorted(identifier for identifier, state in states.items() if state != "terminated")
        if left:
            raise TryAgainLater(f"{len(left)} instances are shutting down")

    return delete


def _states(cloud: AWSCloud, identifiers: Sequence[str]) -> dict[str, str]:
    # A filter, unlike a list of ids, is no error when an instance has been forgotten meanwhile.
    reservations = []
    for part in parts(identifiers):
        filters = [{"Name": "instance-id", "Values": list(part)}]
        reservations += cloud.paged("ec2", "describe_instances", "Reservations", Filters=filters)
    instances: list[dict[str, Any]] = [instance for each in reservations for instance in each["Instances"]]
    states = {instance["InstanceId"]: instance["State"]["Name"] for instance in instances}
    return {identifier: states[identifier] for identifier in identifiers if identifier in states}


def _volumes(cloud: AWSCloud) -> Iterator[Resource]:
    for volume in owned(cloud, "describe_volumes", "Volumes"):
        identifier = volume["VolumeId"]
        tags = from_tags(volume.get("Tags"))
        delete = removal(cloud, "ec2", "delete_volume", VolumeId=identifier)
        yield Resource("volume", identifier, delete, tags.get("Name", ""), claim=claim_of(tags))


def _key_pairs(cloud: AWSCloud) -> Iterator[Resource]:
    name = f"kubernetes.{cloud.cluster_name}"
    # Key pairs of older kops versions have no tags: their name says whose they are, and ends in the key's fingerprint.
    untagged = re.compile(rf"{re.escape(name)}(-[0-9a-f]{{2}}(:[0-9a-f]{{2}})+)?")
    filters = [{"Name": "key-name", "Values": [name, f"{name}-*"]}]
    for pair in cloud.client("ec2").describe_key_pairs(Filters=filters)["KeyPairs"]:
        if pair["KeyName"] != name and not pair["KeyName"].startswith(f"{name}-"):
            continue
        owners = [key for key in from_tags(pair.get("Tags")) if key.startswith("kubernetes.io/cluster/")]
        if is_owned(cloud, pair.get("Tags")) or (not owners and untagged.fullmatch(pair["KeyName"])):
            delete = removal(cloud, "ec2", "delete_key_pair", KeyName=pair["KeyName"])
            yield Resource("key-pair", pair["KeyPairId"], delete, pair["KeyName"])
