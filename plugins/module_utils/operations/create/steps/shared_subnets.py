# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets that exist already, which a new cluster uses."""

from __future__ import annotations

from ..draft import Draft, refuse


def shared_subnets_by_zone(draft: Draft, option: str, subnet_ids: list[str]) -> dict[str, str]:
    """Zone -> id of the shared subnet in it. Raises ValidationError when they are not one for each zone of the network.

    option: the option that named the subnets, for the error.
    """
    if not subnet_ids or not draft.cloud.finds_subnets:
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
