# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of operations that work on hosts only, or on instances only. Which of the two nodes are: api/cloud.py."""

from __future__ import annotations

from ..api.clouds import cloud_of
from ..api.cluster import Cluster
from ..base.errors import KopsError


class InstancesOnly(KopsError):
    """An operation on instances was asked of a cluster whose nodes are hosts."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(f"{_where(cluster)}; give the inventory of its hosts (-i hosts.yml)")


class HostsOnly(KopsError):
    """An operation on hosts was asked of a cluster whose nodes are instances."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(f"{_where(cluster)}: its nodes are instances there; run this without an inventory of hosts")


def need_instances(cluster: Cluster) -> None:
    """Raises InstancesOnly for a cluster without instances."""
    if not cloud_of(cluster).has_instances:
        raise InstancesOnly(cluster)


def need_nodes(cluster: Cluster) -> None:
    """Raises KopsError for a cluster whose instances do not become nodes yet, InstancesOnly as above."""
    need_instances(cluster)
    if not cloud_of(cluster).starts_nodes:
        raise KopsError(f"{_where(cluster)}: instances there do not become nodes yet, so there is nothing to look at")


def need_hosts(cluster: Cluster) -> None:
    """Raises HostsOnly for a cluster without hosts."""
    if not cloud_of(cluster).has_hosts:
        raise HostsOnly(cluster)


def _where(cluster: Cluster) -> str:
    return f"cluster {cluster.metadata.name} is on {cloud_of(cluster).title}"
