# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cloud OpenStack."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import CloudConfiguration
from ...api.kube_controller_manager import CloudControllerManagerConfig, LeaderElectionConfiguration
from ...api.openstack import OpenstackBlockStorageConfig, OpenstackMetadata
from ...api.scalars import Duration
from ..context import Context
from ..filling import fill

# Flavours and addresses of nodes do not change, so their state need not be asked for often.
_NODE_STATUS_UPDATE = Duration("1h0m0s")


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudProvider.openstack and its cloud controller manager."""
    spec = cluster.spec
    openstack = spec.cloud_provider.openstack
    if openstack is None:
        return
    spec.cloud_config = spec.cloud_config or CloudConfiguration()
    openstack.block_storage = openstack.block_storage or OpenstackBlockStorageConfig()
    fill(openstack.block_storage, create_storage_class=True)
    openstack.metadata = openstack.metadata or OpenstackMetadata()
    fill(openstack.metadata, config_drive=False)
    manager = spec.cloud_controller_manager = spec.cloud_controller_manager or CloudControllerManagerConfig()
    manager.leader_election = LeaderElectionConfiguration(leader_elect=True)
    manager.node_status_update_frequency = _NODE_STATUS_UPDATE
