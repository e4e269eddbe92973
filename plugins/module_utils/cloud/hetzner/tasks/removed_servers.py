# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: nothing is left of removed instance groups, and of smaller ones (pools/removed.py)."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import TryAgainLater
from ...pools.placed import Placed
from ...pools.removed import RemovedPlaces
from ..cloud import HetznerCloud
from ..kinds import SERVER
from ..pool import ServerPool
from ..states import lives


@dataclass(eq=False, repr=False)
class RemovedServers(RemovedPlaces[HetznerCloud]):
    """Servers at Hetzner."""

    @property
    def pool(self) -> ServerPool:
        return ServerPool()

    def end(self, cloud: HetznerCloud, server: Placed) -> None:
        identifier = int(server.described["id"])
        cloud.delete(SERVER, identifier)
        left = cloud.get(SERVER, identifier)
        if left is not None and lives(left):
            raise TryAgainLater(f"server {server.name} is being deleted")
