# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cloud controller manager of Hetzner."""

from __future__ import annotations

from ...api.clouds import HETZNER, cloud_of
from ...api.cluster import Cluster
from ...api.kube_controller_manager import CloudControllerManagerConfig, LeaderElectionConfiguration
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudControllerManager on Hetzner."""
    spec = cluster.spec
    if cloud_of(cluster) is not HETZNER:
        return
    manager = spec.cloud_controller_manager = spec.cloud_controller_manager or CloudControllerManagerConfig()
    manager.cloud_provider = "hcloud"
    manager.allow_untagged_cloud = True
    manager.leader_election = LeaderElectionConfiguration(leader_elect=False)
    manager.allocate_node_cidrs = True
    manager.configure_cloud_routes = False
    fill(
        manager,
        cluster_cidr=spec.networking.pod_cidr,
        image="hetznercloud/hcloud-cloud-controller-manager:v1.31.0",
    )
