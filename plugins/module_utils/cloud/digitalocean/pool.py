# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplets of an instance group as a pool (pools/replacing.py): a droplet is all that its number has."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from functools import partial

from ...engine.task import Task, TryAgainLater
from ..instances import CloudInstance
from ..pools.making import make_now, nothing_to_make_from, until, wait_until_gone
from ..pools.numbers import Numbers
from ..pools.places import give_up_places, keep_place
from ..pools.replacing import Pool
from ..pools.template import stored_templates
from . import marks, names
from .cloud import DigitalOceanCloud
from .deleting import delete_droplet, is_gone
from .errors import explain
from .kinds import BALANCER, DROPLET
from .numbers import forget_droplets, name_of, numbered, numbers_of, places_of_groups
from .ownership import droplets_of
from .tasks.droplet import Droplet
from .tasks.server_template import ServerTemplate

# Seconds that a droplet may take to go.
_ENDING = 300.0


def droplet_of(template: ServerTemplate, number: int) -> Droplet:
    """A droplet."""
    return Droplet(
        marks.stable_name(template.name, number),
        template.lifecycle,
        store=template.base,
        template=template,
        number=number,
    )


def templates(cloud: DigitalOceanCloud) -> dict[str, ServerTemplate]:
    """Instance group -> what its droplets are made from, by the state store; empty where that is not known."""
    return stored_templates(ServerTemplate, cloud.store)


class DropletPool(Pool[DigitalOceanCloud]):
    """Droplets: a place has nothing that would stay without a droplet."""

    def numbers(self, cloud: DigitalOceanCloud, group: str) -> Numbers:
        forget_droplets(cloud)
        return numbers_of(cloud, group)

    def groups(self, cloud: DigitalOceanCloud) -> dict[str, Numbers]:
        forget_droplets(cloud)
        return {group: numbers_of(cloud, group) for group in sorted(templates(cloud))}

    def number(self, cloud: DigitalOceanCloud, machine: CloudInstance) -> int | None:
        own = (number for number, each in numbered(cloud, machine.within) if name_of(each) == machine.name)
        return next(own, None)

    def make(self, cloud: DigitalOceanCloud, group: str, numbers: Sequence[int]) -> None:
        template = templates(cloud).get(group)
        if template is None:
            raise nothing_to_make_from(group)
        forget_droplets(cloud)
        tasks: list[Task[DigitalOceanCloud]] = [droplet_of(template, number) for number in numbers]
        make_now(cloud, tasks, explain)

    def let_go(self, cloud: DigitalOceanCloud, group: str, numbers: Collection[int], size: int) -> None:
        # First: a place that is left over must not count.
        give_up_places(cloud.store, group, numbers)
        for number, droplet in numbered(cloud, group):
            if number not in numbers:
                continue
            identifier = str(droplet["id"])
            if marks.number_of(droplet) is None:
                # One of kops: it keeps the number that it has by its place among them.
                cloud.tag(names.tag(marks.NUMBER, str(number)), DROPLET, [identifier])
            before = marks.leaving_of(droplet)
            if before != size:
                cloud.tag(names.tag(marks.LEAVING, str(size)), DROPLET, [identifier])
                if before is not None:
                    cloud.untag(names.tag(marks.LEAVING, str(before)), DROPLET, [identifier])

    def deregister(self, cloud: DigitalOceanCloud, machine: CloudInstance, seconds: float) -> None:
        """Take the tag from it by which the API's load balancer sends to it. Those of Services follow the Node."""
        end, tag = time.monotonic() + seconds, names.control_plane_tag(cloud.cluster_name)
        for droplet in droplets_of(cloud):
            if name_of(droplet) == machine.name and names.has_tag(droplet, tag):
                identifier = str(droplet["id"])
                cloud.untag(tag, DROPLET, [identifier])
                until(end, partial(_out_of_service, cloud, tag, identifier))

    def end(self, cloud: DigitalOceanCloud, machine: CloudInstance, for_good: bool) -> None:
        forget_droplets(cloud)
        for number, droplet in numbered(cloud, machine.within):
            if name_of(droplet) == machine.name:
                # First: whoever is broken off then cannot know it any more.
                if for_good:
                    give_up_places(cloud.store, machine.within, [number])
                else:
                    self._keep(cloud, machine.within, number)
                delete_droplet(cloud, droplet)
                wait_until_gone(machine.name, _ENDING, partial(is_gone, cloud, str(droplet["id"])))
                return

    def _keep(self, cloud: DigitalOceanCloud, group: str, number: int) -> None:
        """The place of one that kops has made is not kept yet."""
        template = templates(cloud).get(group)
        if template is not None and number not in cloud.once(places_of_groups).get(group, ()):
            keep_place(cloud.store, template.location, number)


def _out_of_service(cloud: DigitalOceanCloud, tag: str, droplet: str) -> None:
    for balancer in cloud.read(BALANCER):
        members = [str(each) for each in balancer.get("droplet_ids") or ()]
        if str(balancer.get("tag") or "").lower() == tag.lower() and droplet in members:
            raise TryAgainLater(f"load balancer {balancer['name']} still sends to droplet {droplet}")
