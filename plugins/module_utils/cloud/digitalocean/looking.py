# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean shows of a cluster. What it takes to read it is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..pools.looking import Ingress, Machines, PoolLooking
from .cloud import DigitalOceanCloud

if TYPE_CHECKING:
    from ...engine.resource import Resource
    from ...engine.task import Task
    from ..looking import Unknown


class DigitalOceanLooking(PoolLooking[DigitalOceanCloud]):
    """The cluster's own objects are known by their tags, descriptions and names (resources/owned.py)."""

    def servers(self) -> Machines[DigitalOceanCloud]:
        from . import machines

        return machines

    def ingress(self) -> Ingress[DigitalOceanCloud]:
        from . import ingress

        return ingress

    def find_objects(self, cloud: DigitalOceanCloud) -> dict[str, Resource]:
        from .resources.discovery import discover

        return discover(cloud)

    def in_the_way(self, cloud: DigitalOceanCloud, found: Mapping[str, Resource]) -> list[str]:
        from .resources.in_the_way import in_the_way

        return in_the_way(cloud, found)

    def unknown(self, cloud: DigitalOceanCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
        from .unknown import unknown

        return unknown(cloud, tasks)

    def described(self, cloud: DigitalOceanCloud) -> Mapping[str, Callable[[], Any]]:
        from .described import described

        return described(cloud)
