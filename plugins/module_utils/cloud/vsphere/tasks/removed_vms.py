# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: no machine is left of instance groups that are gone, and groups have no more than their greatest size.

One beyond the size of its group leaves it: a rolling update drains it, and ends it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ....engine.task import Deletion, Task, internal
from ...pools.places import give_up_places
from .. import marks
from ..cloud import VSphereCloud
from ..ending import end_machine
from ..numbers import forget_servers, group_of, numbered, places_of_groups
from ..ownership import machines
from ..pool import ServerPool

_GONE = "its instance group is not in the state store any more"


@dataclass(eq=False, repr=False)
class RemovedVMs(Task[VSphereCloud]):
    """Deletion of what removed groups have left, and departure from smaller ones.

    servers: group -> the places that its machines may have, those that leave it included. most: group -> its greatest
    size.
    """

    servers: dict[str, list[str]] = internal(default_factory=dict)
    most: dict[str, int] = internal(default_factory=dict)

    @property
    def is_absence(self) -> bool:
        return True

    @property
    def made_directly(self) -> bool:
        """Always, as the machines."""
        return True

    def find(self, cloud: VSphereCloud) -> RemovedVMs:
        return dataclasses.replace(self)

    def deletions(self, cloud: VSphereCloud, actual: RemovedVMs) -> list[Deletion]:
        return list(self._deletions(cloud))

    def _deletions(self, cloud: VSphereCloud) -> Iterator[Deletion]:
        places = cloud.once(places_of_groups)
        groups = set(map(group_of, machines(cloud))) - {""}
        for group in sorted(groups | places.keys()):
            allowed, found = self.servers.get(group, ()), numbered(cloud, group)
            why = f"instance group {group} has {self.most[group]} at most" if group in self.most else _GONE
            for number in sorted(places.get(group, frozenset()) - {number for number, _machine in found}):
                place = marks.stable_name(group, number)
                if place not in allowed:
                    give_up = partial(give_up_places, cloud.store, group, [number])
                    yield Deletion(f"Place/{place}", "Place", place, give_up, reason=why)
            for number, machine in found:
                place = marks.stable_name(group, number)
                if place in allowed:
                    continue
                if group in self.most:
                    run = partial(self._leave, cloud, group, number)
                    yield Deletion(f"Place/{place}", "Place", place, run, reason=why, leaves=str(machine["name"]))
                else:
                    end = partial(_end, cloud, group, number, str(machine["id"]))
                    yield Deletion(f"VM/{place}", "VM", place, end, reason=why)

    def _leave(self, cloud: VSphereCloud, group: str, number: int) -> None:
        """Those that have left it before are told of its size, too, which they keep."""
        pool = ServerPool()
        pool.let_go(cloud, group, [*pool.numbers(cloud, group).leaving, number], self.most[group])


def _end(cloud: VSphereCloud, group: str, number: int, identifier: str) -> None:
    give_up_places(cloud.store, group, [number])
    end_machine(cloud, identifier)
    forget_servers(cloud)
