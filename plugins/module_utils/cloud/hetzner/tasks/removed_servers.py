# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: no server is left of instance groups that are gone, and groups have no more than their greatest size.

One beyond the size of its group leaves it: a rolling update drains it, and ends it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ....engine.task import Deletion, TryAgainLater, internal
from ...pools.places import give_up_places
from .. import marks, names
from ..cloud import Described, HetznerCloud
from ..kinds import SERVER
from ..numbers import labels_of, numbered, places_of_groups, servers_of
from ..pool import ServerPool
from ..states import lives
from ._hetzner import HetznerTask

_GONE = "its instance group is not in the state store any more"


@dataclass(eq=False, repr=False)
class RemovedServers(HetznerTask):
    """Deletion of what removed groups have left, and departure from smaller ones.

    servers: group -> the places that its servers may have, those that leave it included. most: group -> its greatest
    size.
    """

    servers: dict[str, list[str]] = internal(default_factory=dict)
    most: dict[str, int] = internal(default_factory=dict)

    of = SERVER

    @property
    def is_absence(self) -> bool:
        return True

    def find(self, cloud: HetznerCloud) -> RemovedServers:
        return dataclasses.replace(self)

    def deletions(self, cloud: HetznerCloud, actual: RemovedServers) -> list[Deletion]:
        return list(self._deletions(cloud))

    def _deletions(self, cloud: HetznerCloud) -> Iterator[Deletion]:
        places = cloud.once(places_of_groups)
        groups = {labels_of(each).get(names.GROUP, "") for each in servers_of(cloud)} - {""}
        for group in sorted(groups | places.keys()):
            allowed, servers = self.servers.get(group, ()), numbered(cloud, group)
            for number in sorted(places.get(group, frozenset()) - {number for number, _server in servers}):
                place = marks.stable_name(group, number)
                if place not in allowed:
                    give_up = partial(give_up_places, cloud.store, group, [number])
                    why = f"instance group {group} has {self.most[group]} at most" if group in self.most else _GONE
                    yield Deletion(f"Place/{place}", "Place", place, give_up, reason=why)
            for number, server in servers:
                place = marks.stable_name(group, number)
                if place in allowed:
                    continue
                if group in self.most:
                    why, leave = f"instance group {group} has {self.most[group]} at most", (cloud, group, number)
                    run, leaves = partial(self._leave, *leave), str(server["name"])
                    yield Deletion(f"Place/{place}", "Place", place, run, reason=why, leaves=leaves)
                else:
                    run = partial(_delete, cloud, group, number, server)
                    yield Deletion(f"Server/{place}", "Server", place, run, reason=_GONE)

    def _leave(self, cloud: HetznerCloud, group: str, number: int) -> None:
        """Those that have left it before are told of its size, too, which they keep."""
        pool = ServerPool()
        pool.let_go(cloud, group, [*pool.numbers(cloud, group).leaving, number], self.most[group])


def _delete(cloud: HetznerCloud, group: str, number: int, server: Described) -> None:
    give_up_places(cloud.store, group, [number])
    identifier = int(server["id"])
    cloud.delete(SERVER, identifier)
    left = cloud.get(SERVER, identifier)
    if left is not None and lives(left):
        raise TryAgainLater(f"server {server['name']} is being deleted")
