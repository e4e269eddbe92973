# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Google Cloud for the operations."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...api.clouds import region_of
from ..errors import AccessDenied, Exists
from ..place import Place
from ..provider import Provider
from .cloud import GCECloud
from .errors import explain
from .looking import GCELooking

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from .replacing import GCEReplacing


class GCEProvider(Provider[GCECloud]):
    """Google Cloud: without a project, the one that the environment names."""

    @property
    def looking(self) -> GCELooking:
        return GCELooking()

    @functools.cached_property
    def replacing(self) -> GCEReplacing:
        from .replacing import GCEReplacing

        return GCEReplacing()

    def place(self, cluster: Cluster) -> Place:
        gce = cluster.spec.cloud_provider.gce
        return Place(region_of(cluster), (gce.project if gce else None) or "")

    def open(self, place: Place, cluster_name: str) -> GCECloud:
        return GCECloud(place.region, cluster_name, place.project)

    def facts(self, cloud: GCECloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Nothing is read ahead: Google Cloud is not asked for machine types and images."""
        from .facts import GCEFacts

        return GCEFacts(cloud)

    def account(self, cloud: GCECloud) -> None:
        return None

    def explain(self, error: Exception) -> str:
        return str(explain(error))

    def is_denied(self, error: Exception) -> bool:
        return isinstance(error, AccessDenied)

    def is_conflict(self, error: Exception) -> bool:
        return isinstance(error, Exists)
