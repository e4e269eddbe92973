# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of settings that all clouds share."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import CloudConfiguration
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudConfig.manageStorageClasses; OpenStack's own setting for this goes before."""
    spec = cluster.spec
    config = spec.cloud_config = spec.cloud_config or CloudConfiguration()
    openstack = spec.cloud_provider.openstack
    storage = openstack.block_storage if openstack else None
    own = storage.create_storage_class if storage else None
    fill(config, manage_storage_classes=True if own is None else own)
