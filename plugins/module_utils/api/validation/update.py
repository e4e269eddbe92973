# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may not change once a cluster exists."""

from __future__ import annotations

from collections.abc import Collection

from ..cluster import Cluster
from ..etcd import EtcdClusterSpec
from .problems import Problems, forbidden


def validate_etcd_changes(new: Cluster, old: Cluster, running: Collection[str]) -> Problems:
    """Etcd clusters hold the cluster's state. running: names of those that exist in the cloud already."""
    path = "spec.etcdClusters"
    before = {etcd.name: etcd for etcd in old.spec.etcd_clusters}
    after = {etcd.name: etcd for etcd in new.spec.etcd_clusters}
    found: Problems = []
    for name, etcd in before.items():
        if name not in after:
            found.append(forbidden(f"{path}[{name}]", "an etcd cluster cannot be removed, its data would be lost"))
        elif name in running:
            found += _validate_running(after[name], etcd, f"{path}[{name}]")
    return found


def _validate_running(new: EtcdClusterSpec, old: EtcdClusterSpec, path: str) -> Problems:
    found: Problems = []
    if (new.image or "") != (old.image or ""):
        found.append(forbidden(f"{path}.image", "can be set only before the etcd cluster exists"))
    if new.image and (new.version or "") != (old.version or ""):
        found.append(forbidden(f"{path}.version", "cannot change while image is set"))
    groups = {member.name: member.instance_group or "" for member in old.etcd_members}
    found += [
        forbidden(
            f"{path}.etcdMembers[{member.name}].instanceGroup",
            f"a member stays where its volume is, in {groups[member.name]}",
        )
        for member in new.etcd_members
        if member.name in groups and (member.instance_group or "") != groups[member.name]
    ]
    return found
