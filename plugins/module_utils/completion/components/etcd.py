# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of etcd's version."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.versions import Version
from ...base.errors import KopsError
from ..context import Context
from ..filling import fill

# The newest patch of each minor version that kops bundles.
LATEST_VERSIONS = ("3.5.31", "3.6.12", "3.7.0")


def complete(cluster: Cluster, context: Context) -> None:
    """spec.etcdClusters[].version: the one that Kubernetes recommends for its own version."""
    latest_35, latest_36, latest_37 = LATEST_VERSIONS
    kubernetes = context.control_plane_version
    if kubernetes < Version(1, 34):
        version = latest_35
    elif kubernetes < Version(1, 37):
        version = latest_36
    else:
        version = latest_37
    for etcd in cluster.spec.etcd_clusters:
        fill(etcd, version=version)


def is_bundled(version: str) -> bool:
    """True if kops has the binaries of this etcd version, or of a newer patch that stands in for it."""
    try:
        wanted = Version.parse(version)
    except KopsError:
        return False
    return str(wanted) == version.removeprefix("v") and any(
        (wanted.major, wanted.minor) == (latest.major, latest.minor) and wanted <= latest
        for latest in map(Version.parse, LATEST_VERSIONS)
        if not wanted.pre
    )
