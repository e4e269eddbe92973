# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which virtual machine has which number of its instance group: its marks say it."""

from __future__ import annotations

from ..pools.numbers import Numbers
from ..pools.places import numbers_with, places_of_groups
from . import names
from .cloud import VSphereCloud
from .collecting import Described
from .ownership import forget_machines, machines, settings_of


def forget_servers(cloud: VSphereCloud) -> None:
    """Read virtual machines and places anew the next time."""
    forget_machines(cloud)
    cloud.forget(places_of_groups)


def group_of(machine: Described) -> str:
    """The instance group of a virtual machine; "" for none."""
    return settings_of(machine).get(names.GROUP, "")


def numbered(cloud: VSphereCloud, group: str) -> list[tuple[int, Described]]:
    """Each virtual machine of a group with its number; several have one number only by mistake."""
    found = []
    for each in machines(cloud):
        said = settings_of(each)
        number = names.number_of(said.get(names.NAME, ""), group, cloud.cluster_name)
        if said.get(names.GROUP) == group and number is not None:
            found.append((number, each))
    return sorted(found, key=lambda each: (each[0], str(each[1]["name"])))


def leaving_of(machine: Described) -> int | None:
    """The size that its group had when it left; None while it serves."""
    size = settings_of(machine).get(names.LEAVING, "")
    return int(size) if size.isdecimal() else None


def numbers_of(cloud: VSphereCloud, group: str) -> Numbers:
    """Those of a group's virtual machines and places, as they were read last."""
    places = cloud.once(places_of_groups).get(group, frozenset())
    return numbers_with(((number, leaving_of(each)) for number, each in numbered(cloud, group)), places)
