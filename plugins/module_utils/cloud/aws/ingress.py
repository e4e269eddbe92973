# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host names of the Kubernetes API and of the bastions of a cluster on AWS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..endpoints import Endpoint
from ..instances import Target
from .cloud import AWSCloud, from_tags
from .elb import LARGEST_TAG_REQUEST, REVISION_TAG, describe_load_balancers

_API_PORT = 443


def api_endpoints(cloud: AWSCloud) -> list[Endpoint]:
    """The API's network load balancer, the latest revision first; empty when there is none."""
    return _endpoints(cloud, f"api.{cloud.cluster_name}")


def bastion_endpoints(cloud: AWSCloud) -> list[Endpoint]:
    """The bastions' network load balancer, in the same way."""
    return _endpoints(cloud, f"bastion.{cloud.cluster_name}")


def api_targets(cloud: AWSCloud) -> list[Target] | None:
    """The targets of the API behind its load balancer, as they are now; None without a load balancer."""
    balancers = _balancers(cloud, f"api.{cloud.cluster_name}")
    if not balancers:
        return None
    client: Any = cloud.client("elbv2")
    groups = client.describe_target_groups(LoadBalancerArn=balancers[0]["LoadBalancerArn"])["TargetGroups"]
    found = [
        description
        for group in groups
        if group.get("Port") == _API_PORT
        for description in client.describe_target_health(TargetGroupArn=group["TargetGroupArn"])[
            "TargetHealthDescriptions"
        ]
    ]
    return [
        Target(each["Target"]["Id"], each["TargetHealth"]["State"] == "healthy", _state(each["TargetHealth"]))
        for each in found
    ]


def _state(health: Mapping[str, str]) -> str:
    reason = health.get("Description") or health.get("Reason")
    return f"{health['State']}: {reason}" if reason else health["State"]


def _endpoints(cloud: AWSCloud, name: str) -> list[Endpoint]:
    """All have names."""
    return [Endpoint(str(each["DNSName"]), each.get("Scheme") == "internal") for each in _balancers(cloud, name)]


def _balancers(cloud: AWSCloud, name: str) -> list[dict[str, Any]]:
    """Load balancers with a tag Name, as kops finds them; the latest revision first."""
    balancers = {
        found["LoadBalancerArn"]: found
        for found in cloud.once(describe_load_balancers)
        if found.get("Type") == "network" and found.get("DNSName")
    }
    ours: list[tuple[int, str]] = []
    for arn, tags in _tags(cloud, list(balancers)).items():
        revision = tags.get(REVISION_TAG) or "0"
        if tags.get("Name") == name and revision.isdigit():
            ours.append((int(revision), arn))
    return [balancers[arn] for _revision, arn in sorted(ours, reverse=True)]


def _tags(cloud: AWSCloud, arns: list[str]) -> dict[str, dict[str, str]]:
    client: Any = cloud.client("elbv2")
    found: dict[str, dict[str, str]] = {}
    for at in range(0, len(arns), LARGEST_TAG_REQUEST):
        answer = client.describe_tags(ResourceArns=arns[at : at + LARGEST_TAG_REQUEST])
        found.update({each["ResourceArn"]: from_tags(each["Tags"]) for each in answer["TagDescriptions"]})
    return found
