# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that no specification has any more. Machines are known by their groups."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...engine.task import Task
from ..looking import Unknown
from . import names
from .cloud import VSphereCloud
from .ownership import settings_of
from .resources.owned import MACHINES, Found, Owned


def unknown(cloud: VSphereCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
    """By kind and name. What the tasks want is known by its name, and a machine by its group."""
    known = {task.name for task in tasks}
    directories = {str(each).rpartition("/")[0] for each in (getattr(task, "path", None) for task in tasks) if each}
    groups = {str(getattr(task, "group", "")) for task in tasks}

    def is_known(each: Found) -> bool:
        if each.kind == MACHINES and settings_of(each.handle).get(names.GROUP) in groups:
            return True
        return each.name in known or each.id in directories

    found = [
        Unknown(each.kind, each.name, f"{each.id}; it has the mark of the cluster")
        for each in Owned(cloud).all()
        if not is_known(each)
    ]
    return sorted(found, key=lambda each: (each.kind, each.name))
