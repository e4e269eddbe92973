# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ownership of objects by a cluster. No other file decides it.

A request's filter only keeps the answer short. Whether an object is the cluster's, its own tags say: what is deleted,
detached or changed goes through here, because some servers, and the SDK with a misspelt argument, pass over filters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .cloud import AWSCloud, from_tags

OWNED = "owned"


def cluster_tag(cloud: AWSCloud) -> str:
    """The tag key that every object of the cluster carries; its value says whether it is owned or shared."""
    return f"kubernetes.io/cluster/{cloud.cluster_name}"


def says_owned(cloud: AWSCloud, tags: Mapping[str, str]) -> bool:
    """Whether tags, by key, say that the object goes when the cluster goes."""
    return tags.get(cluster_tag(cloud)) == OWNED


def is_owned(cloud: AWSCloud, tags: Iterable[dict[str, str]] | None) -> bool:
    """The same of AWS' list of {Key, Value}."""
    return says_owned(cloud, from_tags(tags))


def owned_filter(cloud: AWSCloud) -> list[dict[str, Any]]:
    """The filter for it, as EC2 and Auto Scaling have it."""
    return [{"Name": f"tag:{cluster_tag(cloud)}", "Values": [OWNED]}]


def owned(
    cloud: AWSCloud, operation: str, result_key: str, *filters: dict[str, Any], service: str = "ec2", **more: Any
) -> list[dict[str, Any]]:
    """Objects of a listing operation that the cluster owns.

    filters: what else the answer is kept short by; the caller looks at those fields again.
    """
    chosen = [*owned_filter(cloud), *filters]
    found = cloud.paged(service, operation, result_key, Filters=chosen, **more)
    return [item for item in found if is_owned(cloud, item.get("Tags"))]


def owned_instances(cloud: AWSCloud, states: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The instances that the cluster owns, in these states or in any."""
    wanted = list(states)
    filters = [*owned_filter(cloud), *([{"Name": "instance-state-name", "Values": wanted}] if wanted else [])]
    reservations = cloud.paged("ec2", "describe_instances", "Reservations", Filters=filters)
    return [
        instance
        for reservation in reservations
        for instance in reservation["Instances"]
        if is_owned(cloud, instance.get("Tags")) and (not wanted or instance["State"]["Name"] in wanted)
    ]
