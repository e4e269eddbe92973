# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stub for the operations."""

from __future__ import annotations

from collections.abc import Sequence

from ...api.clouds import region_of
from ...api.cluster import Cluster
from ...api.facts import CloudFacts, NoFacts
from ...api.instance_group import InstanceGroup
from ..place import Place
from ..provider import Provider
from ..replacing import NothingReplaced
from .cloud import StubCloud
from .looking import StubLooking


class StubProvider(Provider[StubCloud]):
    """One account, without credentials."""

    @property
    def looking(self) -> StubLooking:
        return StubLooking()

    @property
    def replacing(self) -> NothingReplaced:
        return NothingReplaced()

    def place(self, cluster: Cluster) -> Place:
        return Place(region_of(cluster))

    def open(self, place: Place, cluster_name: str) -> StubCloud:
        return StubCloud(cluster_name)

    def facts(self, cloud: StubCloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        return NoFacts()

    def account(self, cloud: StubCloud) -> None:
        return None

    def explain(self, error: Exception) -> str:
        return str(error)

    def is_denied(self, error: Exception) -> bool:
        return False
