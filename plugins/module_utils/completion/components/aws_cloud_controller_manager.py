# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cloud controller manager of AWS."""

from __future__ import annotations

from ...api.clouds import AWS, cloud_of
from ...api.cluster import Cluster
from ...api.kube_controller_manager import CloudControllerManagerConfig, LeaderElectionConfiguration
from ...api.questions import is_ipv6_only
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudControllerManager on AWS."""
    spec = cluster.spec
    if cloud_of(cluster) is not AWS:
        return
    manager = spec.cloud_controller_manager = spec.cloud_controller_manager or CloudControllerManagerConfig()
    manager.leader_election = LeaderElectionConfiguration(leader_elect=True)
    manager.cluster_name = context.cluster_name
    manager.allocate_node_cidrs = not is_ipv6_only(cluster)
    if not is_ipv6_only(cluster):
        fill(manager, cluster_cidr=spec.networking.pod_cidr)
    manager.configure_cloud_routes = spec.networking.kubenet is not None
    fill(manager, image="registry.k8s.io/provider-aws/cloud-controller-manager:v1.36.1")
