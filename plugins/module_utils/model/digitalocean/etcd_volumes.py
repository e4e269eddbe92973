# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes on which etcd members keep their data (pkg/model/master_volumes.go of kops)."""

from __future__ import annotations

from ...cloud.digitalocean import names
from ...cloud.digitalocean.tasks.volume import Volume
from .. import disks
from ..context import ModelContext


def build(context: ModelContext) -> None:
    """One volume for each member of each etcd cluster; its tags say which (node/digitalocean/disks.py)."""
    for etcd in context.cluster.spec.etcd_clusters:
        for member in etcd.etcd_members:
            context.add(
                Volume(
                    names.etcd_volume(str(etcd.name), str(member.name), context.name),
                    context.layers.cluster,
                    size=member.volume_size or disks.ETCD_SIZE_GB,
                    region=context.region,
                    tags=names.etcd_tags(str(etcd.name), str(member.name), context.name),
                )
            )
