# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Google Cloud for the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ...base.errors import KopsError
from ..provider import Provider
from .cloud import GCECloud
from .errors import AccessDenied, explain

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from ...engine.resource import Resource
    from ..instances import InstancesOfGroup, Machine


class GCEProvider(Provider[GCECloud]):
    """Google Cloud: without a project, the one that the environment names."""

    compares: ClassVar[bool] = False

    def project(self, cluster: Cluster) -> str:
        gce = cluster.spec.cloud_provider.gce
        return (gce.project if gce else None) or ""

    def open(self, region: str, cluster_name: str, project: str = "") -> GCECloud:
        return GCECloud(region, cluster_name, project)

    def facts(self, cloud: GCECloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Nothing is read ahead: Google Cloud is not asked for machine types and images."""
        from .facts import GCEFacts

        return GCEFacts(cloud)

    def account(self, cloud: GCECloud) -> tuple[str, str]:
        return "", ""

    def discover(self, cloud: GCECloud) -> dict[str, Resource]:
        raise KopsError(
            "objects in Google Cloud cannot be deleted yet: run terraform destroy in the directory of the cluster's"
            " configuration, then delete the cluster with unregister: true"
        )

    def api_hosts(self, cloud: GCECloud) -> list[str]:
        """None: Google's load balancers have addresses, and no host names."""
        return []

    def instances(self, cloud: GCECloud) -> dict[str, InstancesOfGroup]:
        raise KopsError("instances in Google Cloud do not become nodes yet, so that there is nothing to validate")

    def machines(self, cloud: GCECloud, *, why: bool = False) -> dict[str, list[Machine]]:
        raise KopsError("instances in Google Cloud do not become nodes yet, so that there is nothing to list")

    def last_line(self, cloud: GCECloud, instance: str) -> str:
        return ""

    def explain(self, error: Exception) -> str:
        return str(explain(error))

    def is_denied(self, error: Exception) -> bool:
        return isinstance(error, AccessDenied)
