# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The zones of an instance group, and how its instances are spread over them."""

from __future__ import annotations

from collections.abc import Sequence

from .cloud_names import safe_cluster_name, truncate
from .cluster import Cluster
from .instance_group import InstanceGroup

_LONGEST_NAME = 63


def zones_of(cluster: Cluster, group: InstanceGroup) -> list[str]:
    """The zones that an instance group names, directly or by its subnets; sorted."""
    subnets = [subnet for subnet in cluster.spec.networking.subnets if subnet.name in group.spec.subnets]
    return sorted({*group.spec.zones, *(str(subnet.zone) for subnet in subnets if subnet.zone)})


def split(count: int, parts: int) -> Sequence[int]:
    """A number of instances over zones as evenly as possible, the first ones getting what is left over."""
    each, left = divmod(count, parts)
    return [each + (index < left) for index in range(parts)]


def zonal_group_name(group: str, zone: str, cluster: str) -> str:
    """What the part of an instance group in one zone is called ("a-nodes-demo-example-com" in us-east1-a).

    Source: gce.NameForInstanceGroupManager of kops.
    """
    return truncate(safe_cluster_name(f"{zone.rpartition('-')[2]}.{group}-{cluster}"), _LONGEST_NAME)
