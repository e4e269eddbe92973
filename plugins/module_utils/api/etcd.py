# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: etcd (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .common import EnvVar
from .fields import api_type, field
from .scalars import Duration, Int32, Quantity, UInt32


@api_type
class EtcdMemberSpec:
    """``Cluster.spec.etcdClusters[].etcdMembers[]``."""

    name: str | None = field(plain=True)
    instance_group: str | None = None
    volume_type: str | None = None
    volume_iops: Int32 | None = field(key="volumeIOPS")
    volume_throughput: Int32 | None = None
    volume_size: Int32 | None = None
    kms_key_id: str | None = field(key="kmsKeyID")
    encrypted_volume: bool | None = None


@api_type
class EtcdBackupSpec:
    """``Cluster.spec.etcdClusters[].backups``."""

    backup_store: str | None = field(plain=True)
    image: str | None = field(plain=True)


@api_type
class EtcdManagerSpec:
    """``Cluster.spec.etcdClusters[].manager``."""

    image: str | None = field(plain=True)
    env: list[EnvVar] = field(default_factory=list)
    backup_interval: Duration | None = None
    backup_retention_days: UInt32 | None = None
    discovery_poll_interval: Duration | None = None
    listen_metrics_urls: list[str] = field(default_factory=list, key="listenMetricsURLs")
    listen_client_http_urls: list[str] = field(default_factory=list, key="listenClientHTTPURLs")
    log_level: Int32 | None = None


@api_type
class EtcdClusterSpec:
    """``Cluster.spec.etcdClusters[]``."""

    name: str | None = field(plain=True)
    provider: str | None = field(plain=True)
    etcd_members: list[EtcdMemberSpec] = field(default_factory=list)
    version: str | None = field(plain=True)
    leader_election_timeout: Duration | None = None
    heartbeat_interval: Duration | None = None
    image: str | None = field(plain=True)
    backups: EtcdBackupSpec | None = None
    manager: EtcdManagerSpec | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
