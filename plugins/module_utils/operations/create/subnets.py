# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The subnets of a new cluster, from zones, network ranges and shared subnets."""

from __future__ import annotations

from ...api.networking import ClusterSubnetSpec
from .cloud import region_of
from .draft import Draft, refuse


def add_subnets(draft: Draft) -> None:
    """Write the network and its subnets, without their types and ranges.

    One subnet for each zone, named as the zone; on GCE and Azure, whose subnets are regional, one for each region;
    then one for each network range after the first, over the zones in turn.
    """
    networking = draft.cluster.spec.networking
    networking.network_id = draft.options.network_id or _network_of_subnets(draft)
    if draft.cloud in ("gce", "azure"):
        _add_regional(draft)
    else:
        _add_zonal(draft)


def shared_subnets_by_zone(draft: Draft, option: str, subnet_ids: list[str]) -> dict[str, str]:
    """Zone -> id of the shared subnet in it. Raises ValidationError when they are not one for each zone of the network.

    option: the option that named the subnets, for the error.
    """
    if not subnet_ids or draft.cloud not in ("aws", "openstack"):
        return {}
    network_id = draft.cluster.spec.networking.network_id or ""
    network = draft.facts.network(network_id)
    if network is None:
        raise refuse("network_id", "the network does not exist", network_id, kind="NotFound")
    zone_of = {subnet.id: subnet.zone for subnet in network.subnets}
    by_zone: dict[str, str] = {}
    for subnet_id in subnet_ids:
        if subnet_id not in zone_of:
            raise refuse(option, f"network {network_id} has no such subnet", subnet_id, kind="NotFound")
        zone = zone_of[subnet_id]
        if zone in by_zone:
            raise refuse(option, f"{by_zone[zone]} is in the same zone {zone}; name one for each zone", subnet_id)
        by_zone[zone] = subnet_id
    return by_zone


def _network_of_subnets(draft: Draft) -> str | None:
    """The network that the first shared subnet lies in, when only subnets are named."""
    if not draft.options.subnets or draft.cloud not in ("aws", "openstack"):
        return None
    network = draft.facts.network_of_subnet(draft.options.subnets[0])
    if network is None:
        raise refuse("subnets", "the subnet does not exist", draft.options.subnets[0], kind="NotFound")
    return network.id


def _add_regional(draft: Draft) -> None:
    for zone in draft.all_zones:
        region = region_of(draft.cloud, [zone])
        subnet = ClusterSubnetSpec(name=region if draft.cloud == "gce" else draft.options.name, region=region)
        if draft.cloud == "gce" and draft.options.subnets:
            subnet.id = draft.options.subnets[0]
        _add(draft, zone, subnet)


def _add_zonal(draft: Draft) -> None:
    options = draft.options
    # DigitalOcean and Linode have regions and no zones; kops writes the region as both.
    regional_zones = draft.cloud in ("digitalocean", "linode")
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
