# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.networking: the address ranges, and exactly one network provider."""

from __future__ import annotations

from ..addresses import Network, belongs_to, check_cidr, overlap
from ..clouds import cloud_of
from ..cluster import Cluster
from ..questions import is_ipv6_only
from .network_providers import validate_network_providers
from .problems import Problems, forbidden, invalid, required
from .subnets import Surroundings, validate_subnets
from .topology import validate_topology

LEAST_SERVICES = 8


def validate_networking(cluster: Cluster, strict: bool, path: str = "spec.networking") -> Problems:
    """All of spec.networking. strict: the spec is complete."""
    networking = cluster.spec.networking
    rules = cloud_of(cluster).network
    networks, found = _validate_networks(cluster, path)
    outside, wrong = _validate_non_masquerade(cluster, f"{path}.nonMasqueradeCIDR", networks)
    found += wrong
    pods, wrong = _validate_pods(cluster, f"{path}.podCIDR", strict, outside)
    found += wrong
    services: Network | None = None
    if networking.service_cluster_ip_range:
        services, wrong = check_cidr(f"{path}.serviceClusterIPRange", networking.service_cluster_ip_range)
        found += wrong
        if services is not None and services.num_addresses < LEAST_SERVICES:
            message = f"has {services.num_addresses} addresses; the API server needs at least {LEAST_SERVICES}"
            found.append(invalid(f"{path}.serviceClusterIPRange", networking.service_cluster_ip_range, message))
    elif strict:
        found.append(required(f"{path}.serviceClusterIPRange", "the range of service addresses is needed"))
    around = Surroundings(tuple(networks), pods, services)
    found += validate_subnets(cluster, f"{path}.subnets", strict, rules, around)
    if networking.topology is not None:
        found += validate_topology(cluster, f"{path}.topology")
    return found + validate_network_providers(cluster, path)


def _validate_networks(cluster: Cluster, path: str) -> tuple[list[Network], Problems]:
    networking, cloud = cluster.spec.networking, cloud_of(cluster)
    networks: list[Network] = []
    found: Problems = []
    at = f"{path}.networkCIDR"
    if not networking.network_cidr:
        if cloud.network.needs_cidr:
            found.append(required(at, "the CIDR of the cluster's network is needed"))
    elif cloud.network.prohibits_cidr:
        found.append(
            forbidden(at, f"networks on {cloud.title} have no CIDR of their own, only subnets have; remove it")
        )
    else:
        network, found = check_cidr(at, networking.network_cidr)
        if network is not None:
            networks.append(network)
        if cloud.network.private_cidr_only:
            if network is not None and not _is_private(network):
                found.append(
                    invalid(at, networking.network_cidr, "must be private: in 10/8, 172.16/12, 192.168/16 or fc00::/7")
                )
            if networking.network_id:
                found.append(forbidden(at, f"on {cloud.title} give either networkID or networkCIDR, not both"))
    if networking.additional_network_cidrs and not cloud.network.several_cidrs:
        found.append(forbidden(f"{path}.additionalNetworkCIDRs", f"are available on AWS only, not on {cloud.title}"))
        return networks, found
    for index, cidr in enumerate(networking.additional_network_cidrs):
        network, wrong = check_cidr(f"{path}.additionalNetworkCIDRs[{index}]", cidr)
        found += wrong
        if network is not None:
            networks.append(network)
    return networks, found


def _is_private(network: Network) -> bool:
    """RFC 1918 and RFC 4193; narrower than Python's is_private, which also means documentation ranges."""
    octets = network.network_address.packed
    if network.version == 6:
        return octets[0] & 0xFE == 0xFC
    return octets[0] == 10 or (octets[0] == 172 and octets[1] & 0xF0 == 16) or octets[:2] == b"\xc0\xa8"


def _validate_non_masquerade(cluster: Cluster, path: str, networks: list[Network]) -> tuple[Network | None, Problems]:
    networking = cluster.spec.networking
    cidr = networking.non_masquerade_cidr
    if not cidr:
        needed = cloud_of(cluster).network.needs_non_masquerade_cidr
        return None, [required(path, "the range that is reached without masquerading is needed")] if needed else []
    outside, found = check_cidr(path, cidr)
    if ":" in cidr and cidr != "::/0":
        found.append(forbidden(path, "an IPv6 cluster has the nonMasqueradeCIDR ::/0"))
    # With these two, pods have addresses of the network itself.
    pods_in_network = networking.amazon_vpc or (networking.cilium and networking.cilium.ipam == "eni")
    if outside is not None and not pods_in_network:
        found += [
            forbidden(path, f"{cidr} overlaps the cluster's network {network}")
            for network in networks
            if overlap(outside, network)
        ]
    return outside, found


def _validate_pods(
    cluster: Cluster, path: str, strict: bool, outside: Network | None
) -> tuple[Network | None, Problems]:
    cidr = cluster.spec.networking.pod_cidr
    if not cidr:
        # In IPv6 clusters the nodes have their own pod ranges.
        needed = strict and not is_ipv6_only(cluster)
        return None, [required(path, "the range of pod addresses is needed")] if needed else []
    pods, found = check_cidr(path, cidr)
    if pods is not None and outside is not None and not belongs_to(outside, pods):
        found.append(forbidden(path, f"{cidr} is not inside nonMasqueradeCIDR {outside}"))
    return pods, found
