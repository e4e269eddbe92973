# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.networking.topology: which kind of DNS, and whether the cloud can do it."""

from __future__ import annotations

from ..clouds import NONE, cloud_of
from ..cluster import Cluster
from ..questions import dns_type, uses_none_dns
from .problems import Problems, forbidden, one_of

DNS_TYPES = ("Public", "Private", "None")
# None needs a stable address for the API; Public a controller for the cloud's zones; Private a private zone.


def validate_topology(cluster: Cluster, path: str) -> Problems:
    """The DNS type: a known one, and one that the cloud supports."""
    at = f"{path}.dns.type"
    kind, cloud = dns_type(cluster), cloud_of(cluster)
    found = one_of(at, kind, DNS_TYPES)
    if cloud is NONE:
        found.append(forbidden(at, "cannot be judged without a cloud in spec.cloudProvider"))
    elif not uses_none_dns(cluster) and (cluster.metadata.name or "").rstrip(".").endswith(".k8s.local"):
        found.append(
            forbidden(at, "names ending in .k8s.local meant gossip DNS, which is gone; use None, or a hosted zone")
        )
    elif kind not in cloud.dns_types:
        allowed = ", ".join(cloud.dns_types)
        found.append(forbidden(at, f"{kind} is not available on {cloud.title}; allowed: {allowed}"))
    return found
