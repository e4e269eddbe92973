# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What vCenter shows of a cluster. What it takes to read it is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..pools.looking import Ingress, Machines, PoolLooking
from .cloud import VSphereCloud

if TYPE_CHECKING:
    from ...engine.resource import Resource
    from ...engine.task import Task
    from ..looking import Unknown


class VSphereLooking(PoolLooking[VSphereCloud]):
    """The cluster's own objects are known by its tag, and by marks of virtual machines (ownership.py)."""

    def servers(self) -> Machines[VSphereCloud]:
        from . import machines

        return machines

    def ingress(self) -> Ingress[VSphereCloud]:
        from . import ingress

        return ingress

    def find_objects(self, cloud: VSphereCloud) -> dict[str, Resource]:
        from .resources.discovery import discover

        return discover(cloud)

    def in_the_way(self, cloud: VSphereCloud, found: Mapping[str, Resource]) -> list[str]:
        from .resources.in_the_way import in_the_way

        return in_the_way(cloud, found)

    def unknown(self, cloud: VSphereCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
        from .unknown import unknown

        return unknown(cloud, tasks)

    def described(self, cloud: VSphereCloud) -> Mapping[str, Callable[[], Any]]:
        from .described import described

        return described(cloud)
