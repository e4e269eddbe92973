# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Task: no server is left of instance groups that are gone, and groups have no more than their greatest size.

One beyond the size of its group leaves it: a rolling update drains it, and ends it with its place. kops leaves all of
them to the user.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeVar

from ...engine.task import Deletion, Task, internal
from ..reads import StoredReads
from .placed import Placed, PlacedPool
from .places import give_up_places, place_name, places_of_groups

_GONE = "its instance group is not in the state store any more"

CloudT = TypeVar("CloudT", bound=StoredReads)


@dataclass(eq=False, repr=False)
class RemovedPlaces(Task[CloudT]):
    """Deletion of what removed groups have left, and departure from smaller ones. A cloud adds how a server ends.

    servers: group -> the places that its servers may have, those that leave it included. most: group -> its greatest
    size. noun: what plans call a server.
    """

    servers: dict[str, list[str]] = internal(default_factory=dict)
    most: dict[str, int] = internal(default_factory=dict)

    noun: ClassVar[str] = "Server"

    # -- what a cloud gives -------------------------------------------------------------------------------------

    @property
    def pool(self) -> PlacedPool[CloudT]:
        """The pool of the servers."""
        raise NotImplementedError(f"{self.kind}.pool")

    def end(self, cloud: CloudT, server: Placed) -> None:
        """Delete a server. Raises TryAgainLater until it is gone."""
        raise NotImplementedError(f"{self.kind}.end")

    # -- Task ---------------------------------------------------------------------------------------------------

    @property
    def is_absence(self) -> bool:
        return True

    @property
    def made_directly(self) -> bool:
        """Always, as the servers."""
        return True

    def find(self, cloud: CloudT) -> RemovedPlaces[CloudT]:
        return dataclasses.replace(self)

    def deletions(self, cloud: CloudT, actual: RemovedPlaces[CloudT]) -> list[Deletion]:
        return list(self._deletions(cloud))

    def _deletions(self, cloud: CloudT) -> Iterator[Deletion]:
        places = cloud.once(places_of_groups)
        for group in sorted((self.pool.groups_with_servers(cloud) | places.keys()) - {""}):
            servers, why = self.pool.placed(cloud, group), self._why(group)
            for number in sorted(places.get(group, frozenset()) - {each.number for each in servers}):
                place = place_name(group, number)
                if not self._is_allowed(group, place):
                    run = partial(give_up_places, cloud.store, group, [number])
                    yield Deletion(f"Place/{place}", "Place", place, run, reason=why)
            for server in servers:
                place = place_name(group, server.number)
                if group not in self.most:
                    run = partial(self._end, cloud, group, server)
                    yield Deletion(f"{self.noun}/{place}", self.noun, place, run, reason=why)
                # One that has left a larger group would have others made, up to the size that it was told.
                elif not self._is_allowed(group, place) or (server.leaving or 0) > self.most[group]:
                    run = partial(self._leave, cloud, group, server.number)
                    yield Deletion(f"Place/{place}", "Place", place, run, reason=why, leaves=server.name)

    def _why(self, group: str) -> str:
        return f"instance group {group} has {self.most[group]} at most" if group in self.most else _GONE

    def _is_allowed(self, group: str, place: str) -> bool:
        return place in self.servers.get(group, ())

    def _leave(self, cloud: CloudT, group: str, number: int) -> None:
        """Those that have left it before are told of its size, too, which they keep."""
        leaving = self.pool.numbers(cloud, group).leaving
        self.pool.let_go(cloud, group, [*leaving, number], self.most[group])

    def _end(self, cloud: CloudT, group: str, server: Placed) -> None:
        give_up_places(cloud.store, group, [server.number])
        self.end(cloud, server)
