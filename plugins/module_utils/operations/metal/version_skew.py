# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubelets and kube-proxies are never newer than an API server, also while an upgrade is pending.

Sources: the version skew policy of Kubernetes; ControlPlaneRunningVersion in cmd/kops/update_cluster.go of kops, which
gives nodes without an API server the version of the oldest control plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.versions import Version
from ...base.errors import KopsError
from .hosts import Assigned, Host


@dataclass(frozen=True)
class VersionSkew:
    """An upgrade that is pending. running: the version of the oldest API server; "" if none is older than wanted.

    outdated: names of the hosts whose API servers are older.
    """

    wanted: str
    running: str = ""
    outdated: tuple[str, ...] = ()

    def is_ahead(self, group: InstanceGroup, host: Host) -> bool:
        """Whether a node would get programs that are newer than the oldest API server, if it were changed now."""
        return bool(self.running) and host.is_done and _is_worker(group)

    def joins_as_running(self, group: InstanceGroup, host: Host) -> bool:
        """Whether a host that becomes a node now gets the version of the oldest API server."""
        return bool(self.running) and not host.is_done and _is_worker(group)

    def problems(self, ahead: Sequence[str], changed: Sequence[str]) -> list[str]:
        """What is wrong with changing hosts, in this order. ahead: names of those that are."""
        left = [name for name in self.outdated if name not in changed]
        workers = [name for name in changed if name in ahead]
        if not left or not workers:
            return []
        return [
            f"{', '.join(workers)}: would get Kubernetes {self.wanted} before the API servers of {', '.join(left)},"
            f" which run {self.running} and are not changed by this rolling update; change them first"
        ]


def version_skew(cluster: Cluster, assigned: Assigned) -> VersionSkew:
    """Compare the specification with the API servers that run. Versions that are not known count as up to date."""
    wanted = cluster.spec.kubernetes_version or ""
    running: dict[str, Version] = {}
    for _group, hosts in assigned.values():
        for host in hosts:
            version = _parsed(str(host.said.get("apiServerVersion", "")))
            if version is not None and host.cluster == cluster.metadata.name and version < Version.parse(wanted):
                running[host.name] = version
    return VersionSkew(wanted, str(min(running.values())) if running else "", tuple(running))


def _is_worker(group: InstanceGroup) -> bool:
    return group.spec.role == "Node"


def _parsed(text: str) -> Version | None:
    try:
        return Version.parse(text)
    except KopsError:
        return None
