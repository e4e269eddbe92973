# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack for the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...api.clouds import region_of
from ..place import Place
from ..pools.providing import PoolProvider
from .account import Account
from .cloud import OpenStackCloud
from .errors import explain
from .looking import OpenStackLooking

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from ...base.errors import KopsError
    from .pool import ServerPool


class OpenStackProvider(PoolProvider[OpenStackCloud]):
    """OpenStack, as the login of the environment has it (OS_CLOUD, or OS_AUTH_URL and so on): it names the project."""

    @property
    def looking(self) -> OpenStackLooking:
        return OpenStackLooking()

    def pool(self) -> ServerPool:
        from .pool import ServerPool

        return ServerPool()

    def place(self, cluster: Cluster) -> Place:
        """Without a region in its subnets, that of the login."""
        return Place(region_of(cluster), store=str(cluster.spec.config_store.base or ""))

    def open(self, place: Place, cluster_name: str) -> OpenStackCloud:
        return OpenStackCloud(place.region, cluster_name, place.store)

    def facts(self, cloud: OpenStackCloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Nothing is read ahead: flavors are one call, however many there are."""
        from .facts import OpenStackFacts

        return OpenStackFacts(cloud)

    def account(self, cloud: OpenStackCloud) -> Account:
        return Account.of(cloud)

    def explained(self, error: BaseException) -> KopsError:
        return explain(error)
