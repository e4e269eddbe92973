# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Batched reads of Elastic Load Balancing: all load balancers and target groups of a network at once.

ELB names are short, so an object is found by its tag Name. Two of kops' objects can be there under one Name: a load
balancer that could not be changed in place is replaced by a new revision (a tag), and the old one stays until it is
pruned. The latest revision is the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...api.cloud_names import with_hash
from .cloud import AWSCloud, from_tags, missing_tags, to_tags
from .ownership import says_owned

REVISION_TAG = "kops.k8s.io/revision"
# AWS' limits: names of load balancers and target groups; ARNs in one DescribeTags; page size.
LONGEST_NAME = 32
LARGEST_TAG_REQUEST = 20
PAGE = {"PageSize": 400}


@dataclass(frozen=True)
class Tagged:
    """A load balancer or target group as AWS describes it, with its tags."""

    arn: str
    description: dict[str, Any]
    tags: dict[str, str]

    @property
    def revision(self) -> str:
        """Its revision; "" for the first."""
        return self.tags.get(REVISION_TAG, "")

    @property
    def plain_tags(self) -> dict[str, str]:
        """Its tags without the revision."""
        return {key: value for key, value in self.tags.items() if key != REVISION_TAG}


@dataclass(frozen=True)
class Snapshot:
    """What the cluster owns in one network."""

    load_balancers: tuple[Tagged, ...]
    target_groups: tuple[Tagged, ...]


def describe_target_groups(cloud: AWSCloud) -> list[dict[str, Any]]:
    """Every target group of the account and region."""
    return cloud.paged("elbv2", "describe_target_groups", "TargetGroups", PaginationConfig=PAGE)


def describe_load_balancers(cloud: AWSCloud) -> list[dict[str, Any]]:
    """Every load balancer of the account and region."""
    return cloud.paged("elbv2", "describe_load_balancers", "LoadBalancers", PaginationConfig=PAGE)


def read_network(cloud: AWSCloud, vpc_id: str) -> Snapshot:
    """The cluster's network load balancers and target groups in a VPC."""
    balancers = [
        found
        for found in cloud.once(describe_load_balancers)
        if found.get("VpcId") == vpc_id and found.get("Type") == "network"
    ]
    groups = [found for found in cloud.once(describe_target_groups) if found.get("VpcId") == vpc_id]
    arns = [found["LoadBalancerArn"] for found in balancers] + [found["TargetGroupArn"] for found in groups]
    tags = _tags(cloud, arns)
    return Snapshot(
        load_balancers=_owned(cloud, "LoadBalancerArn", balancers, tags),
        target_groups=_owned(cloud, "TargetGroupArn", groups, tags),
    )


def describe_listeners(cloud: AWSCloud, load_balancer_arn: str) -> list[dict[str, Any]]:
    """The listeners of a load balancer."""
    return cloud.paged("elbv2", "describe_listeners", "Listeners", LoadBalancerArn=load_balancer_arn)


def latest(candidates: Iterable[Tagged]) -> Tagged | None:
    """The highest revision."""
    return max(candidates, key=lambda found: int(found.revision or 0), default=None)


def revision_name(name: str) -> str:
    """The AWS name of a revision: cut to AWS' length, and always with a hash of the whole (kops' rule)."""
    return with_hash(name, LONGEST_NAME)


def write_tags(cloud: AWSCloud, arn: str, actual: dict[str, str] | None, wanted: dict[str, str] | None) -> None:
    """Add the tags that are missing or have another value."""
    missing = missing_tags(actual, wanted)
    if missing:
        cloud.client("elbv2").add_tags(ResourceArns=[arn], Tags=to_tags(missing))


def _tags(cloud: AWSCloud, arns: Sequence[str]) -> dict[str, dict[str, str]]:
    tags: dict[str, dict[str, str]] = {}
    for start in range(0, len(arns), LARGEST_TAG_REQUEST):
        asked = list(arns[start : start + LARGEST_TAG_REQUEST])
        answer = cloud.client("elbv2").describe_tags(ResourceArns=asked)
        tags.update({found["ResourceArn"]: from_tags(found["Tags"]) for found in answer["TagDescriptions"]})
    return tags


def _owned(
    cloud: AWSCloud, arn_key: str, found: Iterable[dict[str, Any]], tags: dict[str, dict[str, str]]
) -> tuple[Tagged, ...]:
    all_of_them = (Tagged(item[arn_key], item, tags.get(item[arn_key], {})) for item in found)
    return tuple(
        item
        for item in all_of_them
        if says_owned(cloud, item.tags) or item.tags.get("KubernetesCluster") == cloud.cluster_name
    )
