# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of an instance group as a pool (pools/placed.py)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...base.errors import KopsError
from ...engine.task import Task
from ..instances import CloudInstance
from ..pools.making import wait_until_gone
from ..pools.numbers import Numbers
from ..pools.placed import Placed, PlacedPool
from ..pools.places import place_name
from ..pools.template import stored_templates
from . import marks, names
from .cloud import HetznerCloud
from .errors import explain
from .kinds import SERVER
from .numbers import forget_servers, labels_of, leaving_of, numbered, numbers_of, servers_of
from .states import lives
from .tasks.server import Server
from .tasks.server_template import ServerTemplate

# Seconds that a server may take to go.
_ENDING = 300.0


def server_of(template: ServerTemplate, number: int) -> Server:
    """A server."""
    name = place_name(template.name, number)
    return Server(name, template.lifecycle, store=template.base, template=template, number=number)


def templates(cloud: HetznerCloud) -> dict[str, ServerTemplate]:
    """Instance group -> what its servers are made from, by the state store; empty where that is not known."""
    return stored_templates(ServerTemplate, cloud.store)


class ServerPool(PlacedPool[HetznerCloud]):
    """Servers at Hetzner."""

    def forget(self, cloud: HetznerCloud) -> None:
        forget_servers(cloud)

    def placed(self, cloud: HetznerCloud, group: str) -> list[Placed]:
        return [Placed(number, str(each["name"]), each, leaving_of(each)) for number, each in numbered(cloud, group)]

    def groups_with_servers(self, cloud: HetznerCloud) -> set[str]:
        return {labels_of(each).get(names.GROUP, "") for each in servers_of(cloud)}

    def numbers_read(self, cloud: HetznerCloud, group: str) -> Numbers:
        return numbers_of(cloud, group)

    def templates(self, cloud: HetznerCloud) -> Mapping[str, ServerTemplate]:
        return templates(cloud)

    def server(self, template: ServerTemplate, number: int) -> Task[HetznerCloud]:
        return server_of(template, number)

    def explained(self, error: BaseException) -> KopsError:
        return explain(error)

    def mark_as_leaving(self, cloud: HetznerCloud, server: Placed, size: int) -> None:
        """It keeps its number, also one that it has only by its place among those of kops."""
        told = {**labels_of(server.described), marks.LEAVING: str(size), marks.NUMBER: str(server.number)}
        cloud.change(SERVER, int(server.described["id"]), {"labels": told})

    def deregister(self, cloud: HetznerCloud, machine: CloudInstance, seconds: float) -> None:
        """Nothing: load balancers send to all servers with the labels of a control plane, until one does not answer.

        Without the labels, the firewall would let in the world.
        """

    def delete(self, cloud: HetznerCloud, machine: CloudInstance) -> None:
        for server in servers_of(cloud):
            if server["name"] == machine.name and labels_of(server).get(names.GROUP) == machine.within:
                identifier = int(server["id"])
                cloud.delete(SERVER, identifier)
                wait_until_gone(machine.name, _ENDING, partial(_is_gone, cloud, identifier))


def _is_gone(cloud: HetznerCloud, identifier: int) -> bool:
    found = cloud.get(SERVER, identifier)
    return found is None or not lives(found)
