# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: nothing is left of removed instance groups, and of smaller ones (pools/removed.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....engine.task import TryAgainLater
from ...pools.placed import Placed
from ...pools.removed import RemovedPlaces
from ..cloud import DigitalOceanCloud
from ..deleting import delete_droplet, is_gone
from ..pool import DropletPool


@dataclass(eq=False, repr=False)
class RemovedDroplets(RemovedPlaces[DigitalOceanCloud]):
    """Droplets."""

    noun: ClassVar[str] = "Droplet"

    @property
    def pool(self) -> DropletPool:
        return DropletPool()

    def end(self, cloud: DigitalOceanCloud, server: Placed) -> None:
        delete_droplet(cloud, server.described)
        if not is_gone(cloud, str(server.described["id"])):
            raise TryAgainLater(f"droplet {server.name} is being deleted")
