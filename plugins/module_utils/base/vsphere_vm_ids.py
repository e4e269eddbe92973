# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How virtual machines of vSphere, and their Nodes, are named.

A file of its own, because each node program contains the names of its own cloud, and no others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .instance_ids import InstanceIds


@dataclass(frozen=True)
class VirtualMachineNames(InstanceIds):
    """An id of a virtual machine is its name, by which its Node is called, too: its group's, and six random digits."""

    def id_in(self, provider_id: str) -> str:
        """Nothing: a provider id (vsphere://UUID) has the machine's uuid, which does not tell its name."""
        del provider_id
        return ""


VIRTUAL_MACHINES = VirtualMachineNames(id_pattern=re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?-[0-9a-f]{6}"))
