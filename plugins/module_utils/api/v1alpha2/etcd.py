# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: etcd as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import etcd as hub_etcd
from ..etcd import EtcdBackupSpec, EtcdManagerSpec
from ..fields import api_type, field
from ..scalars import Duration, Int32, Quantity


@api_type
class EtcdMemberSpec(hub_etcd.EtcdMemberSpec):
    """``Cluster.spec.etcdClusters[].etcdMembers[]``."""

    volume_iops: Int32 | None = None
    kms_key_id: str | None = None


@api_type
class EtcdClusterSpec:
    """``Cluster.spec.etcdClusters[]``."""

    name: str | None = field(plain=True)
    provider: str | None = field(plain=True)
    etcd_members: list[EtcdMemberSpec] = field(default_factory=list)
    enable_etcd_tls: bool | None = field(key="enableEtcdTLS", plain=True)
    enable_tls_auth: bool | None = field(key="enableTLSAuth", plain=True)
    version: str | None = field(plain=True)
    leader_election_timeout: Duration | None = None
    heartbeat_interval: Duration | None = None
    image: str | None = field(plain=True)
    backups: EtcdBackupSpec | None = None
    manager: EtcdManagerSpec | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
