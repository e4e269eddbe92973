# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of an instance group as a pool (pools/replacing.py)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from ...engine.task import Task
from ..instances import CloudInstance
from ..pools.making import make_now, nothing_to_make_from, wait_until_gone
from ..pools.numbers import Numbers
from ..pools.places import give_up_places, keep_place
from ..pools.replacing import Pool
from ..pools.template import stored_templates
from . import marks, names
from .cloud import HetznerCloud
from .errors import explain
from .kinds import SERVER
from .numbers import forget_servers, labels_of, numbered, numbers_of, places_of_groups, servers_of
from .states import lives
from .tasks.server import Server
from .tasks.server_template import ServerTemplate

# Seconds that a server may take to go.
_ENDING = 300.0


def server_of(template: ServerTemplate, number: int) -> Server:
    """A server."""
    return Server(
        marks.stable_name(template.name, number),
        template.lifecycle,
        store=template.base,
        template=template,
        number=number,
    )


def templates(cloud: HetznerCloud) -> dict[str, ServerTemplate]:
    """Instance group -> what its servers are made from, by the state store; empty where that is not known."""
    return stored_templates(ServerTemplate, cloud.store)


class ServerPool(Pool[HetznerCloud]):
    """Servers at Hetzner: a place without a server is a file of the state store (pools/places.py)."""

    def numbers(self, cloud: HetznerCloud, group: str) -> Numbers:
        forget_servers(cloud)
        return numbers_of(cloud, group)

    def groups(self, cloud: HetznerCloud) -> dict[str, Numbers]:
        forget_servers(cloud)
        return {group: numbers_of(cloud, group) for group in sorted(templates(cloud))}

    def number(self, cloud: HetznerCloud, machine: CloudInstance) -> int | None:
        own = (number for number, each in numbered(cloud, machine.within) if each["name"] == machine.name)
        return next(own, None)

    def make(self, cloud: HetznerCloud, group: str, numbers: Sequence[int]) -> None:
        template = templates(cloud).get(group)
        if template is None:
            raise nothing_to_make_from(group)
        forget_servers(cloud)
        tasks: list[Task[HetznerCloud]] = [server_of(template, number) for number in numbers]
        make_now(cloud, tasks, explain)

    def let_go(self, cloud: HetznerCloud, group: str, numbers: Collection[int], size: int) -> None:
        # First: a place that is left over must not count.
        give_up_places(cloud.store, group, numbers)
        for number, server in numbered(cloud, group):
            if number in numbers:
                # It keeps its number, also one that it has only by its place among those of kops.
                told = {**labels_of(server), marks.LEAVING: str(size), marks.NUMBER: str(number)}
                cloud.change(SERVER, int(server["id"]), {"labels": told})

    def deregister(self, cloud: HetznerCloud, machine: CloudInstance, seconds: float) -> None:
        """Nothing: load balancers send to all servers with the labels of a control plane, until one does not answer.

        Without the labels, the firewall would let in the world.
        """

    def end(self, cloud: HetznerCloud, machine: CloudInstance, for_good: bool) -> None:
        forget_servers(cloud)
        number = self.number(cloud, machine)
        if number is not None:
            if for_good:
                give_up_places(cloud.store, machine.within, [number])
            else:
                self._keep(cloud, machine.within, number)
        for server in servers_of(cloud):
            if server["name"] == machine.name and labels_of(server).get(names.GROUP) == machine.within:
                identifier = int(server["id"])
                cloud.delete(SERVER, identifier)
                wait_until_gone(machine.name, _ENDING, partial(_is_gone, cloud, identifier))

    def _keep(self, cloud: HetznerCloud, group: str, number: int) -> None:
        """The place of one that kops has made is not kept yet."""
        template = templates(cloud).get(group)
        if template is not None and number not in cloud.once(places_of_groups).get(group, ()):
            keep_place(cloud.store, template.location, number)


def _is_gone(cloud: HetznerCloud, identifier: int) -> bool:
    found = cloud.get(SERVER, identifier)
    return found is None or not lives(found)
