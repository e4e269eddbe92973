# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the driver of GCE's persistent disks."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import PDCSIDriver
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudProvider.gce.pdCSIDriver."""
    gce = cluster.spec.cloud_provider.gce
    if gce is None:
        return
    gce.pd_csi_driver = gce.pd_csi_driver or PDCSIDriver()
    fill(gce.pd_csi_driver, enabled=True, default_storage_class_name="balanced-csi", version="v1.22.1")
