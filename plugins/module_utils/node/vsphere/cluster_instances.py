# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machines of a cluster as its controllers see them: those of its folder that say so.

What they say is in extra configuration, which guests can neither read nor write.
"""

from __future__ import annotations

from collections.abc import Collection

from ...base.labels import INSTANCE_GROUP
from ...base.vsphere_vm_ids import VIRTUAL_MACHINES
from ..cloud.instances import CloudInstance
from .api import VCenter, VirtualMachine
from .marks import CLUSTER, CONTROL_PLANE, GROUP, ON, ROLE, WORKER

_NODE_ROLES = {CONTROL_PLANE: "control-plane", WORKER: "node"}


class VirtualMachines:
    """Those of one cluster. folder: where they are. own: the name of the one that the process runs on."""

    ids = VIRTUAL_MACHINES

    def __init__(self, vcenter: VCenter, cluster: str, folder: str, own: str) -> None:
        self.vcenter, self.cluster, self.folder, self._own = vcenter, cluster, folder, own

    def own_id(self) -> str:
        """See CloudInstances."""
        return self._own

    def all(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        return {each.name: _read(each) for each in machines_of(self.vcenter, self.cluster, self.folder)}

    def servers(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        return {name: each for name, each in self.all().items() if each.role == CONTROL_PLANE}

    def existing(self, ids: Collection[str]) -> set[str]:
        """See CloudInstances."""
        return self.vcenter.names() & set(ids) if ids else set()


def machines_of(vcenter: VCenter, cluster: str, folder: str) -> list[VirtualMachine]:
    """The cluster's virtual machines."""
    return [each for each in vcenter.machines(folder) if each.marks.get(CLUSTER) == cluster]


def _read(machine: VirtualMachine) -> CloudInstance:
    group, role = machine.marks.get(GROUP, ""), machine.marks.get(ROLE, "")
    named = {f"node-role.kubernetes.io/{_NODE_ROLES[role]}": ""} if role in _NODE_ROLES else {}
    return CloudInstance(
        id=machine.name,
        group=group,
        role=CONTROL_PLANE if role == CONTROL_PLANE else "",
        runs=machine.power == ON,
        tagged_labels={**named, **({INSTANCE_GROUP: group} if group else {})},
        internal=machine.addresses,
    )
