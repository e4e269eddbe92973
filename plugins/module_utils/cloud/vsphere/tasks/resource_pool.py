# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: the resource pool of a cluster's virtual machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....engine.task import internal
from ..cloud import VSphereCloud
from ..inventory import parent_pool
from ..kinds import POOL
from ._vsphere import TaggedTask


@dataclass(eq=False, repr=False)
class ResourcePool(TaggedTask):
    """A resource pool: without limits and reservations, which an administrator may give it.

    compute, within: the compute cluster and the resource pool that it is made in, as the specification says them.
    """

    compute: str = internal("")
    within: str = internal("")

    of = POOL

    def parent(self, cloud: VSphereCloud) -> str:
        return str(parent_pool(cloud, self.compute, self.within)["id"])

    def find(self, cloud: VSphereCloud) -> ResourcePool | None:
        found = self.described(cloud)
        return ResourcePool(self.name, id=found["id"], tagged=self.has_tag(cloud, found)) if found else None

    def make(self, cloud: VSphereCloud, parent: str) -> str:
        from pyVmomi import vim

        def share() -> Any:
            # The number counts only where the level is "custom".
            shares = vim.SharesInfo(level="normal", shares=0)
            return vim.ResourceAllocationInfo(reservation=0, expandableReservation=True, limit=-1, shares=shares)

        pool = cloud.object(POOL, parent)
        spec = vim.ResourceConfigSpec(cpuAllocation=share(), memoryAllocation=share())
        return str(
            cloud.call(f"make resource pool {self.name}", lambda: pool.CreateResourcePool(self.name, spec))._moId
        )
