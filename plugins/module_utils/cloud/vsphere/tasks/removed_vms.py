# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: nothing is left of removed instance groups, and of smaller ones (pools/removed.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...pools.placed import Placed
from ...pools.removed import RemovedPlaces
from ..cloud import VSphereCloud
from ..ending import end_machine
from ..numbers import forget_servers
from ..pool import ServerPool


@dataclass(eq=False, repr=False)
class RemovedVMs(RemovedPlaces[VSphereCloud]):
    """Virtual machines."""

    noun: ClassVar[str] = "VM"

    @property
    def pool(self) -> ServerPool:
        return ServerPool()

    def end(self, cloud: VSphereCloud, server: Placed) -> None:
        end_machine(cloud, str(server.described["id"]))
        forget_servers(cloud)
