# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: components as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import field
from ..scalars import Duration, Quantity


@dataclass
class KubeProxyConfig:
    """``Cluster.spec.kubeProxy``."""

    image: str | None = field(plain=True)
    cpu_request: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_request: Quantity | None = None
    memory_limit: Quantity | None = None
    log_level: int | None = field(plain=True)
    cluster_cidr: str | None = field(key="clusterCIDR")
    master: str | None = field(plain=True)
    metrics_bind_address: str | None = None
    enabled: bool | None = None
    proxy_mode: str | None = field(plain=True)
    ipvs_exclude_cidrs: list[str] = field(default_factory=list, key="ipvsExcludeCIDRs")
    ipvs_min_sync_period: Duration | None = None
    ipvs_scheduler: str | None = None
    ipvs_sync_period: Duration | None = None
    feature_gates: dict[str, str] = field(default_factory=dict)
    conntrack_max_per_core: int | None = None
    conntrack_min: int | None = None
