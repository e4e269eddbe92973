# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the ranges of a VPC and of its subnets may be ("VPC CIDR blocks", "Subnet CIDR blocks" of AWS' guide)."""

from __future__ import annotations

from collections.abc import Sequence

from ..addresses import overlap, parse_cidr
from ..cluster import Cluster
from .problems import Problems, invalid

LARGEST, SMALLEST = 16, 28
_RULE = f"AWS takes ranges from /{LARGEST} to /{SMALLEST}"


def validate_ranges(cluster: Cluster, path: str = "spec.networking") -> Problems:
    """The ranges that would be made; those of a network that exists are as they are."""
    networking = cluster.spec.networking
    found: Problems = []
    if not networking.network_id:
        found += _validate_range(networking.network_cidr, f"{path}.networkCIDR")
        for index, cidr in enumerate(networking.additional_network_cidrs):
            found += _validate_range(cidr, f"{path}.additionalNetworkCIDRs[{index}]")
        found += _validate_different([networking.network_cidr, *networking.additional_network_cidrs], path)
    for index, subnet in enumerate(networking.subnets):
        if not subnet.id:
            hint = f"; with a larger networkCIDR than {networking.network_cidr} there is room for all subnets"
            # A subnet is never larger than its network, which AWS has taken already if it exists.
            largest = 0 if networking.network_id else LARGEST
            found += _validate_range(subnet.cidr, f"{path}.subnets[{index}].cidr", hint, largest)
    return found


def _validate_different(ranges: Sequence[str | None], path: str) -> Problems:
    """AWS takes a further range of a VPC only if it has nothing in common with the others."""
    networks = [parse_cidr(each or "") for each in ranges]
    found: Problems = []
    for index, network in enumerate(networks):
        earlier = next((each for each in networks[:index] if overlap(network, each)), None)
        if earlier is not None:
            place = f"{path}.additionalNetworkCIDRs[{index - 1}]"
            found.append(invalid(place, ranges[index], f"overlaps {earlier}, which the network has already"))
    return found


def _validate_range(cidr: str | None, path: str, hint: str = "", largest: int = LARGEST) -> Problems:
    network = parse_cidr(cidr or "")
    if network is None or network.version != 4 or largest <= network.prefixlen <= SMALLEST:
        return []
    return [invalid(path, cidr, f"{_RULE}{hint if network.prefixlen > SMALLEST else ''}")]
