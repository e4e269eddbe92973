# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of what keeps etcd running and backed up."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.etcd import EtcdBackupSpec
from ...api.kubelet import KubeletConfigSpec
from ...api.versions import Version
from ..context import Context
from ..filling import fill
from ..problems import invalid
from .etcd import LATEST_VERSIONS, is_bundled

# etcd's binaries come as image volumes: there from 1.32, on by default from 1.36.
_IMAGE_VOLUMES = (Version(1, 32), Version(1, 36))


def complete(cluster: Cluster, context: Context) -> None:
    """The feature gate of image volumes, and spec.etcdClusters[].backups.

    Raises ValidationError for an etcd version that is not bundled and has no image of its own.
    """
    spec = cluster.spec
    available, default = _IMAGE_VOLUMES
    if available <= context.control_plane_version < default:
        spec.control_plane_kubelet = spec.control_plane_kubelet or KubeletConfigSpec()
        spec.control_plane_kubelet.feature_gates.setdefault("ImageVolume", "true")
    for index, etcd in enumerate(spec.etcd_clusters):
        etcd.backups = etcd.backups or EtcdBackupSpec()
        base = (spec.config_store.base or "").rstrip("/")
        fill(etcd.backups, backup_store=f"{base}/backups/etcd/{etcd.name}")
        if not etcd.image and not is_bundled(etcd.version or ""):
            raise invalid(
                f"spec.etcdClusters[{index}].version",
                f"is not supported; leave it out, take one up to {', '.join(LATEST_VERSIONS)} or set image as well",
                etcd.version,
            )
