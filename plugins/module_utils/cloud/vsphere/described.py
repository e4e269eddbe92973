# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What vCenter says of a cluster, for a dump of it. Without user data, which vCenter shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from .cloud import VSphereCloud
from .collecting import Described
from .disks import all_disks
from .inventory import inventory, named
from .ownership import machines, own_folder, own_pool, settings_of, tag_of
from .resources.discovery import discover
from .states import addresses

# Settings of a machine that a reader of a dump does not need, and that may be long.
_LEFT_OUT = ("guestinfo.userdata", "guestinfo.metadata")


def described(cloud: VSphereCloud) -> Mapping[str, Callable[[], Any]]:
    """Name -> a function that reads it. Each is read on its own, so that one that fails keeps no other away."""
    return {
        "machines": lambda: [_machine(each) for each in machines(cloud)],
        "disks": lambda: {name: asdict(each) for name, each in sorted(all_disks(cloud).items())},
        "places": lambda: [cloud.once(inventory).path(each) for each in (own_folder(cloud), own_pool(cloud)) if each],
        "tag": lambda: cloud.once(tag_of),
        "resources": lambda: sorted(
            (each.as_data() for each in discover(cloud).values()), key=lambda each: (each["kind"], each["id"])
        ),
    }


def _machine(found: Described) -> dict[str, Any]:
    hardware = found.get("config.hardware")
    settings = settings_of(found)
    return {
        "id": found["id"],
        "name": named(found),
        "power": str(found.get("runtime.powerState")),
        "tools": str(found.get("guest.toolsRunningStatus")),
        "addresses": addresses(found),
        "cpus": hardware.numCPU if hardware else None,
        "memory_mib": hardware.memoryMB if hardware else None,
        "settings": {key: value for key, value in sorted(settings.items()) if not key.startswith(_LEFT_OUT)},
    }
