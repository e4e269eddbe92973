# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of kube-controller-manager."""

from __future__ import annotations

from ...api.addresses import parse_cidr
from ...api.clouds import GCE, cloud_of
from ...api.cluster import Cluster
from ...api.kube_controller_manager import KubeControllerManagerConfig, LeaderElectionConfiguration
from ...api.questions import is_ipv6_only
from ...api.scalars import Duration
from ..context import Context, kubernetes_image
from ..filling import fill
from ..gce.questions import uses_ip_aliases
from ..problems import invalid

# Kubernetes splits a cluster's range into at most 2**16 ranges of nodes.
_MAX_NODE_BITS = 16


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubeControllerManager. Raises ValidationError for a sync period of less than a second."""
    spec = cluster.spec
    manager = spec.kube_controller_manager = spec.kube_controller_manager or KubeControllerManagerConfig()
    period = manager.attach_detach_reconcile_sync_period
    if period is None or period.seconds == 0:
        manager.attach_detach_reconcile_sync_period = Duration("1m0s")
    elif period.seconds < 1:
        raise invalid(
            "spec.kubeControllerManager.attachDetachReconcileSyncPeriod", "must be at least one second", str(period)
        )
    manager.cluster_name = context.cluster_name
    manager.cloud_provider = "external"
    manager.image = kubernetes_image("kube-controller-manager", spec)
    manager.leader_election = LeaderElectionConfiguration(leader_elect=True)
    fill(manager, log_level=2, use_service_account_credentials=True)
    _complete_pod_ranges(cluster, manager)


def _complete_pod_ranges(cluster: Cluster, manager: KubeControllerManagerConfig) -> None:
    spec = cluster.spec
    kops_gives_ranges = is_ipv6_only(cluster)
    cloud_gives_ranges = spec.networking.gcp is not None or (cloud_of(cluster) is GCE and uses_ip_aliases(cluster))
    manager.allocate_node_cidrs = not kops_gives_ranges and not cloud_gives_ranges
    if not manager.cluster_cidr and not kops_gives_ranges:
        manager.cluster_cidr = spec.networking.pod_cidr
    network = parse_cidr(manager.cluster_cidr or "")
    if network and network.version == 6:
        node_bits = min(_MAX_NODE_BITS, (network.max_prefixlen - network.prefixlen) // 2)
        manager.node_cidr_mask_size = network.prefixlen + node_bits
    manager.configure_cloud_routes = spec.networking.kubenet is not None
    if kops_gives_ranges:
        fill(manager, controllers=["*", "-nodeipam"])
