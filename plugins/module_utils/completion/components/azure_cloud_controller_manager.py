# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cloud controller manager of Azure."""

from __future__ import annotations

from ...api.clouds import AZURE, cloud_of
from ...api.cluster import Cluster
from ...api.kube_controller_manager import CloudControllerManagerConfig, LeaderElectionConfiguration
from ..context import Context
from ..filling import fill

_REPOSITORY, _VERSION = "mcr.microsoft.com/oss/v2/kubernetes", "v1.36.2"


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudControllerManager on Azure."""
    spec = cluster.spec
    if cloud_of(cluster) is not AZURE:
        return
    manager = spec.cloud_controller_manager = spec.cloud_controller_manager or CloudControllerManagerConfig()
    manager.leader_election = LeaderElectionConfiguration(leader_elect=True)
    # The virtual network drops packets to addresses that it does not know, so plain pod addresses need routes.
    manager.configure_cloud_routes = spec.networking.kubenet is not None or spec.networking.kindnet is not None
    fill(
        manager,
        image=f"{_REPOSITORY}/azure-cloud-controller-manager:{_VERSION}",
        azure_node_manager_image=f"{_REPOSITORY}/azure-cloud-node-manager:{_VERSION}",
        log_level=2,
    )
