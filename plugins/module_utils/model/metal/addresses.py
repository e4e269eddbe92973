# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addresses hosts of a cluster can have, and their API: others reach them, and they are not those of pods."""

from __future__ import annotations

from ...api.addresses import Address, parse_address, parse_cidr
from ...api.cluster import Cluster
from ...api.questions import is_ipv6_only

# What an address is that no other host reaches, in words.
_SPECIAL = {
    "is_unspecified": "no host's address",
    "is_loopback": "an address that each host has for itself",
    "is_multicast": "an address of many hosts",
    "is_link_local": "an address without meaning beyond its network",
    # For IPv4: 240.0.0.0/4, with the broadcast address.
    "is_reserved": "reserved",
}


def problem_of_address(cluster: Cluster, text: str) -> str:
    """Why an address cannot be that of a host or of the API, without a subject; "" if it can, or if it is none."""
    address = parse_address(text)
    if address is None:
        return ""
    wanted = 6 if is_ipv6_only(cluster) else 4
    if address.version != wanted:
        return f"is an address of IPv{address.version}, and the cluster has IPv{wanted}"
    for name, what in _SPECIAL.items():
        if getattr(address, name):
            return f"is {what}"
    return _in_range(cluster, address)


def _in_range(cluster: Cluster, address: Address) -> str:
    networking = cluster.spec.networking
    for what, path, given in (
        ("Services", "serviceClusterIPRange", networking.service_cluster_ip_range),
        ("pods", "podCIDR", networking.pod_cidr),
    ):
        network = parse_cidr(given or "")
        if network is not None and address in network:
            return f"is in {network}, the range of {what} (spec.networking.{path})"
    return ""
