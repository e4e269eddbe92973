# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a machine. Disks that are not its own are taken from it before: vCenter would delete them with it."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from ..errors import CloudError, Missing
from .cloud import VSphereCloud
from .collecting import Described
from .inventory import named
from .kinds import DETAILS, MACHINE
from .ownership import forget_machines
from .states import disks_in, is_on

_PATH = re.compile(r"\[[^]]*] ?(.*)")


def end_machine(cloud: VSphereCloud, identifier: str) -> None:
    """Switch a machine off and delete it; one that is gone has ended. Raises KopsError."""
    machine = _now(cloud, identifier)
    if machine is None:
        return
    name, handle = named(machine), cloud.object(MACHINE, identifier)
    with contextlib.suppress(Missing):
        if is_on(machine):
            _switch_off(cloud, identifier, name)
        # Drivers of volumes may have given it more until it was off; and a second look costs less than a volume.
        for _look in range(2):
            machine = _now(cloud, identifier)
            if machine is None:
                return
            take_disks(cloud, machine, borrowed(machine))
        cloud.run(f"delete machine {name}", handle.Destroy_Task)
    forget_machines(cloud)


def _switch_off(cloud: VSphereCloud, identifier: str, name: str) -> None:
    """Its guest may have done so meanwhile, which vCenter refuses to do again."""
    handle = cloud.object(MACHINE, identifier)
    try:
        cloud.run(f"switch off machine {name}", handle.PowerOffVM_Task)
    except CloudError:
        found = _now(cloud, identifier)
        if found is not None and is_on(found):
            raise


def _now(cloud: VSphereCloud, identifier: str) -> Described | None:
    found = cloud.read(MACHINE, [identifier], DETAILS[MACHINE], "look for a virtual machine")
    return found[0] if found else None


def borrowed(machine: Described) -> list[Any]:
    """Disks that a machine has and that are not its own: those of etcd, and of volumes of Kubernetes."""
    own = _directory(str(machine.get("config.files.vmPathName") or ""))
    return [
        device
        for device in disks_in(machine)
        if getattr(device, "vDiskId", None) or _directory(str(device.backing.fileName)) != own
    ]


def _directory(path: str) -> str:
    """The directory of a file, on whatever datastore."""
    found = _PATH.fullmatch(path)
    return (found[1] if found else path).rpartition("/")[0]


def take_disks(cloud: VSphereCloud, machine: Described, devices: list[Any]) -> None:
    """Take disks from a machine; their files stay."""
    from pyVmomi import vim

    if devices:
        changes = [vim.vm.device.VirtualDeviceSpec(operation="remove", device=each) for each in devices]
        spec = vim.vm.ConfigSpec(deviceChange=changes)
        handle = cloud.object(MACHINE, str(machine["id"]))
        cloud.run(f"take disks from machine {named(machine)}", lambda: handle.ReconfigVM_Task(spec))
