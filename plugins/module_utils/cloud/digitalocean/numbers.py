# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which number of its instance group each droplet of a cluster has.

Droplets that kops has made have one name for all of a group, and no number: they have the lowest free ones, in the
order of their ids.
"""

from __future__ import annotations

import itertools

from ...base.errors import KopsError
from ..pools.numbers import Numbers
from ..pools.places import numbers_with, place_name, places_of_groups
from . import marks, names
from .cloud import Described, DigitalOceanCloud
from .ownership import droplets_of, read_droplets
from .states import lives

PRIVATE, PUBLIC = "private", "public"


def group_of(droplet: Described) -> str:
    """The instance group that a droplet says it is of; "" for none."""
    return names.value_of(droplet, names.GROUP) or ""


def name_of(droplet: Described) -> str:
    """What a droplet, and its Node, is called. Those of kops share a name, and are called by their private address."""
    if marks.mark_of(droplet):
        return str(droplet["name"])
    return next(iter(addresses_of(droplet, PRIVATE)), str(droplet["name"]))


def addresses_of(droplet: Described, kind: str) -> list[str]:
    """The addresses of a droplet, IPv4 first. kind: PRIVATE or PUBLIC."""
    networks = droplet.get("networks") or {}
    every = [*(networks.get("v4") or ()), *(networks.get("v6") or ())]
    return [str(each["ip_address"]) for each in every if each.get("type") == kind]


def numbered(cloud: DigitalOceanCloud, group: str) -> list[tuple[int, Described]]:
    """Each living droplet of a group with its number, in their order. Raises KopsError for two that have one number."""
    droplets = [each for each in droplets_of(cloud) if group_of(each) == group and lives(each)]
    droplets.sort(key=lambda each: int(each["id"]))
    said = [(marks.number_of(each), each) for each in droplets]
    taken = {number for number, _droplet in said}
    free = (number for number in itertools.count(1) if number not in taken)
    found = [(next(free) if number is None else number, each) for number, each in said]
    _refuse_twins(group, found)
    return sorted(found, key=lambda each: each[0])


def _refuse_twins(group: str, found: list[tuple[int, Described]]) -> None:
    for number in sorted({number for number, _droplet in found}):
        twins = [each for each_number, each in found if each_number == number and marks.leaving_of(each) is None]
        if len(twins) > 1:
            several = ", ".join(f"{each['name']} ({each['id']})" for each in twins)
            raise KopsError(
                f"{len(twins)} droplets are {place_name(group, number)} of the cluster: {several};"
                " delete those that are not its Nodes, or take all tags from those that are not the cluster's"
            )


def numbers_of(cloud: DigitalOceanCloud, group: str) -> Numbers:
    """Those of a group's droplets and places, as they were read last."""
    places = cloud.once(places_of_groups).get(group, frozenset())
    return numbers_with(((number, marks.leaving_of(each)) for number, each in numbered(cloud, group)), places)


def forget_droplets(cloud: DigitalOceanCloud) -> None:
    """Read droplets, and places that were kept for some, anew the next time."""
    cloud.forget(read_droplets)
    cloud.forget(places_of_groups)
