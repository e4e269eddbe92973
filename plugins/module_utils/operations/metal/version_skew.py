# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that must wait for newer API servers, by the rules of ../version_skew.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ..versions.skew import VersionSkew, skew_of, skew_problems
from .hosts import Assigned, Host


@dataclass(frozen=True)
class HostSkew(VersionSkew):
    """An upgrade of hosts that is pending. forbidden: why the cluster must not get the version at all."""

    forbidden: tuple[str, ...] = ()

    def is_ahead(self, group: InstanceGroup, host: Host) -> bool:
        """Whether a node would get programs that are newer than the oldest API server, if it were changed now."""
        return host.is_done and self.holds(group)

    def joins_as_running(self, group: InstanceGroup, host: Host) -> bool:
        """Whether a host that becomes a node now gets the version of the oldest API server."""
        return not host.is_done and self.holds(group)

    def problems(self, ahead: Sequence[str], changed: Sequence[str]) -> list[str]:
        """Problems of changing hosts, in this order. ahead: hosts whose kubelets would be newer than an API server."""
        left = [name for name in self.outdated if name not in changed]
        workers = [name for name in changed if name in ahead]
        if not left or not workers:
            return []
        return [
            f"{', '.join(workers)}: would get Kubernetes {self.wanted} before the API servers of {', '.join(left)},"
            f" which run {self.running} and are not changed by this rolling update; change them first"
        ]


def version_skew(cluster: Cluster, assigned: Assigned, *, ignored: bool = False) -> HostSkew:
    """Compare the specification with the API servers that run. ignored: no host waits, and nothing is forbidden."""
    wanted = cluster.spec.kubernetes_version or ""
    if ignored:
        return HostSkew(wanted)
    running = {
        host.name: str(host.said.get("apiServerVersion", ""))
        for _group, hosts in assigned.values()
        for host in hosts
        if host.cluster == cluster.metadata.name
    }
    found = skew_of(wanted, running)
    forbidden = tuple(map(str, skew_problems(wanted, running, {})))
    return HostSkew(wanted, found.running, found.outdated, forbidden)
