# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.networking.subnets: each subnet by itself, and all of them together."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..addresses import Network, belongs_to, check_cidr, overlap, parse_cidr
from ..cloud import NetworkRules
from ..clouds import AWS, GCE, cloud_of
from ..cluster import Cluster
from ..networking import ClusterSubnetSpec, RouteSpec
from ..questions import is_ipv6_only
from .problems import Problems, duplicate, forbidden, invalid, one_of, required

SUBNET_TYPES = ("Public", "Private", "DualStack", "Utility")
# By the part of spec before the first "-": nat-0123, eipalloc-0123, i-0123, tgw-0123, External.
EGRESS_KINDS = {
    "nat": "a NAT gateway (nat-...)",
    "eipalloc": "an elastic IP for a NAT gateway (eipalloc-...)",
    "i": "a NAT instance (i-...)",
    "tgw": "a transit gateway (tgw-...)",
    "External": "External",
}
ROUTE_TARGETS = ("pcx-", "i-", "nat-", "tgw-", "igw-", "eigw-")
# "/64#a": the eleventh /64 of the network's IPv6 range, whatever that will be.
_RELATIVE_CIDR = re.compile(r"/(\d+)#([a-f0-9]+)")


@dataclass(frozen=True)
class Surroundings:
    """The networks among which the subnets have to fit; None or empty where not known."""

    networks: tuple[Network, ...] = ()
    pods: Network | None = None
    services: Network | None = None


def validate_subnets(cluster: Cluster, path: str, strict: bool, rules: NetworkRules, around: Surroundings) -> Problems:
    """All subnets. strict: the spec is complete, so what completion fills in has to be there."""
    subnets = cluster.spec.networking.subnets
    found: Problems = []
    if rules.needs_subnets and not subnets:
        found.append(required(path, "at least one subnet is needed; name the zones of the cluster"))
    for index, subnet in enumerate(subnets):
        found += _validate_subnet(cluster, subnet, f"{path}[{index}]", strict, rules, around)
    return found + _validate_together(cluster, path, rules) + _validate_overlaps(subnets, path)


def _validate_together(cluster: Cluster, path: str, rules: NetworkRules) -> Problems:
    subnets = cluster.spec.networking.subnets
    found: Problems = []
    names = [subnet.name or "" for subnet in subnets]
    regions = [subnet.region for subnet in subnets if subnet.region]
    for index, subnet in enumerate(subnets):
        at = f"{path}[{index}]"
        if names[index] in names[:index]:
            found.append(duplicate(f"{at}.name", names[index], "is the name of another subnet too"))
        if bool(subnet.id) != bool(subnets[0].id):
            found.append(forbidden(f"{at}.id", "either all subnets name an existing subnet by id, or none does"))
        if rules.needs_subnet_regions and not subnet.region:
            found.append(required(f"{at}.region", "on this cloud each subnet needs its region"))
        elif rules.needs_subnet_regions and subnet.region != regions[0]:
            found.append(
                forbidden(f"{at}.region", f"a cluster lives in one region; an earlier subnet is in {regions[0]}")
            )
        cloud = cloud_of(cluster)
        if subnet.ipv6_cidr and cloud is not AWS:
            found.append(forbidden(f"{at}.ipv6CIDR", "is available on AWS only"))
        if subnet.zone and cloud is GCE:
            found.append(
                invalid(f"{at}.zone", subnet.zone, "subnets on GCE span their region; name the zones in the groups")
            )
    return found


def _validate_overlaps(subnets: list[ClusterSubnetSpec], path: str) -> Problems:
    """No address in two subnets. kops leaves this to the cloud, which refuses the second subnet when half is built."""
    found: Problems = []
    ranges = [parse_cidr(subnet.cidr or "") for subnet in subnets]
    for index, network in enumerate(ranges):
        for earlier in range(index):
            if overlap(network, ranges[earlier]):
                taken = f"overlaps subnet {subnets[earlier].name or earlier} with {ranges[earlier]}"
                found.append(duplicate(f"{path}[{index}].cidr", subnets[index].cidr, taken))
                break
    return found


def _validate_subnet(
    cluster: Cluster,
    subnet: ClusterSubnetSpec,
    path: str,
    strict: bool,
    rules: NetworkRules,
    around: Surroundings,
) -> Problems:
    networking = cluster.spec.networking
    found: Problems = []
    if not subnet.name:
        found.append(required(f"{path}.name", "a subnet needs a name, by which instance groups refer to it"))
    if subnet.cidr:
        found += _validate_place(cluster, subnet, subnet.cidr, f"{path}.cidr", around)
    elif rules.needs_subnet_cidrs and strict:
        has_ipv6 = ":" in (networking.non_masquerade_cidr or "") and subnet.ipv6_cidr
        if not has_ipv6:
            found.append(required(f"{path}.cidr", "a subnet needs a CIDR"))
    if subnet.ipv6_cidr:
        found += _validate_ipv6_cidr(subnet.ipv6_cidr, f"{path}.ipv6CIDR", around)
    if subnet.egress:
        found += _validate_egress(subnet, subnet.egress, f"{path}.egress")
    found += _validate_type(cluster, subnet, f"{path}.type")
    if subnet.additional_routes and cluster.spec.cloud_provider.aws is not None:
        found += _validate_routes(subnet, f"{path}.additionalRoutes", around)
    return found


def _validate_place(
    cluster: Cluster, subnet: ClusterSubnetSpec, cidr: str, path: str, around: Surroundings
) -> Problems:
    networking = cluster.spec.networking
    network, found = check_cidr(path, cidr)
    if network is None:
        return found
    what = f"subnet {subnet.name or '(no name)'} with {cidr}"
    if around.networks and not any(belongs_to(parent, network) for parent in around.networks):
        parents = ", ".join(map(str, around.networks))
        found.append(forbidden(path, f"{what} is not inside the cluster's network ({parents})"))
    # Pods of the Amazon VPC CNI have addresses of the subnets themselves.
    if overlap(network, around.pods) and networking.amazon_vpc is None:
        found.append(forbidden(path, f"{what} overlaps podCIDR {around.pods}"))
    if overlap(network, around.services):
        found.append(forbidden(path, f"{what} overlaps serviceClusterIPRange {around.services}"))
    return found


def _validate_ipv6_cidr(text: str, path: str, around: Surroundings) -> Problems:
    if text.startswith("/"):
        relative = _RELATIVE_CIDR.fullmatch(text)
        if not relative:
            return [invalid(path, text, "must be /<prefix>#<hexadecimal number>, for example /64#1")]
        if int(relative.group(1)) > 128:
            return [invalid(path, text, "the prefix must be between 0 and 128")]
        return []
    network, found = check_cidr(path, text)
    if network is None or network.version != 6:
        found.append(invalid(path, text, "must be an IPv6 network, for example 2001:db8::/64 or /64#1"))
    if overlap(network, around.services):
        found.append(forbidden(path, f"{text} overlaps serviceClusterIPRange {around.services}"))
    return found


def _validate_egress(subnet: ClusterSubnetSpec, egress: str, path: str) -> Problems:
    found: Problems = []
    if egress.split("-")[0] not in EGRESS_KINDS:
        found.append(invalid(path, egress, f"must be {', '.join(EGRESS_KINDS.values())}"))
    has_ipv6 = bool(subnet.ipv6_cidr) and subnet.type == "Public"
    if egress != "External" and subnet.type not in ("DualStack", "Private") and not has_ipv6:
        found.append(forbidden(path, "only private subnets and public ones with ipv6CIDR have an egress"))
    return found


def _validate_type(cluster: Cluster, subnet: ClusterSubnetSpec, path: str) -> Problems:
    found = one_of(path, subnet.type or "", SUBNET_TYPES)
    if subnet.type == "DualStack" and not is_ipv6_only(cluster):
        found.append(forbidden(path, "DualStack subnets exist in IPv6 clusters only (nonMasqueradeCIDR ::/0)"))
    openstack = cluster.spec.cloud_provider.openstack
    if openstack and subnet.type == "Public":
        router = openstack.router
        if router is None or router.external_network is None:
            found.append(forbidden(path, "a Public subnet needs spec.cloudProvider.openstack.router.externalNetwork"))
    return found


def _validate_routes(subnet: ClusterSubnetSpec, path: str, around: Surroundings) -> Problems:
    found: Problems = []
    if subnet.id:
        found.append(forbidden(path, "the subnet exists already (it has an id), so its routes are not ours to change"))
    elif subnet.type != "Private":
        found.append(forbidden(path, "only Private subnets can have additional routes"))
    seen = {str(network) for network in around.networks}
    for index, route in enumerate(subnet.additional_routes):
        found += _validate_route(route, f"{path}[{index}]", around)
        cidr = route.cidr or ""
        if cidr in seen:
            found.append(duplicate(f"{path}[{index}].cidr", cidr, "has a route already"))
        seen.add(cidr)
    return found


def _validate_route(route: RouteSpec, path: str, around: Surroundings) -> Problems:
    target = route.target or ""
    found: Problems = []
    if not target.startswith(ROUTE_TARGETS):
        found.append(invalid(f"{path}.target", target, f"must begin with one of {', '.join(ROUTE_TARGETS)}"))
    network, wrong = check_cidr(f"{path}.cidr", route.cidr or "")
    found += wrong
    if network is None or not target.startswith("pcx-"):
        return found
    first = parse_cidr(f"{network.network_address}/{network.max_prefixlen}")
    found += [
        forbidden(
            f"{path}.target",
            f"{network} lies inside the cluster's network {parent}; such a route can only lead to an instance",
        )
        for parent in around.networks
        if overlap(parent, first)
    ]
    return found
