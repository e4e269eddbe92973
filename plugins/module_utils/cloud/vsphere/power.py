# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing virtual machines: their configuration, their marks, and their power."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import KopsError
from . import devices
from .cloud import VSphereCloud
from .collecting import Described
from .kinds import DETAILS, MACHINE
from .ownership import forget_machines
from .states import is_on


def now(cloud: VSphereCloud, identifier: str) -> Described | None:
    """A virtual machine as it is now; None if it is gone."""
    found = cloud.read(MACHINE, [identifier], DETAILS[MACHINE], "read a virtual machine")
    return found[0] if found else None


def reconfigure(cloud: VSphereCloud, machine: Described, **wanted: Any) -> None:
    """Change a virtual machine. wanted: of vim.vm.ConfigSpec."""
    from pyVmomi import vim

    found, spec = cloud.object(MACHINE, str(machine["id"])), vim.vm.ConfigSpec(**wanted)
    cloud.run(f"configure virtual machine {machine['name']}", lambda: found.ReconfigVM_Task(spec))
    forget_machines(cloud)


def mark(cloud: VSphereCloud, machine: Described, values: Mapping[str, str]) -> None:
    """Write marks of a virtual machine; others stay as they are, and an empty value takes one away."""
    reconfigure(cloud, machine, extraConfig=devices.settings(values))


def switch_on(cloud: VSphereCloud, machine: Described) -> None:
    """Start a virtual machine; one that is on is no error."""
    found = cloud.object(MACHINE, str(machine["id"]))
    try:
        cloud.run(f"start virtual machine {machine['name']}", found.PowerOnVM_Task)
    except KopsError:
        after = now(cloud, str(machine["id"]))
        if after is None or not is_on(after):
            raise
    forget_machines(cloud)
