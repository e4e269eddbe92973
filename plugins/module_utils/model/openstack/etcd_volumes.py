# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes on which etcd members keep their data (pkg/model/master_volumes.go of kops)."""

from __future__ import annotations

from ...cloud.openstack import names
from ...cloud.openstack.tasks.volume import Volume
from .. import disks
from ..context import ModelContext
from .spec import spec


def build(context: ModelContext) -> None:
    """One volume for each member of each etcd cluster."""
    storage = spec(context).block_storage
    override = storage.override_volume_az if storage else None
    for etcd in context.cluster.spec.etcd_clusters:
        for member in etcd.etcd_members:
            metadata = {
                **context.cluster.spec.cloud_labels,
                names.TAG_CLUSTER: context.name,
                **disks.tags_of_member(etcd, member),
            }
            context.add(
                Volume(
                    f"{member.name}.etcd-{etcd.name}.{context.name}",
                    context.layers.cluster,
                    size=member.volume_size or disks.ETCD_SIZE_GB,
                    volume_type=member.volume_type or None,
                    metadata=metadata,
                    zone=override or disks.zone_of_member(context, etcd, member),
                )
            )
