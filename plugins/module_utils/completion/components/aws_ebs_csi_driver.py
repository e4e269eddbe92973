# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the driver of AWS' block storage."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import EBSCSIDriverSpec
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudProvider.aws.ebsCSIDriver; it is always enabled."""
    aws = cluster.spec.cloud_provider.aws
    if aws is None:
        return
    aws.ebs_csi_driver = aws.ebs_csi_driver or EBSCSIDriverSpec()
    fill(aws.ebs_csi_driver, version="v1.58.0")
