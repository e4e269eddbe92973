# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The etcd clusters of a new cluster."""

from __future__ import annotations

import os

from ....api.etcd import EtcdClusterSpec, EtcdManagerSpec, EtcdMemberSpec
from ....api.scalars import Quantity
from ..draft import Draft


def add_etcd(draft: Draft) -> None:
    """Write the etcd clusters, each with a member on every control-plane node."""
    options = draft.options
    control_planes = [group for group in draft.groups if group.spec.role == "ControlPlane"]
    names = member_names([str(group.metadata.name) for group in control_planes])
    clusters = [*options.etcd_clusters, *(["cilium"] if options.networking == "cilium-etcd" else [])]
    draft.cluster.spec.etcd_clusters = [
        EtcdClusterSpec(
            name=name,
            cpu_request=Quantity("200m" if name == "main" else "100m"),
            memory_request=Quantity("100Mi"),
            manager=EtcdManagerSpec(backup_retention_days=90),
            etcd_members=[
                EtcdMemberSpec(
                    name=member,
                    instance_group=group.metadata.name,
                    encrypted_volume=options.encrypt_etcd_storage or None,
                    volume_type=options.etcd_storage_type or None,
                )
                for member, group in zip(names, control_planes)
            ],
        )
        for name in clusters
    ]


def member_names(groups: list[str]) -> list[str]:
    """Short names of etcd members: the group names without what they all begin with; never starting with a digit."""
    names = [name[len("control-plane-") :] if name.startswith("control-plane-") else name for name in groups]
    # At least one character of the first name is kept.
    shared = min(len(os.path.commonprefix(names)), len(names[0]) - 1)
    names = [name[shared:] for name in names]
    return [f"etcd-{name}" if name[:1].isdigit() else name for name in names]
