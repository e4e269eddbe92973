# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplets of an instance group as a pool (pools/placed.py): a droplet is all that its number has."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

from ...base.errors import KopsError
from ...engine.task import Task, TryAgainLater
from ..instances import CloudInstance
from ..pools.making import until, wait_until_gone
from ..pools.numbers import Numbers
from ..pools.placed import Placed, PlacedPool
from ..pools.places import place_name
from ..pools.template import stored_templates
from . import marks, names
from .cloud import DigitalOceanCloud
from .deleting import delete_droplet, is_gone
from .errors import explain
from .kinds import BALANCER, DROPLET
from .numbers import forget_droplets, group_of, name_of, numbered, numbers_of
from .ownership import droplets_of
from .tasks.droplet import Droplet
from .tasks.server_template import ServerTemplate

# Seconds that a droplet may take to go.
_ENDING = 300.0


def droplet_of(template: ServerTemplate, number: int) -> Droplet:
    """A droplet."""
    name = place_name(template.name, number)
    return Droplet(name, template.lifecycle, store=template.base, template=template, number=number)


def templates(cloud: DigitalOceanCloud) -> dict[str, ServerTemplate]:
    """Instance group -> what its droplets are made from, by the state store; empty where that is not known."""
    return stored_templates(ServerTemplate, cloud.store)


class DropletPool(PlacedPool[DigitalOceanCloud]):
    """Droplets."""

    def forget(self, cloud: DigitalOceanCloud) -> None:
        forget_droplets(cloud)

    def placed(self, cloud: DigitalOceanCloud, group: str) -> list[Placed]:
        return [Placed(number, name_of(each), each, marks.leaving_of(each)) for number, each in numbered(cloud, group)]

    def groups_with_servers(self, cloud: DigitalOceanCloud) -> set[str]:
        return set(map(group_of, droplets_of(cloud)))

    def numbers_read(self, cloud: DigitalOceanCloud, group: str) -> Numbers:
        return numbers_of(cloud, group)

    def templates(self, cloud: DigitalOceanCloud) -> Mapping[str, ServerTemplate]:
        return templates(cloud)

    def server(self, template: ServerTemplate, number: int) -> Task[DigitalOceanCloud]:
        return droplet_of(template, number)

    def explained(self, error: BaseException) -> KopsError:
        return explain(error)

    def mark_as_leaving(self, cloud: DigitalOceanCloud, server: Placed, size: int) -> None:
        identifier = str(server.described["id"])
        if marks.number_of(server.described) is None:
            # One of kops: it keeps the number that it has by its place among them.
            cloud.tag(names.tag(marks.NUMBER, str(server.number)), DROPLET, [identifier])
        if server.leaving != size:
            cloud.tag(names.tag(marks.LEAVING, str(size)), DROPLET, [identifier])
            if server.leaving is not None:
                cloud.untag(names.tag(marks.LEAVING, str(server.leaving)), DROPLET, [identifier])

    def deregister(self, cloud: DigitalOceanCloud, machine: CloudInstance, seconds: float) -> None:
        """Take the tag from it by which the API's load balancer sends to it. Those of Services follow the Node."""
        end, tag = time.monotonic() + seconds, names.control_plane_tag(cloud.cluster_name)
        for droplet in droplets_of(cloud):
            if name_of(droplet) == machine.name and names.has_tag(droplet, tag):
                identifier = str(droplet["id"])
                cloud.untag(tag, DROPLET, [identifier])
                until(end, partial(_out_of_service, cloud, tag, identifier))

    def delete(self, cloud: DigitalOceanCloud, machine: CloudInstance) -> None:
        for _number, droplet in numbered(cloud, machine.within):
            if name_of(droplet) == machine.name:
                delete_droplet(cloud, droplet)
                wait_until_gone(machine.name, _ENDING, partial(is_gone, cloud, str(droplet["id"])))
                return


def _out_of_service(cloud: DigitalOceanCloud, tag: str, droplet: str) -> None:
    for balancer in cloud.read(BALANCER):
        members = [str(each) for each in balancer.get("droplet_ids") or ()]
        if str(balancer.get("tag") or "").lower() == tag.lower() and droplet in members:
            raise TryAgainLater(f"load balancer {balancer['name']} still sends to droplet {droplet}")
