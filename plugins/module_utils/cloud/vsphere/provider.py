# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere for the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..place import Place
from ..pools.providing import PoolProvider
from .account import Account
from .cloud import VSphereCloud
from .errors import explain
from .looking import VSphereLooking

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from ...base.errors import KopsError
    from .pool import ServerPool


class VSphereProvider(PoolProvider[VSphereCloud]):
    """vCenter, as the login of the environment has it (VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD).

    In a place, the region is the datacenter, and the project the vCenter; "" is that of the login.
    """

    @property
    def looking(self) -> VSphereLooking:
        return VSphereLooking()

    def pool(self) -> ServerPool:
        from .pool import ServerPool

        return ServerPool()

    def place(self, cluster: Cluster) -> Place:
        spec = cluster.spec.cloud_provider.vsphere
        store = str(cluster.spec.config_store.base or "")
        return Place((spec.datacenter if spec else None) or "", (spec.server if spec else None) or "", store=store)

    def open(self, place: Place, cluster_name: str) -> VSphereCloud:
        return VSphereCloud(place.project, place.region, cluster_name, place.store)

    def facts(self, cloud: VSphereCloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Nothing is read ahead: the inventory is one call, however large it is."""
        from .facts import VSphereFacts

        return VSphereFacts(cloud)

    def account(self, cloud: VSphereCloud) -> Account:
        return Account(cloud)

    def explained(self, error: BaseException) -> KopsError:
        return explain(error)
