# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes on which etcd members keep their data (pkg/model/master_volumes.go of kops).

A volume is a member: whichever instance mounts volume a of a cluster is its member a.
"""

from __future__ import annotations

from ...api.etcd import EtcdClusterSpec, EtcdMemberSpec
from ...cloud.aws.tasks.ebs_volume import EBSVolume
from .. import disks
from ..context import ModelContext
from . import names, tags, volumes


def build(context: ModelContext) -> None:
    """One volume for each member of each etcd cluster."""
    for etcd in context.cluster.spec.etcd_clusters:
        for member in etcd.etcd_members:
            context.add(_volume(context, etcd, member))


def _volume(context: ModelContext, etcd: EtcdClusterSpec, member: EtcdMemberSpec) -> EBSVolume:
    name = names.etcd_volume(str(member.name), str(etcd.name), context.name)
    size = member.volume_size or disks.ETCD_SIZE_GB
    kind = member.volume_type or volumes.DEFAULT_TYPE
    iops, throughput = volumes.performance(kind, member.volume_iops, member.volume_throughput)
    volumes.check(name, kind, size, iops, throughput)
    return EBSVolume(
        name,
        context.layers.cluster,
        availability_zone=disks.zone_of_member(context, etcd, member),
        encrypted=bool(member.encrypted_volume),
        kms_key_id=member.kms_key_id,
        size_gb=size,
        volume_type=kind,
        volume_iops=iops,
        volume_throughput=throughput,
        tags={**tags.of_object(context.cluster, name), **disks.tags_of_member(etcd, member)},
    )
