# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of a cluster's autoscaling groups, and the last words of those that did not become nodes."""

from __future__ import annotations

import re
from typing import Any

from ...base.labels import INSTANCE_GROUP
from ..instances import Instance, InstancesOfGroup
from .cloud import AWSCloud, from_tags
from .errors import error_code
from .ownership import owned_instances
from .tasks.autoscaling_group import describe_groups
from .tasks.removed_instance_groups import LIVING

# States of instances that are, or will be, in the service of their group; those of a warm pool are in none of them.
_SERVING = ("Pending", "InService", "EnteringStandby", "Standby")
# What the node program prints, after whatever the console puts before it.
_OUR_LINE = re.compile(r"\bkubeops: .*")


def describe_instances(cloud: AWSCloud) -> dict[str, dict[str, Any]]:
    """The cluster's instances that start, run, or are stopped, by id."""
    return {each["InstanceId"]: each for each in owned_instances(cloud, LIVING)}


def instances_by_group(cloud: AWSCloud) -> dict[str, InstancesOfGroup]:
    """Instance group -> what AWS has of it, as it is now: two calls, and their further pages."""
    cloud.forget(describe_groups)
    cloud.forget(describe_instances)
    groups = groups_by_instance_group(cloud)
    known = cloud.once(describe_instances) if any(group.get("Instances") for group in groups.values()) else {}
    return {
        name: InstancesOfGroup(
            int(group.get("DesiredCapacity") or 0),
            [_instance(each["InstanceId"], known) for each in group.get("Instances") or () if _serves(each)],
        )
        for name, group in groups.items()
    }


def running_by_group(cloud: AWSCloud) -> dict[str, list[str]]:
    """Autoscaling group -> ids of its instances, as they were read last; whatever an update compares reads them."""
    return {
        name: sorted(each["InstanceId"] for each in group.get("Instances") or ())
        for name, group in cloud.once(describe_groups).items()
    }


def groups_by_instance_group(cloud: AWSCloud) -> dict[str, dict[str, Any]]:
    """Instance group -> its autoscaling group."""
    groups = cloud.once(describe_groups).values()
    named = ((from_tags(group.get("Tags")).get(INSTANCE_GROUP), group) for group in groups)
    return {name: group for name, group in named if name}


def console_output(cloud: AWSCloud, instance_id: str) -> str:
    """What an instance has printed to its console: the last 64 KiB; "" if nothing is known of that."""
    from botocore.exceptions import ClientError

    client, answer = cloud.client("ec2"), {}
    # Older machine types have no latest output, but what was printed some minutes ago.
    for options in ({"Latest": True}, {}):
        try:
            answer = client.get_console_output(InstanceId=instance_id, **options)
            break
        except ClientError as error:
            if error_code(error) != "UnsupportedOperation":
                return ""
    return str(answer.get("Output") or "")


def last_line(cloud: AWSCloud, instance_id: str) -> str:
    """What the node program last printed to the console of an instance; "" if nothing is known of that."""
    lines = _OUR_LINE.findall(console_output(cloud, instance_id))
    return str(lines[-1]).strip() if lines else ""


def _serves(member: dict[str, Any]) -> bool:
    return str(member.get("LifecycleState", "")).partition(":")[0] in _SERVING


def _instance(instance_id: str, known: dict[str, dict[str, Any]]) -> Instance:
    """EC2 gives instances the name by address itself."""
    about = known.get(instance_id, {})
    addresses = (about.get("PublicIpAddress"), about.get("Ipv6Address"), about.get("PrivateIpAddress"))
    found = tuple(address for address in addresses if address)
    return Instance(instance_id, about.get("PrivateDnsName") or "", about.get("LaunchTime"), found)
