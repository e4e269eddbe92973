# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of a virtual machine: what vCenter's words for them mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .collecting import Described

ON, OFF = "poweredOn", "poweredOff"
# vCenter's words -> those of other clouds, by which instances are told that work.
POWER = {ON: "running", OFF: "stopped"}


def is_on(machine: Described) -> bool:
    """Whether it runs."""
    return str(machine.get("runtime.powerState")) == ON


def addresses(machine: Described) -> list[str]:
    """The addresses that VMware Tools say it has, the first one first, without those of links and loopbacks."""
    first = str(machine.get("guest.ipAddress") or "")
    found = [first] if first else []
    for card in machine.get("guest.net") or ():
        found += [str(each) for each in card.ipAddress or ()]
    return [each for each in dict.fromkeys(found) if not each.startswith(("fe80:", "169.254.", "127."))]


def disks_in(machine: Described) -> Iterator[Any]:
    """Its disks, as the library describes devices."""
    hardware = machine.get("config.hardware")
    for device in hardware.device if hardware else ():
        if type(device).__name__ == "vim.vm.device.VirtualDisk":
            yield device


def directory_of(path: str) -> str:
    """The directory of a path of a datastore: "[ds] a/b.vmdk" -> "[ds] a"."""
    return path.rpartition("/")[0]
