# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology of a new cluster: public or private subnets, DNS, IPv6."""

from __future__ import annotations

from ....api.clouds import AWS, GCE
from ....api.kube_controller_manager import CloudControllerManagerConfig
from ....api.networking import ClusterSubnetSpec
from ....api.topology import TopologySpec
from ..draft import Draft
from .shared_subnets import shared_subnets_by_zone

_DNS_TYPES = {"public": "Public", "private": "Private", "none": "None"}


def add_topology(draft: Draft) -> None:
    """Write subnet types, utility and dual-stack subnets, DNS type and zone, and IPv6."""
    options, networking = draft.options, draft.cluster.spec.networking
    networking.topology = TopologySpec(dns=_DNS_TYPES[options.dns])
    draft.cluster.spec.dns_zone = options.dns_zone or None
    private = options.topology == "private"
    for subnet in networking.subnets:
        subnet.type = "Private" if private else "Public"
    if private:
        _add_private_companions(draft)
    if options.ipv6:
        networking.non_masquerade_cidr = "::/0"
        draft.cluster.spec.cloud_controller_manager = CloudControllerManagerConfig()
        if draft.cloud is AWS:
            for index, subnet in enumerate(networking.subnets):
                # The index-th /64 of the range that AWS gives the network.
                subnet.ipv6_cidr = f"/64#{index:x}"


def _add_private_companions(draft: Draft) -> None:
    """For each private subnet a public ("utility") one, and on IPv6 one with both address families."""
    networking = draft.cluster.spec.networking
    private = list(networking.subnets)
    shared = shared_subnets_by_zone(draft, "utility_subnets", draft.options.utility_subnets)
    kinds = []
    if draft.options.ipv6:
        kinds.append(("dualstack", "DualStack"))
    if draft.cloud is not GCE:
        kinds.append(("utility", "Utility"))
    for prefix, kind in kinds:
        networking.subnets.extend(
            ClusterSubnetSpec(
                name=f"{prefix}-{subnet.name}",
                zone=subnet.zone,
                region=subnet.region,
                type=kind,
                id=shared.get(subnet.zone or ""),
            )
            for subnet in private
        )
