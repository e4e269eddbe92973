# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the cluster is: what has to be right before its cloud can be asked anything."""

from __future__ import annotations

from ...base.errors import FieldError
from ..clouds import AWS, GCE, cloud_of
from ..cluster import Cluster
from ..facts import CloudFacts
from ..suggest import did_you_mean
from .problems import Problems, other

_SUBNETS = "spec.networking.subnets"


def validate_location(cluster: Cluster, facts: CloudFacts | None = None) -> Problems:
    """Region and zones of an AWS cluster, region and project of a GCE cluster.

    With facts, also whether the zones exist. Of type Other, because kops finds these without naming a field.
    """
    cloud = cloud_of(cluster)
    if cloud is GCE:
        return _validate_on_gce(cluster)
    return _validate_on_aws(cluster, facts) if cloud is AWS else []


def _validate_on_gce(cluster: Cluster) -> Problems:
    found: Problems = []
    if not any(subnet.region for subnet in cluster.spec.networking.subnets):
        found.append(other(_SUBNETS, "on GCE a subnet needs its region, for example us-central1"))
    gce = cluster.spec.cloud_provider.gce
    if gce is not None and not gce.project:
        found.append(other("spec.cloudProvider.gce.project", "the project in which the cluster lives is needed"))
    return found


def _validate_on_aws(cluster: Cluster, facts: CloudFacts | None) -> Problems:
    subnets = cluster.spec.networking.subnets
    found: Problems = []
    first: str | None = None
    for index, subnet in enumerate(subnets):
        at, zone = f"{_SUBNETS}[{index}].zone", subnet.zone or ""
        if not zone and not subnet.id:
            found.append(other(at, f"subnet {subnet.name or index} needs a zone, or the id of a subnet that exists"))
        if not zone:
            # The cloud knows the zone of a subnet that exists.
            continue
        first = first or zone
        if len(zone) <= 2:
            found.append(other(at, "is not a zone; write for example us-east-1a", zone))
        elif zone[:-1] != first[:-1]:
            found.append(
                other(at, f"is not in region {first[:-1]}, where zone {first} is; a cluster has one region", zone)
            )
        elif facts is not None and zone not in facts.zones():
            found.append(_unknown_zone(at, zone, facts))
    if first is None and not found:
        found.append(other(_SUBNETS, "at least one subnet with a zone is needed, which tells the region"))
    return found


def _unknown_zone(path: str, zone: str, facts: CloudFacts) -> FieldError:
    zones = sorted(facts.zones())
    return other(
        path, f"does not exist in region {facts.region}, which has {', '.join(zones)}{did_you_mean(zone, zones)}", zone
    )
