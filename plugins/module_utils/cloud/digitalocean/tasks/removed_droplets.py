# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: no droplet is left of groups that are gone, and groups have no more than their greatest size.

kops leaves them to the user. One beyond the size of its group leaves it: a rolling update drains it, and ends it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ....engine.task import Deletion, TryAgainLater, internal
from ...pools.places import give_up_places
from .. import marks
from ..cloud import Described, DigitalOceanCloud
from ..deleting import delete_droplet, is_gone
from ..kinds import DROPLET
from ..numbers import group_of, name_of, numbered, places_of_groups
from ..ownership import droplets_of
from ..pool import DropletPool
from ._digitalocean import DigitalOceanTask

_GONE = "its instance group is not in the state store any more"


@dataclass(eq=False, repr=False)
class RemovedDroplets(DigitalOceanTask):
    """Deletion of what removed groups have left, and departure from smaller ones.

    droplets: group -> the places that its droplets may have, those that leave it included. most: group -> its greatest
    size.
    """

    droplets: dict[str, list[str]] = internal(default_factory=dict)
    most: dict[str, int] = internal(default_factory=dict)

    of = DROPLET

    @property
    def is_absence(self) -> bool:
        return True

    def find(self, cloud: DigitalOceanCloud) -> RemovedDroplets:
        return dataclasses.replace(self)

    def deletions(self, cloud: DigitalOceanCloud, actual: RemovedDroplets) -> list[Deletion]:
        return list(self._deletions(cloud))

    def _deletions(self, cloud: DigitalOceanCloud) -> Iterator[Deletion]:
        places = cloud.once(places_of_groups)
        for group in sorted({*places, *map(group_of, droplets_of(cloud))} - {""}):
            droplets = dict(numbered(cloud, group))
            for number in sorted({*places.get(group, ()), *droplets}):
                place = marks.stable_name(group, number)
                if place not in self.droplets.get(group, ()):
                    yield self._deletion(cloud, group, number, droplets.get(number))

    def _deletion(self, cloud: DigitalOceanCloud, group: str, number: int, droplet: Described | None) -> Deletion:
        place = marks.stable_name(group, number)
        why = f"instance group {group} has {self.most[group]} at most" if group in self.most else _GONE
        if droplet is None:
            run = partial(give_up_places, cloud.store, group, [number])
            return Deletion(f"Place/{place}", "Place", place, run, reason=why)
        if group in self.most:
            leave, leaves = partial(self._leave, cloud, group, number), name_of(droplet)
            return Deletion(f"Place/{place}", "Place", place, leave, reason=why, leaves=leaves)
        end = partial(_delete, cloud, group, number, droplet)
        return Deletion(f"Droplet/{place}", "Droplet", place, end, reason=why)

    def _leave(self, cloud: DigitalOceanCloud, group: str, number: int) -> None:
        """Those that have left it before are told of its size, too, which they keep."""
        pool = DropletPool()
        pool.let_go(cloud, group, [*pool.numbers(cloud, group).leaving, number], self.most[group])


def _delete(cloud: DigitalOceanCloud, group: str, number: int, droplet: Described) -> None:
    give_up_places(cloud.store, group, [number])
    delete_droplet(cloud, droplet)
    if not is_gone(cloud, str(droplet["id"])):
        raise TryAgainLater(f"droplet {droplet['name']} is being deleted")
