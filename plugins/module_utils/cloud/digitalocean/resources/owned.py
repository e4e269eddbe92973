# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a cluster in an account, by the rules of ownership.py, each kind read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .. import marks, names
from ..cloud import Described, DigitalOceanCloud
from ..domains import domains_of, own_records, whole
from ..kinds import BALANCER, DROPLET, FIREWALL, RECORD, SSH_KEY, TAG, VOLUME, VPC, Kind, records_of
from ..ownership import (
    api_balancers_of,
    balancers_of_services,
    described,
    droplets_of,
    firewalls_of,
    ssh_keys_of,
    volumes_of,
    vpcs_of,
)


@dataclass(frozen=True)
class Found:
    """An object of the cluster. domain: of a record. of_service: whether the cloud controller has made it."""

    kind: Kind
    described: Described
    domain: str = ""
    of_service: bool = False

    @property
    def id(self) -> str:
        """By which the API knows it."""
        return str(self.described["name"] if self.kind is TAG else self.described["id"])

    @property
    def name(self) -> str:
        """What a person calls it."""
        if self.kind.word == RECORD:
            return f"{whole(str(self.described['name']), self.domain)} {self.described['type']}"
        return str(self.described["name"])


def owned(cloud: DigitalOceanCloud) -> Iterator[Found]:
    """Each of them. Raises KopsError where some could be another cluster's."""
    for kind, found in (
        (BALANCER, api_balancers_of(cloud)),
        (DROPLET, droplets_of(cloud)),
        (VOLUME, volumes_of(cloud)),
        (FIREWALL, firewalls_of(cloud)),
        (VPC, vpcs_of(cloud)),
        (SSH_KEY, ssh_keys_of(cloud)),
        (TAG, tags_of(cloud)),
    ):
        yield from (Found(kind, each) for each in found)
    yield from (Found(BALANCER, each, of_service=True) for each in balancers_of_services(cloud))
    for domain in domains_of(cloud):
        yield from (Found(records_of(domain), each, domain) for each in own_records(cloud, domain))


def tags_of(cloud: DigitalOceanCloud) -> list[dict[str, Any]]:
    """Those that name the cluster, or that its droplets alone have, if nothing of others has them.

    Others, such as that of a role, are the account's: clusters share them.
    """
    cluster, own = cloud.cluster_name, [*droplets_of(cloud), *volumes_of(cloud)]
    named = {
        each.lower() for each in (names.cluster_tag(cluster), names.control_plane_tag(cluster), names.mark_tag(cluster))
    }
    if cloud.store:
        named.add(marks.store_tag(cloud.store))
    for each in droplets_of(cloud):
        named |= {tag.lower() for tag in names.tags_of(each) if tag.partition(":")[0] in names.OF_ONE_CLUSTER}
    return [
        each
        for each in cloud.once(described, TAG)
        if str(each["name"]).lower() in named
        and sum(names.has_tag(other, str(each["name"])) for other in own) >= _count(each)
    ]


def _count(tag: Described) -> int:
    """How many objects have a tag."""
    return int((tag.get("resources") or {}).get("count") or 0)
