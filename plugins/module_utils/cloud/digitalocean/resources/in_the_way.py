# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of others that block the deletion of a cluster, because they lie in its VPC or use its volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....engine.resource import Resource
from ..cloud import DigitalOceanCloud
from ..kinds import BALANCER, DROPLET, VOLUME, VPC, members_of
from ..ownership import volumes_of, vpcs_of

# The words of URNs.
_WORDS = {"droplet": DROPLET.word, "loadbalancer": BALANCER.word}


def in_the_way(cloud: DigitalOceanCloud, found: Mapping[str, Resource]) -> list[str]:
    """A line for each object that keeps one of found from being deleted: its kind and name, and what it uses."""
    return sorted([*_members(cloud, found), *_users(cloud, found)])


def _members(cloud: DigitalOceanCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for vpc in vpcs_of(cloud):
        used = found.get(f"{VPC.word}:{vpc['id']}")
        if used is None:
            continue
        for member in cloud.read(members_of(str(vpc["id"]))):
            _do, word, identifier = str(member["urn"]).split(":", 2)
            word = _WORDS.get(word, word)
            if f"{word}:{identifier}" not in found:
                yield f"{word} {member.get('name') or identifier}: it uses {used.label}"


def _users(cloud: DigitalOceanCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for volume in volumes_of(cloud):
        used = found.get(f"{VOLUME.word}:{volume['id']}")
        for droplet in volume.get("droplet_ids") or ():
            if used is not None and f"{DROPLET.word}:{droplet}" not in found:
                yield f"{DROPLET.word} {droplet}: it uses {used.label}"
