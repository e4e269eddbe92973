# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which server has which number of its instance group.

Servers that kops has made have random names and no number: they have the lowest free ones, in the order of their ids.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from ..pools.numbers import Numbers
from ..pools.places import numbers_with, places_of_groups
from . import marks, names
from .cloud import Described, HetznerCloud, own
from .kinds import SERVER
from .states import lives


def servers_of(cloud: HetznerCloud) -> list[Described]:
    """The cluster's servers, as they were read last."""
    return [each for each in cloud.once(own, SERVER) if labels_of(each).get(names.CLUSTER) == cloud.cluster_name]


def forget_servers(cloud: HetznerCloud) -> None:
    """Read servers and places anew the next time."""
    cloud.forget(own, SERVER)
    cloud.forget(places_of_groups)


def labels_of(server: Described) -> Mapping[str, str]:
    """What a server says of itself."""
    return server.get("labels") or {}


def numbered(cloud: HetznerCloud, group: str) -> list[tuple[int, Described]]:
    """Each living server of a group with its number, in their order; several have one number only by mistake."""
    servers = [each for each in servers_of(cloud) if labels_of(each).get(names.GROUP) == group and lives(each)]
    servers.sort(key=lambda each: int(each["id"]))
    said = [(marks.number_of(labels_of(each)), each) for each in servers]
    taken = {number for number, _server in said}
    free = (number for number in itertools.count(1) if number not in taken)
    found = [(next(free) if number is None else number, each) for number, each in said]
    return sorted(found, key=lambda each: each[0])


def leaving_of(server: Described) -> int | None:
    """The size that its group had when it left; None while it serves."""
    size = labels_of(server).get(marks.LEAVING, "")
    return int(size) if size.isdecimal() else None


def numbers_of(cloud: HetznerCloud, group: str) -> Numbers:
    """Those of a group's servers and places, as they were read last."""
    places = cloud.once(places_of_groups).get(group, frozenset())
    return numbers_with(((number, leaving_of(each)) for number, each in numbered(cloud, group)), places)
