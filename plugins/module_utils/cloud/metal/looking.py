# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen of a cluster on bare metal: nothing, because hosts are no cloud's objects."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ..looking import Looking, Unknown
from ..reads import Reads

if TYPE_CHECKING:
    from ...engine.resource import Resource
    from ...engine.task import Task
    from ..endpoints import Endpoint
    from ..instances import InstancesOfGroup


class MetalLooking(Looking[Reads]):
    """Nothing is there."""

    def find_objects(self, cloud: Reads) -> dict[str, Resource]:
        return {}

    def unknown(self, cloud: Reads, tasks: Collection[Task[Any]]) -> list[Unknown]:
        return []

    def api_endpoints(self, cloud: Reads) -> list[Endpoint]:
        return []

    def groups(self, cloud: Reads, *, only_serving: bool = False, why: bool = False) -> dict[str, InstancesOfGroup]:
        return {}
