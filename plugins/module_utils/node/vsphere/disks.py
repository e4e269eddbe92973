# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of etcd's members. The controller attaches them before a virtual machine starts, and nobody afterwards.

So a control plane is the member whose disks it has. Which these are, its extra configuration says.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from ..cloud.disks import Holder, MemberDisk
from .api import VCenter, VirtualMachine
from .cluster_instances import machines_of
from .marks import CONTROL_PLANE, DISKS, ROLE

# What the kernel shows of a disk's uuid, if the machine has disk.EnableUUID.
_PATHS = ("/dev/disk/by-id/wwn-0x{}", "/dev/disk/by-id/scsi-3{}")
_GONE = "gone"


class MemberDisksOfMachines:
    """Those of a cluster, as one virtual machine sees them. instance: its uuid. zone: the datacenter."""

    def __init__(self, vcenter: VCenter, cluster: str, folder: str, instance: str, zone: str) -> None:
        self.vcenter, self.cluster, self.folder = vcenter, cluster, folder
        self.instance, self._zone = instance, zone

    @property
    def zone(self) -> str:
        """See ClusterDisks: a datastore is there for the whole datacenter."""
        return self._zone

    def all(self) -> list[MemberDisk]:
        """See ClusterDisks: those that a virtual machine has."""
        machines = machines_of(self.vcenter, self.cluster, self.folder)
        found = [disk for each in machines if each.marks.get(ROLE) == CONTROL_PLANE for disk in self._of(each)]
        return sorted(found, key=lambda disk: disk.id)

    def attach(self, disk: MemberDisk) -> bool:
        """See ClusterDisks: never, as only the controller attaches disks."""
        del disk
        return False

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        """See ClusterDisks. Disks are detached before a machine goes: none lets go by itself but one that is gone."""
        found = {name: Holder(_GONE, lets_go=True) for name in instances}
        if instances:
            for each in machines_of(self.vcenter, self.cluster, self.folder):
                if each.uuid in found:
                    found[each.uuid] = Holder(each.power, address=next(iter(each.addresses), ""))
        return found

    def paths(self, disk: MemberDisk) -> tuple[str, ...]:
        """See ClusterDisks."""
        return tuple(path.format(disk.id.replace("-", "")) for path in _PATHS)

    def _of(self, machine: VirtualMachine) -> Iterator[MemberDisk]:
        try:
            said = json.loads(machine.marks.get(DISKS) or "[]")
        except ValueError:
            return
        for each in said:
            yield MemberDisk(
                id=str(each["uuid"]).lower(),
                zone=self._zone,
                etcd=str(each["etcd"]),
                member=str(each["member"]),
                members=tuple(each["members"]),
                holder=machine.uuid,
                is_attached=True,
            )
