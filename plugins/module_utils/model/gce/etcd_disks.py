# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks on which etcd members keep their data (pkg/model/master_volumes.go of kops)."""

from __future__ import annotations

from ...cloud.gce.tasks.disk import Disk
from .. import disks
from ..context import ModelContext
from . import labels, names

DEFAULT_TYPE = "pd-ssd"


def build(context: ModelContext) -> None:
    """One disk for each member of each etcd cluster."""
    for etcd in context.cluster.spec.etcd_clusters:
        for member in etcd.etcd_members:
            context.add(
                Disk(
                    names.etcd_disk(str(member.name), str(etcd.name), context.name),
                    context.layers.cluster,
                    volume_type=member.volume_type or DEFAULT_TYPE,
                    size_gb=member.volume_size or disks.ETCD_SIZE_GB,
                    volume_iops=member.volume_iops or None,
                    volume_throughput=member.volume_throughput or None,
                    zone=disks.zone_of_member(context, etcd, member),
                    labels=labels.of_etcd_disk(context.cluster, str(etcd.name), str(member.name)),
                )
            )
