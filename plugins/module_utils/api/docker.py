# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: docker (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .common import PackagesConfig
from .fields import api_type, field
from .scalars import Int32


@api_type
class DockerConfig:
    """DockerConfig."""

    authorization_plugins: list[str] = field(default_factory=list)
    bridge: str | None = None
    bridge_ip: str | None = field(key="bridgeIP")
    data_root: str | None = None
    default_ulimit: list[str] = field(default_factory=list)
    default_runtime: str | None = None
    dns: list[str] = field(default_factory=list)
    exec_opt: list[str] = field(default_factory=list)
    exec_root: str | None = None
    experimental: bool | None = None
    health_check: bool | None = field(plain=True)
    hosts: list[str] = field(default_factory=list)
    ip_masq: bool | None = None
    ip_tables: bool | None = None
    insecure_registry: str | None = None
    insecure_registries: list[str] = field(default_factory=list)
    live_restore: bool | None = None
    log_driver: str | None = None
    log_level: str | None = None
    log_opt: list[str] = field(default_factory=list)
    max_concurrent_downloads: Int32 | None = None
    max_concurrent_uploads: Int32 | None = None
    max_download_attempts: Int32 | None = None
    metrics_address: str | None = None
    mtu: Int32 | None = None
    packages: PackagesConfig | None = None
    registry_mirrors: list[str] = field(default_factory=list)
    runtimes: list[str] = field(default_factory=list)
    selinux_enabled: bool | None = None
    skip_install: bool | None = field(plain=True)
    storage: str | None = None
    storage_opts: list[str] = field(default_factory=list)
    user_namespace_remap: str | None = field(plain=True)
    version: str | None = None
