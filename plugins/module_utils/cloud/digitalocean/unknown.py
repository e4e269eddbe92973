# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that its specification does not have: found as deletion finds them.

Left out are tags, what the cloud controller makes for Services, and droplets of kops, which have no number.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...engine.task import Task
from ..looking import Unknown
from . import names
from .cloud import DigitalOceanCloud
from .domains import TEXT
from .kinds import DROPLET, RECORD, TAG
from .resources.owned import Found, owned

_REASON = "it is the cluster's by its tags, description or name"


def unknown(cloud: DigitalOceanCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
    """By kind and name. What the tasks want is known by its name."""
    known = {str(task.name).lower() for task in tasks}
    found = []
    for each in owned(cloud):
        name = _name(each)
        if each.kind is not TAG and not each.of_service and name and name.lower() not in known:
            found.append(Unknown(each.kind.word, name, f"{each.id}; {_REASON}"))
    return sorted(found, key=lambda each: (each.kind, each.name))


def _name(found: Found) -> str:
    """What its task would be called; "" for what has none."""
    if found.kind is DROPLET:
        group, number = (names.value_of(found.described, key) for key in (names.GROUP, names.NUMBER))
        return f"{group}-{number}" if number else ""
    if found.kind.word == RECORD and found.described["type"] == TEXT:
        return ""
    return found.name
