# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The subnets of a new cluster, from zones, network ranges and shared subnets."""

from __future__ import annotations

from ....api.clouds import GCE
from ....api.networking import ClusterSubnetSpec
from ..draft import Draft, refuse
from .shared_subnets import shared_subnets_by_zone


def add_subnets(draft: Draft) -> None:
    """Write the network and its subnets; their types and ranges come later.

    One subnet for each zone, named as the zone; where subnets are regional, one for each region;
    then one for each network range after the first, over the zones in turn.
    """
    networking = draft.cluster.spec.networking
    networking.network_id = draft.options.network_id or _network_of_subnets(draft)
    if draft.options.network_cidr:
        networking.network_cidr, *networking.additional_network_cidrs = draft.options.network_cidr
    if draft.options.disable_subnet_tags:
        networking.tag_subnets = False
    if draft.cloud.has_regional_subnets:
        _add_regional(draft)
    else:
        _add_zonal(draft)


def _network_of_subnets(draft: Draft) -> str | None:
    """The network that the first shared subnet lies in, when only subnets are named."""
    if not draft.options.subnets or not draft.cloud.finds_subnets:
        return None
    network = draft.facts.network_of_subnet(draft.options.subnets[0])
    if network is None:
        raise refuse("subnets", "the subnet does not exist", draft.options.subnets[0], kind="NotFound")
    return network.id


def _add_regional(draft: Draft) -> None:
    for zone in draft.all_zones:
        region = draft.cloud.region_of_zone(zone)
        subnet = ClusterSubnetSpec(name=region if draft.cloud is GCE else draft.options.name, region=region)
        if draft.cloud is GCE and draft.options.subnets:
            subnet.id = draft.options.subnets[0]
        _add(draft, zone, subnet)


def _add_zonal(draft: Draft) -> None:
    options = draft.options
    regional_zones = draft.cloud.zones_are_regions
    shared = shared_subnets_by_zone(draft, "subnets", options.subnets)
    for zone in options.zones[:1] if regional_zones else draft.all_zones:
        subnet = ClusterSubnetSpec(name=zone, zone=zone)
        if regional_zones:
            subnet.region = zone
        else:
            subnet.egress, subnet.id = options.egress or None, shared.get(zone)
        _add(draft, zone, subnet)
    if regional_zones:
        return
    for index, cidr in enumerate(options.network_cidr[1:]):
        zone = options.zones[index % len(options.zones)]
        name = f"{zone}-{index + 1}"
        _add(
            draft,
            zone,
            ClusterSubnetSpec(name=name, zone=zone, cidr=cidr, egress=options.egress or None, id=shared.get(zone)),
        )


def _add(draft: Draft, zone: str, subnet: ClusterSubnetSpec) -> None:
    subnets = draft.cluster.spec.networking.subnets
    if not any(existing.name == subnet.name for existing in subnets):
        subnets.append(subnet)
    draft.subnets_of_zone.setdefault(zone, []).append(str(subnet.name))
