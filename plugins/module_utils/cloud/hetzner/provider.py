# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner Cloud for the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...api.clouds import region_of
from ..place import Place
from ..pools.providing import PoolProvider
from .account import Account
from .cloud import HetznerCloud
from .errors import explain
from .looking import HetznerLooking

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from ...base.errors import KopsError
    from .pool import ServerPool


class HetznerProvider(PoolProvider[HetznerCloud]):
    """Hetzner Cloud, as the token of the environment has it (HCLOUD_TOKEN): it names the project."""

    @property
    def looking(self) -> HetznerLooking:
        return HetznerLooking()

    def pool(self) -> ServerPool:
        from .pool import ServerPool

        return ServerPool()

    def place(self, cluster: Cluster) -> Place:
        return Place(region_of(cluster), store=str(cluster.spec.config_store.base or ""))

    def open(self, place: Place, cluster_name: str) -> HetznerCloud:
        return HetznerCloud(place.region, cluster_name, place.store)

    def facts(self, cloud: HetznerCloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Nothing is read ahead: server types are one call, however many there are."""
        from .facts import HetznerFacts

        return HetznerFacts(cloud)

    def account(self, cloud: HetznerCloud) -> Account:
        return Account.of(cloud)

    def explained(self, error: BaseException) -> KopsError:
        return explain(error)
