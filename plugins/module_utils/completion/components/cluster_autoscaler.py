# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cluster autoscaler."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.versions import Version
from ..context import Context
from ..filling import fill

# The autoscaler follows Kubernetes' minor versions; a minor version that is not listed gets the newest.
_VERSIONS = {32: "v1.32.7", 33: "v1.33.5", 34: "v1.34.4", 35: "v1.35.1"}
_NEWEST = "v1.36.0"


def complete(cluster: Cluster, context: Context) -> None:
    """spec.clusterAutoscaler, where it is enabled."""
    autoscaler = cluster.spec.cluster_autoscaler
    if autoscaler is None or not autoscaler.enabled:
        return
    minor = Version.parse(cluster.spec.kubernetes_version or "").minor
    fill(
        autoscaler,
        image=f"registry.k8s.io/autoscaling/cluster-autoscaler:{_VERSIONS.get(minor, _NEWEST)}",
        aws_use_static_instance_list=False,
        balance_similar_node_groups=False,
        emit_per_nodegroup_metrics=False,
        expander="random",
        ignore_daemon_sets_utilization=False,
        max_node_provision_time="15m0s",
        new_pod_scale_up_delay="0s",
        scale_down_delay_after_add="10m0s",
        scale_down_unneeded_time="10m0s",
        scale_down_unready_time="20m0s",
        scale_down_utilization_threshold="0.5",
        skip_nodes_with_custom_controller_pods=True,
        skip_nodes_with_local_storage=True,
        skip_nodes_with_system_pods=True,
    )
    if autoscaler.expander == "priority":
        autoscaler.create_priority_expander_config = True
