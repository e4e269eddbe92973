# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pools of clouds where nothing stays when a server is gone: its place is a file of the state store (places.py)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ...base.errors import KopsError
from ...engine.task import Task
from ..instances import CloudInstance
from ..reads import StoredReads
from .making import make_now, nothing_to_make_from
from .numbers import Numbers
from .places import give_up_places, keep_place, places_of_groups
from .replacing import Pool
from .template import StoredTemplate

CloudT = TypeVar("CloudT", bound=StoredReads)
TemplateT = TypeVar("TemplateT", bound=StoredTemplate[Any])


@dataclass(frozen=True)
class Placed:
    """A living server in its place. name: as instances are called. described: as the cloud describes it.

    leaving: the size that its group had when it left; None while it serves.
    """

    number: int
    name: str
    described: Mapping[str, Any]
    leaving: int | None = None


class PlacedPool(Pool[CloudT]):
    """Parts of Pool. What a cloud says is read anew after forget()."""

    # -- what a cloud gives -------------------------------------------------------------------------------------

    def forget(self, cloud: CloudT) -> None:
        """Read servers and places anew the next time."""
        raise NotImplementedError

    def placed(self, cloud: CloudT, group: str) -> list[Placed]:
        """The living servers of a group, as they were read last; several have one number only by mistake."""
        raise NotImplementedError

    def groups_with_servers(self, cloud: CloudT) -> set[str]:
        """The instance groups that servers say they are of, as they were read last."""
        raise NotImplementedError

    def numbers_read(self, cloud: CloudT, group: str) -> Numbers:
        """Those of a group's servers and places, as they were read last."""
        raise NotImplementedError

    def templates(self, cloud: CloudT) -> Mapping[str, StoredTemplate[CloudT]]:
        """Instance group -> what its servers are made from, by the state store."""
        raise NotImplementedError

    def server(self, template: Any, number: int) -> Task[CloudT]:
        """The task for a server of a template of this cloud."""
        raise NotImplementedError

    def explained(self, error: BaseException) -> KopsError:
        """As explain() of the cloud's errors.py."""
        raise NotImplementedError

    def mark_as_leaving(self, cloud: CloudT, server: Placed, size: int) -> None:
        """Mark a server as one that leaves its group, which has that size."""
        raise NotImplementedError

    def delete(self, cloud: CloudT, machine: CloudInstance) -> None:
        """Delete a server, and wait until it is gone. What is gone is no error."""
        raise NotImplementedError

    # -- Pool ---------------------------------------------------------------------------------------------------

    def numbers(self, cloud: CloudT, group: str) -> Numbers:
        self.forget(cloud)
        return self.numbers_read(cloud, group)

    def groups(self, cloud: CloudT) -> dict[str, Numbers]:
        self.forget(cloud)
        return {group: self.numbers_read(cloud, group) for group in sorted(self.templates(cloud))}

    def number(self, cloud: CloudT, machine: CloudInstance) -> int | None:
        return next((each.number for each in self.placed(cloud, machine.within) if each.name == machine.name), None)

    def make(self, cloud: CloudT, group: str, numbers: Sequence[int]) -> None:
        template = self.templates(cloud).get(group)
        if template is None:
            raise nothing_to_make_from(group)
        self.forget(cloud)
        make_now(cloud, [self.server(template, number) for number in numbers], self.explained)

    def let_go(self, cloud: CloudT, group: str, numbers: Collection[int], size: int) -> None:
        # First: a place that is left over must not count.
        give_up_places(cloud.store, group, numbers)
        for server in self.placed(cloud, group):
            if server.number in numbers:
                self.mark_as_leaving(cloud, server, size)

    def end(self, cloud: CloudT, machine: CloudInstance, for_good: bool) -> None:
        self.forget(cloud)
        number = self.number(cloud, machine)
        # First: whoever is broken off afterwards cannot know it any more.
        if number is not None and for_good:
            give_up_places(cloud.store, machine.within, [number])
        elif number is not None:
            self._keep(cloud, machine.within, number)
        self.delete(cloud, machine)

    def _keep(self, cloud: CloudT, group: str, number: int) -> None:
        """The place of one that kops has made is not kept yet."""
        template = self.templates(cloud).get(group)
        if template is not None and number not in cloud.once(places_of_groups).get(group, ()):
            keep_place(cloud.store, template.location, number)
