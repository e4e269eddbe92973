# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the cloud's hosted zones a cluster's names go to.

Source: FindDNSHostedZone in upup/pkg/fi/cloudup/utils.go of kops.
"""

from __future__ import annotations

from ..api.clouds import cloud_of
from ..api.cluster import Cluster
from ..api.facts import CloudFacts
from ..api.questions import dns_type
from .problems import invalid, required


def find_hosted_zone(cluster: Cluster, facts: CloudFacts) -> str | None:
    """The id of the zone with the longest name that ends the cluster's; None where the cloud needs none.

    Raises ValidationError if there is none, more than one, or the cloud has no DNS.
    """
    cloud = cloud_of(cluster)
    if not cloud.needs_hosted_zone:
        return None
    if not cloud.has_hosted_zones:
        raise invalid("spec.networking.topology.dns", "must be None, as this cloud has no DNS", dns_type(cluster))
    name = f".{cluster.metadata.name}"
    zones = [
        zone
        for zone in facts.dns_zones()
        if name.endswith(f".{zone.name}")
        and (not cloud.has_private_hosted_zones or zone.private == (dns_type(cluster) == "Private"))
    ]
    longest = max((len(zone.name) for zone in zones), default=0)
    ids = [zone.id for zone in zones if len(zone.name) == longest]
    if not ids:
        parent = ".".join(name.split(".")[-2:])
        raise required(
            "spec.dnsZone",
            f"there is no {dns_type(cluster).lower()} hosted zone for {cluster.metadata.name}; "
            f"create one (for example {parent}) or set spec.networking.topology.dns to None",
        )
    if len(ids) > 1:
        raise required("spec.dnsZone", f"several hosted zones fit {cluster.metadata.name}: {', '.join(ids)}; give one")
    return ids[0]
