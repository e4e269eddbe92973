# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host says of its members of etcd: to whoever decides which member it shall be."""

from __future__ import annotations

import glob
import os
from typing import Any

from .manifest import ASIDE, DISKS, LocalMember, cluster_of, has_data, in_root, local_members


def observe_members(root: str = "/") -> list[dict[str, Any]]:
    """Every member that has a manifest or data on the host, whatever cluster it is of.

    etcd: its etcd cluster ("main"). cluster: the Kubernetes cluster. member: its name. data: whether it was born, and
    what it was born with counts no more. manifest: whether the host runs it. initial_cluster, initial_state: what the
    manifest was written with, "" without one. peer_urls: where the manifest says that it is for others.
    restoring: whether a restore was broken off, which has to be done again before anything else.
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
        # While a backup is restored, there is a moment without.
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
        "cluster": cluster_of(volume, etcd, member),
        "member": member,
        "data": has_data(root, f"{place}/data"),
        "manifest": False,
        "initial_cluster": "",
        "initial_state": "",
        "peer_urls": [],
        "restoring": False,
    }
