# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cloud controller manager of Google's cloud."""

from __future__ import annotations

from ...api.cloud_names import safe_cluster_name
from ...api.clouds import GCE, cloud_of
from ...api.cluster import Cluster
from ...api.kube_controller_manager import CloudControllerManagerConfig, LeaderElectionConfiguration
from ...api.questions import is_ipv6_only
from ..context import Context
from ..filling import fill
from ..gce.questions import uses_ip_aliases


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudControllerManager on GCE."""
    spec = cluster.spec
    if cloud_of(cluster) is not GCE:
        return
    manager = spec.cloud_controller_manager = spec.cloud_controller_manager or CloudControllerManagerConfig()
    manager.leader_election = LeaderElectionConfiguration(leader_elect=True)
    manager.cluster_name = safe_cluster_name(context.cluster_name)
    manager.allocate_node_cidrs = True
    manager.cidr_allocator_type = "CloudAllocator"
    if uses_ip_aliases(cluster):
        # Alias addresses are the network's own and need no routes.
        manager.configure_cloud_routes = False
    controllers = ["*"]
    if is_ipv6_only(cluster):
        # kops-controller does their work.
        controllers += ["-node-ipam-controller", "-node-route-controller"]
    fill(
        manager,
        cluster_cidr=spec.networking.pod_cidr,
        controllers=controllers,
        image="registry.k8s.io/cloud-provider-gcp/cloud-controller-manager:v35.0.0",
    )
