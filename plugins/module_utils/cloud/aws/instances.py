# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of a cluster's autoscaling groups, and the last words of those that did not become nodes."""

from __future__ import annotations

from typing import Any

from ...base.labels import INSTANCE_GROUP
from .cloud import AWSCloud, from_tags
from .errors import error_code
from .ownership import owned_instances
from .tasks.autoscaling_group import describe_groups
from .tasks.removed_instance_groups import LIVING


def describe_instances(cloud: AWSCloud) -> dict[str, dict[str, Any]]:
    """The cluster's instances that start, run, or are stopped, by id."""
    return {each["InstanceId"]: each for each in owned_instances(cloud, LIVING)}


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
