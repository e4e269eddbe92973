# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of instances in EC2: their health and their end."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .cloud import AWSCloud, parts

# The two checks that EC2 makes: of the machine below an instance, and of the instance itself.
_CHECKS = {"SystemStatus": "system-status.status", "InstanceStatus": "instance-status.status"}


def impaired(cloud: AWSCloud) -> dict[str, tuple[datetime.datetime | None, str]]:
    """Instances that fail a status check: since when, if EC2 says so, and which check. Of the whole account.

    DescribeInstanceStatus knows no tags, but few instances are impaired at any time.
    """
    found: dict[str, tuple[datetime.datetime | None, str]] = {}
    for check, name in _CHECKS.items():
        filters = [{"Name": name, "Values": ["impaired"]}]
        for each in cloud.paged("ec2", "describe_instance_status", "InstanceStatuses", Filters=filters):
            if each[check]["Status"] != "impaired":
                continue
            since = min(_since(each[check]), default=None)
            found.setdefault(
                each["InstanceId"], (since, f"{'system' if check == 'SystemStatus' else 'instance'} status")
            )
    return found


def existing(cloud: AWSCloud, names: Collection[str]) -> set[str]:
    """Which of these instances EC2 has in any state but terminated, with whatever tags."""
    found = set()
    for part in parts(sorted(names)):
        filters = [{"Name": "instance-id", "Values": list(part)}]
        for reservation in cloud.paged("ec2", "describe_instances", "Reservations", Filters=filters):
            found |= {each["InstanceId"] for each in reservation["Instances"] if each["State"]["Name"] != "terminated"}
    return found & set(names)


def _since(status: Mapping[str, Any]) -> Iterator[datetime.datetime]:
    return (each["ImpairedSince"] for each in status.get("Details") or () if each.get("ImpairedSince"))
