# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of a cluster's subnets: of shared ones as the cloud has them, of others cut from the network's range.

Source: upup/pkg/fi/cloudup/subnets.go of kops.
"""

from __future__ import annotations

from ..api.addresses import Network, overlap
from ..api.clouds import AWS, cloud_of
from ..api.cluster import Cluster
from ..api.facts import CloudFacts
from ..api.networking import ClusterSubnetSpec
from .addresses import parse_network
from .problems import invalid, not_found, required

_BIG_TYPES = ("Public", "Private", "DualStack")
_LITTLE_TYPE = "Utility"
# The network's range is cut in 1, 2, 4 or 8, and one of these parts in 8 for the little subnets.
_MAX_CUTS = 3


def assign_subnet_cidrs(cluster: Cluster, facts: CloudFacts) -> None:
    """Set the ranges (and on AWS the zones) that subnets lack.

    Raises ValidationError if the spec contradicts the cloud, or the network's range has no room left.
    """
    subnets = cluster.spec.networking.subnets
    zones_missing = cloud_of(cluster) is AWS and any(subnet.id and not subnet.zone for subnet in subnets)
    if not zones_missing and all(map(_has_ranges, subnets)):
        return
    if cluster.spec.networking.network_id:
        _adopt_shared(cluster, facts, zones_missing)
    for index, subnet in enumerate(subnets):
        if zones_missing and subnet.id and not subnet.zone:
            raise required(f"spec.networking.subnets[{index}].zone", "cannot be found out; give it")
    if not all(map(_has_ranges, subnets)):
        _cut_network(cluster)


def _has_ranges(subnet: ClusterSubnetSpec) -> bool:
    # Private subnets may do with IPv6 alone.
    return bool(subnet.cidr or (subnet.ipv6_cidr and subnet.type == "Private"))


def _adopt_shared(cluster: Cluster, facts: CloudFacts, zones_missing: bool) -> None:
    networking = cluster.spec.networking
    network = facts.network(networking.network_id or "")
    if network is None:
        raise not_found("spec.networking.networkID", "no such network in the cloud", networking.network_id)
    found = {subnet.id: subnet for subnet in network.subnets}
    for index, subnet in enumerate(networking.subnets):
        path = f"spec.networking.subnets[{index}]"
        if not subnet.id:
            continue
        actual = found.get(subnet.id)
        if actual is None:
            raise not_found(f"{path}.id", f"no such subnet in the network {network.id}", subnet.id)
        subnet.cidr = subnet.cidr or actual.cidr
        if not _has_ranges(subnet):
            raise required(f"{path}.cidr", f"the subnet {subnet.id} has none in the cloud")
        if (subnet.cidr or "") != actual.cidr:
            raise invalid(f"{path}.cidr", f"is {actual.cidr} in the cloud", subnet.cidr)
        if zones_missing:
            subnet.zone = subnet.zone or actual.zone
        if (subnet.zone or "") != actual.zone:
            raise invalid(f"{path}.zone", f"is {actual.zone} in the cloud", subnet.zone)


def _cut_network(cluster: Cluster) -> None:
    networking = cluster.spec.networking
    parent = parse_network("spec.networking.networkCIDR", networking.network_cidr)
    big: list[tuple[str, ClusterSubnetSpec]] = []
    little: list[tuple[str, ClusterSubnetSpec]] = []
    taken: list[Network] = []
    for index, subnet in enumerate(networking.subnets):
        path = f"spec.networking.subnets[{index}]"
        if subnet.cidr:
            own = parse_network(f"{path}.cidr", subnet.cidr)
            if own.network_address not in parent:
                continue  # it lies in one of the additional ranges
            taken.append(own)
        if subnet.type not in (*_BIG_TYPES, _LITTLE_TYPE):
            raise invalid(f"{path}.type", f"must be one of {', '.join((*_BIG_TYPES, _LITTLE_TYPE))}", subnet.type)
        (little if subnet.type == _LITTLE_TYPE else big).append((path, subnet))

    parts = len(big) + bool(little)
    cuts = next((bits for bits in range(_MAX_CUTS) if parts <= 1 << bits), _MAX_CUTS)
    free = [part for part in _cut(parent, cuts) if not any(overlap(part, other) for other in taken)]
    if not free:
        raise invalid("spec.networking.networkCIDR", "has no room beside the subnets that have ranges", str(parent))
    if little:
        _deal(little, _cut(free.pop(0), _MAX_CUTS))
    _deal(big, free)


def _cut(network: Network, bits: int) -> list[Network]:
    path = "spec.networking.networkCIDR"
    if network.version != 4 or network.prefixlen + bits > network.max_prefixlen:
        raise invalid(path, "must be an IPv4 range large enough for all subnets", str(network))
    return list(network.subnets(prefixlen_diff=bits))


def _deal(subnets: list[tuple[str, ClusterSubnetSpec]], free: list[Network]) -> None:
    ranges = iter(free)
    for path, subnet in sorted(subnets, key=lambda entry: entry[1].zone or ""):
        if _has_ranges(subnet):
            continue
        part = next(ranges, None)
        if part is None:
            raise invalid(f"{path}.cidr", "spec.networking.networkCIDR has no room left for it; give one")
        subnet.cidr = str(part)
