# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that its specification does not have: found as deletion finds them.

Left out is what programs in the cluster make (routes, and all that Services have), and what an update knows by itself:
managed groups of removed instance groups, and templates from which instances were made before.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...engine.task import Task
from ..looking import Unknown
from .cloud import GCECloud
from .resources.identity import identity
from .resources.listing import (
    ADDRESS,
    BACKEND,
    CHECK,
    DISK,
    FIREWALL,
    HTTP_CHECK,
    NETWORK,
    POOL,
    ROUTER,
    RULE,
    SUBNET,
    everything,
)
from .resources.of_services import of_services
from .resources.owned import owned

_KINDS = (NETWORK, SUBNET, ROUTER, FIREWALL, ADDRESS, DISK, RULE, POOL, BACKEND, CHECK, HTTP_CHECK)


def unknown(cloud: GCECloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
    """By kind and name. What the tasks want is known by its name, accounts by their address."""
    known = {str(value) for task in tasks for value in (task.name, getattr(task, "email", None)) if value}
    listed = cloud.once(everything)
    ours = owned(cloud, listed)
    of_programs = of_services(cloud, listed, ours)
    found = [
        Unknown(each.kind.name, each.name, f"{path}; it is the cluster's by its description, labels or network")
        for path, each in ours.items()
        if each.kind.name in _KINDS and each.name not in known and path not in of_programs
    ]
    accounts = [
        Unknown(each.kind, each.name or each.id, f"{each.id}; it has the cluster's name")
        for each in identity(cloud)
        if not {each.id, each.name} & known
    ]
    return sorted([*found, *accounts], key=lambda each: (each.kind, each.name))
