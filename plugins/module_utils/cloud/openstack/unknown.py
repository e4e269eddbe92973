# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that its specification does not have: found as deletion finds them.

Left out is what the cloud controller makes for Services; the router's interfaces, which have no names; and application
credentials, since servers may have a former one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...engine.task import Task
from ..looking import Unknown
from . import names
from .cloud import OpenStackCloud
from .kinds import APPLICATION_CREDENTIAL, BALANCER, FLOATING_IP, SERVER
from .resources.owned import Found, Owned, metadata_of
from .tasks.router_interface import INTERFACE_OWNERS

_REASON = "it is the cluster's by its tags, metadata or name"


def unknown(cloud: OpenStackCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
    """By kind and name. What the tasks want is known by its name."""
    known = {str(value) for task in tasks for value in (task.name, getattr(task, "title", None)) if value}
    owned = Owned(cloud)
    of_services = owned.balancers_of_services()
    ports = {each["vip_port_id"] for each in of_services}
    found = []
    for each in owned.all():
        is_interface = each.described.get("device_owner") in INTERFACE_OWNERS
        of_service = each.kind is BALANCER and each.described in of_services
        is_credential = each.kind.word == APPLICATION_CREDENTIAL
        of_service |= each.kind is FLOATING_IP and each.described.get("port_id") in ports
        name = _name(each)
        if not (each.only_tag or is_interface or is_credential or of_service or name in known):
            found.append(Unknown(each.kind.word, name, f"{each.id}; {_REASON}"))
    return sorted(found, key=lambda each: (each.kind, each.name))


def _name(found: Found) -> str:
    """A server is known by its stable name."""
    stable = metadata_of(found.described).get(names.TAG_NAME) if found.kind is SERVER else None
    return str(stable or found.name)
