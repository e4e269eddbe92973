# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What OpenStack shows of a cluster. What it takes to read it is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..pools.looking import Ingress, Machines, PoolLooking
from .cloud import OpenStackCloud

if TYPE_CHECKING:
    from ...engine.resource import Resource
    from ...engine.task import Task
    from ..looking import Unknown


class OpenStackLooking(PoolLooking[OpenStackCloud]):
    """The cluster's own objects are known by their tags, metadata and names (resources/owned.py)."""

    def servers(self) -> Machines[OpenStackCloud]:
        from . import machines

        return machines

    def ingress(self) -> Ingress[OpenStackCloud]:
        from . import ingress

        return ingress

    def find_objects(self, cloud: OpenStackCloud) -> dict[str, Resource]:
        from .resources.discovery import discover

        return discover(cloud)

    def discover_rest(self, cloud: OpenStackCloud, deleted: Mapping[str, Resource]) -> dict[str, Resource]:
        from .resources.discovery import discover, forget_all_but_lasting

        forget_all_but_lasting(cloud, deleted)
        return discover(cloud)

    def in_the_way(self, cloud: OpenStackCloud, found: Mapping[str, Resource]) -> list[str]:
        from .resources.in_the_way import in_the_way

        return in_the_way(cloud, found)

    def unknown(self, cloud: OpenStackCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
        from .unknown import unknown

        return unknown(cloud, tasks)

    def described(self, cloud: OpenStackCloud) -> Mapping[str, Callable[[], Any]]:
        from .described import described

        return described(cloud)
