# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports a host's etcd members to the controller, which decides which member the host should be."""

from __future__ import annotations

import glob
import os
from typing import Any

from .manifest import ASIDE, DISKS, LocalMember, cluster_of, has_data, in_root, local_members


def observe_members(root: str = "/") -> list[dict[str, Any]]:
    """Every member with a manifest or data on the host, of any cluster.

    etcd: its etcd cluster ("main"). cluster: the Kubernetes cluster. member: its name. data: whether it has data, so
    that its initial cluster does not matter any more. manifest: whether the host runs it. initial_cluster,
    initial_state: from its manifest, "" without one. peer_urls: from its manifest.
    restoring: whether a restore was interrupted; it must be completed first.
    """
    manifests = local_members(root)
    aside = {etcd: member for etcd, member in local_members(root, ASIDE).items() if etcd not in manifests}
    running = [_running(root, member, member in aside.values()) for member in (*manifests.values(), *aside.values())]
    known = {in_root(root, member.volume) for member in (*manifests.values(), *aside.values())}
    volumes = glob.glob(f"{glob.escape(in_root(root, DISKS))}/*--*--*")
    return running + [
        _left(root, volume) for volume in sorted(volumes) if volume not in known and os.path.isdir(volume)
    ]


def _running(root: str, member: LocalMember, restoring: bool) -> dict[str, Any]:
    return {
        "etcd": member.etcd,
        "cluster": member.cluster,
        "member": member.name,
        # During a restore, there is a moment without data.
        "data": restoring or has_data(root, member.data),
        "manifest": True,
        "initial_cluster": member.initial_cluster,
        "initial_state": member.initial_state,
        "peer_urls": member.peer_urls,
        "restoring": restoring,
    }


def _left(root: str, volume: str) -> dict[str, Any]:
    _cluster, etcd, member = os.path.basename(volume).rsplit("--", 2)
    place = f"/{os.path.relpath(volume, root)}"
    return {
        "etcd": etcd,
        "cluster": cluster_of(volume, etcd),
        "member": member,
        "data": has_data(root, f"{place}/data"),
        "manifest": False,
        "initial_cluster": "",
        "initial_state": "",
        "peer_urls": [],
        "restoring": False,
    }
