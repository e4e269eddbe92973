# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean for the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...api.clouds import region_of
from ..place import Place
from ..pools.providing import PoolProvider
from .account import Account
from .cloud import DigitalOceanCloud
from .errors import explain
from .looking import DigitalOceanLooking

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from ...base.errors import KopsError
    from .pool import DropletPool


class DigitalOceanProvider(PoolProvider[DigitalOceanCloud]):
    """DigitalOcean, as the token of the environment (DIGITALOCEAN_ACCESS_TOKEN) sees it: the account of a team."""

    @property
    def looking(self) -> DigitalOceanLooking:
        return DigitalOceanLooking()

    def pool(self) -> DropletPool:
        from .pool import DropletPool

        return DropletPool()

    def place(self, cluster: Cluster) -> Place:
        return Place(region_of(cluster), store=str(cluster.spec.config_store.base or ""))

    def open(self, place: Place, cluster_name: str) -> DigitalOceanCloud:
        return DigitalOceanCloud(place.region, cluster_name, place.store)

    def facts(self, cloud: DigitalOceanCloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Nothing is read ahead: sizes are one call, however many there are."""
        from .facts import DigitalOceanFacts

        return DigitalOceanFacts(cloud)

    def account(self, cloud: DigitalOceanCloud) -> Account:
        return Account.of(cloud)

    def explained(self, error: BaseException) -> KopsError:
        return explain(error)
