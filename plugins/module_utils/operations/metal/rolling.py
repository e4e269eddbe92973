# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order hosts are changed that must be drained first, and how many of them at a time.

Source: pkg/instancegroups/settings.go and rollingupdate.go of kops: roles one after the other, groups by their names.
There are no spare hosts, so maxSurge means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...api.cluster import Cluster
from ...api.common import RollingUpdate
from ...api.instance_group import InstanceGroup
from .hosts import Host

# Bastions first: without them, nothing else may be reachable.
_ROLES = ("Bastion", "ControlPlane", "APIServer", "Node")


def batches(cluster: Cluster, assigned: Sequence[tuple[InstanceGroup, Sequence[Host]]]) -> list[list[Host]]:
    """Hosts that may be changed together, in the order of the changes. Of a control plane it is always one at a time.

    Hosts of groups for which rolling updates are disabled (is_disabled) are left out.
    """
    ordered = sorted(assigned, key=lambda pair: (_ROLES.index(str(pair[0].spec.role)), str(pair[0].metadata.name)))
    found: list[list[Host]] = []
    for group, hosts in ordered:
        if is_disabled(cluster, group):
            continue
        size = 1 if group.spec.role == "ControlPlane" else _unavailable(_settings(cluster, group), len(hosts))
        found += [list(hosts[start : start + size]) for start in range(0, len(hosts), size)]
    return found


def is_disabled(cluster: Cluster, group: InstanceGroup) -> bool:
    """Whether rolling updates leave the group alone, because drainAndTerminate is false."""
    return _settings(cluster, group).drain_and_terminate is False


def _settings(cluster: Cluster, group: InstanceGroup) -> RollingUpdate:
    """The group's, and where it says nothing the cluster's."""
    own, general = group.spec.rolling_update or RollingUpdate(), cluster.spec.rolling_update or RollingUpdate()
    return RollingUpdate(
        drain_and_terminate=general.drain_and_terminate if own.drain_and_terminate is None else own.drain_and_terminate,
        max_unavailable=general.max_unavailable if own.max_unavailable is None else own.max_unavailable,
    )


def _unavailable(settings: RollingUpdate, count: int) -> int:
    """MaxUnavailable as a number of hosts: a share is rounded down; at least one, or nothing would ever change."""
    text = "1" if settings.max_unavailable is None else str(settings.max_unavailable)
    number = count * int(text[:-1]) // 100 if text.endswith("%") else int(text)
    return max(number, 1)
