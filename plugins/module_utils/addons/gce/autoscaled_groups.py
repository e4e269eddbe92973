# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the cluster autoscaler knows instance groups in Google Cloud: as one managed group for each zone."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.zones import split, zonal_group_name, zones_of
from ..any_cloud.cluster_autoscaler.scaled import Scaled
from .project import project_of


def zonal_groups(cluster: Cluster, group: InstanceGroup) -> dict[str, Scaled]:
    """The managed groups of an instance group, by a name that they are sorted by.

    The sizes are spread over the zones as instances are. A zone that cannot have instances is left out.
    """
    name, zones = str(group.metadata.name), zones_of(cluster, group)
    found = {}
    fewest, most = (split(size or 0, max(len(zones), 1)) for size in (group.spec.min_size, group.spec.max_size))
    for zone, least, largest in zip(zones, fewest, most):
        if len(zones) > 1 and not largest:
            continue
        manager = zonal_group_name(name, zone, str(cluster.metadata.name))
        url = f"https://www.googleapis.com/compute/v1/projects/{project_of(cluster)}/zones/{zone}/instanceGroups/{manager}"
        found[name if len(zones) == 1 else f"{name}-{zone}"] = Scaled(least, largest, url)
    return found
