# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bare metal for the operations: only the state store is written, hosts are reached through an inventory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...api.clouds import region_of
from ..place import Place
from ..provider import Provider
from ..reads import Reads
from ..replacing import NothingReplaced
from .looking import MetalLooking

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup


class MetalProvider(Provider[Reads]):
    """Bare metal: there is no API to ask."""

    @property
    def looking(self) -> MetalLooking:
        return MetalLooking()

    @property
    def replacing(self) -> NothingReplaced:
        return NothingReplaced()

    def place(self, cluster: Cluster) -> Place:
        return Place(region_of(cluster))

    def open(self, place: Place, cluster_name: str) -> Reads:
        return Reads()

    def facts(self, cloud: Reads, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        from ...api.facts import NoFacts

        return NoFacts()

    def account(self, cloud: Reads) -> None:
        return None

    def explain(self, error: Exception) -> str:
        return str(error)

    def is_denied(self, error: Exception) -> bool:
        return False
