# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A vCenter of virtual machines in memory, as the client of nodes has it."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.api import VCenter, VirtualMachine
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.marks import CLUSTER, DISKS, GROUP, ROLE

NAME, OTHER, FOLDER = "demo.example.com", "other.example.com", "DC0/vm/demo.example.com"


class FakeVCenter(VCenter):
    """All machines are in one folder. fails: what each question raises."""

    def __init__(self) -> None:
        super().__init__(lambda: ("nobody", "nothing"))
        self.found: dict[str, VirtualMachine] = {}
        self.asked: list[str] = []
        self.fails: Exception | None = None

    def machines(self, folder: str) -> list[VirtualMachine]:
        self._note(folder)
        return list(self.found.values())

    def names(self) -> set[str]:
        self._note("names")
        return set(self.found)

    def _note(self, question: str) -> None:
        self.asked.append(question)
        if self.fails is not None:
            raise self.fails

    def machine(self, name: str, role: str = "Node", cluster: str = NAME, **disks: str) -> VirtualMachine:
        """Start a machine. disks: etcd cluster -> uuid of the disk of the member a that it has."""
        number = len(self.found) + 1
        said = [{"etcd": etcd, "member": "a", "members": ["a", "b"], "uuid": uuid} for etcd, uuid in disks.items()]
        marks = {CLUSTER: cluster, ROLE: role, GROUP: "nodes-a" if role == "Node" else "control-plane-a"}
        marks.update({DISKS: json.dumps(said)} if disks else {})
        uuid = f"4223aaaa-0000-4000-8000-{number:012x}"
        found = VirtualMachine(name, uuid, "poweredOn", (f"10.0.0.{number}",), marks)
        self.found[name] = found
        return found
