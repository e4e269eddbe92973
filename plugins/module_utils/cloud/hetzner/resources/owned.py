# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a project are the cluster's: those with its label, and what its cloud controller makes.

Stricter than kops (pkg/resources/hetzner) in volumes: only those of etcd are taken. Of claims, volumes have no label.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .. import names
from ..cloud import Described, HetznerCloud, described, own
from ..kinds import BALANCER, FIREWALL, NETWORK, PLACEMENT_GROUP, SERVER, SSH_KEY, VOLUME, Kind


@dataclass(frozen=True)
class Found:
    """An object of the cluster."""

    kind: Kind
    described: Described

    @property
    def id(self) -> int:
        """By which the API knows it."""
        return int(self.described["id"])

    @property
    def name(self) -> str:
        """What a person calls it."""
        return str(self.described["name"])


class Owned:
    """The objects of the cluster, each kind read once."""

    def __init__(self, cloud: HetznerCloud) -> None:
        self.cloud = cloud

    def all(self) -> Iterator[Found]:
        """Each of them."""
        for kind, found in (
            (SERVER, self.servers()),
            (BALANCER, self.balancers()),
            (VOLUME, self.volumes()),
            (FIREWALL, self.labelled(FIREWALL)),
            (PLACEMENT_GROUP, self.labelled(PLACEMENT_GROUP)),
            (SSH_KEY, self.labelled(SSH_KEY)),
            (NETWORK, self.labelled(NETWORK)),
        ):
            yield from (Found(kind, each) for each in found)

    def servers(self) -> list[Described]:
        """By their label; others of the project are not read."""
        return list(self.cloud.once(own, SERVER))

    def labelled(self, kind: Kind) -> list[Described]:
        """Those of a kind with the label."""
        cluster = self.cloud.cluster_name
        return [each for each in self.cloud.once(described, kind) if each["labels"].get(names.CLUSTER) == cluster]

    def volumes(self) -> list[Described]:
        """Etcd's. Others stay, whatever their labels are."""
        return [each for each in self.labelled(VOLUME) if names.VOLUME_ROLE in each["labels"]]

    def balancers(self) -> list[Described]:
        """That of the API, and those of Services."""
        return [*self.labelled(BALANCER), *self.balancers_of_services()]

    def api_balancers(self) -> list[Described]:
        """That of the API."""
        return [each for each in self.labelled(BALANCER) if each["name"] == names.api(self.cloud.cluster_name)]

    def balancers_of_services(self) -> list[Described]:
        """What the cloud controller has made: it says of which Service it is, but not of which cluster.

        In a network of the cluster's own, there are no others. Elsewhere, all its servers must be the cluster's.
        """
        networks = {each["id"] for each in self.labelled(NETWORK)}
        made = [
            each
            for each in self.cloud.once(described, BALANCER)
            if names.OF_SERVICE in each["labels"] and names.CLUSTER not in each["labels"]
        ]
        return [each for each in made if networks & networks_of(each) or self._serves_own(each)]

    def _serves_own(self, balancer: Described) -> bool:
        targets = {each["server"]["id"] for each in balancer["targets"] if each["type"] == "server"}
        return bool(targets) and targets <= {each["id"] for each in self.servers()}


def networks_of(found: Described) -> set[int]:
    """The ids of the networks that a server or load balancer is in."""
    return {int(each["network"]) for each in found["private_net"]}
