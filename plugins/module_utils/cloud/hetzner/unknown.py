# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that no specification has any more.

Left out is what the cloud controller makes for Services, and servers, which are known by their groups.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...engine.task import Task
from ..looking import Unknown
from . import names
from .cloud import HetznerCloud
from .kinds import BALANCER, SERVER
from .resources.owned import Found, Owned


def unknown(cloud: HetznerCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
    """By kind and name. What the tasks want is known by its id, and a server by its group."""
    known = {getattr(task, "id", None) for task in tasks} | {task.name for task in tasks}
    groups = {str(getattr(task, "group", "")) for task in tasks}
    owned = Owned(cloud)
    of_services = owned.balancers_of_services()

    def is_known(each: Found) -> bool:
        if each.kind is SERVER and each.described["labels"].get(names.GROUP) in groups:
            return True
        if each.kind is BALANCER and each.described in of_services:
            return True
        return each.id in known or each.name in known

    found = [
        Unknown(each.kind.word, each.name, f"{each.id}; it has the label of the cluster")
        for each in owned.all()
        if not is_known(each)
    ]
    return sorted(found, key=lambda each: (each.kind, each.name))
