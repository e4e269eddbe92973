# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where users reach the Kubernetes API and the bastions of a cluster on AWS."""

from __future__ import annotations

from typing import Any

from .cloud import AWSCloud, from_tags
from .elb import LARGEST_TAG_REQUEST, REVISION_TAG, describe_load_balancers


def api_hostnames(cloud: AWSCloud) -> list[str]:
    """Host names of the API's network load balancer, the latest revision first; empty when there is none."""
    return _hostnames(cloud, f"api.{cloud.cluster_name}")


def bastion_hostnames(cloud: AWSCloud) -> list[str]:
    """Host names of the bastions' network load balancer, in the same way."""
    return _hostnames(cloud, f"bastion.{cloud.cluster_name}")


def _hostnames(cloud: AWSCloud, name: str) -> list[str]:
    """By the tag Name of load balancers, as kops finds them."""
    balancers = {
        found["LoadBalancerArn"]: found
        for found in cloud.once(describe_load_balancers)
        if found.get("Type") == "network" and found.get("DNSName")
    }
    ours: list[tuple[int, str]] = []
    for arn, tags in _tags(cloud, list(balancers)).items():
        revision = tags.get(REVISION_TAG) or "0"
        if tags.get("Name") == name and revision.isdigit():
            ours.append((int(revision), str(balancers[arn]["DNSName"])))
    return [host for _revision, host in sorted(ours, reverse=True)]


def _tags(cloud: AWSCloud, arns: list[str]) -> dict[str, dict[str, str]]:
    client: Any = cloud.client("elbv2")
    found: dict[str, dict[str, str]] = {}
    for at in range(0, len(arns), LARGEST_TAG_REQUEST):
        answer = client.describe_tags(ResourceArns=arns[at : at + LARGEST_TAG_REQUEST])
        found.update({each["ResourceArn"]: from_tags(each["Tags"]) for each in answer["TagDescriptions"]})
    return found
