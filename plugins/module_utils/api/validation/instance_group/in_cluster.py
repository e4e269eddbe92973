# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An InstanceGroup within its cluster."""

from __future__ import annotations

from ...clouds import AWS, cloud_of
from ...cluster import Cluster
from ...common import WarmPoolSpec
from ...instance_group import InstanceGroup
from ...questions import uses_none_dns
from ..cloud_provider import validate_warm_pool_sizes
from ..containerd import validate_containerd
from ..karpenter import validate_karpenter_group
from ..problems import Problems, forbidden, not_found, one_of

ROOT_VOLUME_TYPES = ("standard", "gp3", "gp2", "io1", "io2")


def validate_group_in_cluster(group: InstanceGroup, cluster: Cluster) -> Problems:
    """What a group may be depends on the cluster's cloud, subnets, etcd clusters and addons."""
    spec, cloud = group.spec, cloud_of(cluster)
    found: Problems = []
    if spec.role == "ControlPlane":
        found += _validate_etcd_members(group, cluster)
    if spec.role == "APIServer":
        if not cloud.has_api_server_groups:
            found.append(forbidden("spec.role", "APIServer is available on AWS and GCE only"))
        elif cloud is AWS and uses_none_dns(cluster):
            found.append(forbidden("spec.role", "APIServer is not available with DNS topology None"))
    subnets = [subnet.name for subnet in cluster.spec.networking.subnets if subnet.name]
    found += [
        not_found(
            f"spec.networking.subnets[{index}]",
            name,
            f"is not a subnet of the cluster; it has {', '.join(subnets) or 'none'}",
        )
        for index, name in enumerate(spec.subnets)
        if name not in subnets
    ]
    if cloud is AWS:
        if spec.root_volume:
            found += one_of("spec.rootVolume.type", spec.root_volume.type, ROOT_VOLUME_TYPES)
        found += _validate_warm_pool(group, cluster)
    elif spec.volumes:
        found.append(forbidden("spec.volumes", "additional volumes are available on AWS only"))
    found += validate_karpenter_group(group, cluster)
    if spec.containerd is not None:
        found += validate_containerd(cluster, spec.containerd, "spec.containerd", in_group=True)
    return found


def _validate_etcd_members(group: InstanceGroup, cluster: Cluster) -> Problems:
    found: Problems = []
    for etcd in cluster.spec.etcd_clusters:
        groups = [member.instance_group or "" for member in etcd.etcd_members]
        if group.metadata.name not in groups:
            found.append(
                forbidden(
                    "spec.metadata.name",
                    f"control-plane group {group.metadata.name} has no member in etcd cluster {etcd.name}, "
                    f"whose members are in {', '.join(groups) or 'no group'}",
                )
            )
    return found


def effective_warm_pool(group: InstanceGroup, cluster: Cluster) -> WarmPoolSpec:
    """The warm pool that a group gets: its own, filled up from the cluster's; max_size 0 means none."""
    own = group.spec.warm_pool
    aws = cluster.spec.cloud_provider.aws
    shared = aws.warm_pool if aws and group.spec.role not in ("ControlPlane", "Bastion") else None
    if own is None:
        return shared or WarmPoolSpec(max_size=0)
    if shared is None:
        return own
    return WarmPoolSpec(
        min_size=own.min_size or shared.min_size,
        max_size=shared.max_size if own.max_size is None else own.max_size,
        enable_lifecycle_hook=own.enable_lifecycle_hook or shared.enable_lifecycle_hook,
        lifecycle_hook_timeout=own.lifecycle_hook_timeout,
        additional_images=own.additional_images,
    )


def _validate_warm_pool(group: InstanceGroup, cluster: Cluster) -> Problems:
    pool, path = effective_warm_pool(group, cluster), "spec.warmPool"
    found: Problems = []
    if pool.max_size != 0:
        if group.spec.role not in ("Node", "APIServer"):
            found.append(forbidden(path, "is available in groups with role Node or APIServer only"))
        if group.spec.max_price is not None:
            found.append(forbidden(path, "cannot be used with spot instances (maxPrice)"))
    return found + validate_warm_pool_sizes(pool, path)
