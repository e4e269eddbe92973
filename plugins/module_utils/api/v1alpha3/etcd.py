# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: etcd as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from dataclasses import dataclass

from ..etcd import EtcdBackupSpec, EtcdManagerSpec, EtcdMemberSpec
from ..fields import field
from ..scalars import Quantity


@dataclass
class EtcdClusterSpec:
    """``Cluster.spec.etcdClusters[]``."""

    name: str | None = field(plain=True)
    etcd_members: list[EtcdMemberSpec] = field(default_factory=list)
    version: str | None = field(plain=True)
    image: str | None = field(plain=True)
    backups: EtcdBackupSpec | None = None
    manager: EtcdManagerSpec | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
