# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of addresses of a cluster on GCE, where a network has no range of its own, only its subnets do.

Source: upup/pkg/fi/cloudup/gce/network.go of kops.
"""

from __future__ import annotations

import ipaddress
import itertools

from ...api.addresses import Network, parse_cidr
from ...api.cloud_names import safe_cluster_name
from ...api.cluster import Cluster
from ...api.facts import CloudFacts
from ..problems import invalid
from .questions import uses_ip_aliases

# The private range that everything is taken from.
_POOL = ipaddress.IPv4Network("10.0.0.0/8")
_POD_PREFIX, _SERVICE_PREFIX, _ALIASED_NODE_PREFIX, _NODE_PREFIX = 14, 16, 19, 20


def assign_gce_ranges(cluster: Cluster, facts: CloudFacts) -> None:
    """Set the ranges that are missing, clear of those that the network has already."""
    if uses_ip_aliases(cluster):
        _assign_aliased(cluster, facts)
        return
    without = [subnet for subnet in cluster.spec.networking.subnets if not subnet.id and not subnet.cidr]
    used = _used_ranges(cluster, facts) if without else []
    for subnet in without:
        subnet.cidr = _allocate(_NODE_PREFIX, used)


def _assign_aliased(cluster: Cluster, facts: CloudFacts) -> None:
    networking = cluster.spec.networking
    if len(networking.subnets) != 1:
        raise invalid("spec.networking.subnets", "must be exactly one where pods have alias addresses")
    subnet = networking.subnets[0]
    if networking.pod_cidr and networking.service_cluster_ip_range and subnet.cidr:
        return
    used = _used_ranges(cluster, facts)
    networking.pod_cidr = _allocate(_POD_PREFIX, used)
    networking.service_cluster_ip_range = _allocate(_SERVICE_PREFIX, used)
    subnet.cidr = _allocate(_ALIASED_NODE_PREFIX, used)
    # Pods are reached directly from everywhere in the network.
    networking.non_masquerade_cidr = str(_POOL)


def _used_ranges(cluster: Cluster, facts: CloudFacts) -> list[Network]:
    name = cluster.spec.networking.network_id or safe_cluster_name(cluster.metadata.name or "")
    network = facts.network(name)
    if network is None:
        return []
    texts = [*(subnet.cidr for subnet in network.subnets), *network.additional_cidrs]
    return [parsed for parsed in map(parse_cidr, texts) if parsed]


def _allocate(prefix: int, used: list[Network]) -> str:
    # The first block of the pool is never taken, as kops never takes it.
    for block in itertools.islice(_POOL.subnets(new_prefix=prefix), 1, None):
        if not any(block.overlaps(other) for other in used):
            used.append(block)
            return str(block)
    raise invalid("spec.networking.networkID", f"the network leaves no range of size /{prefix} free in {_POOL}")
