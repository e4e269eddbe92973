# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order hosts are changed that have to be drained first, and how many of them at a time.

Source: pkg/instancegroups/settings.go of kops: roles one after the other, groups by their names. There are no spare
hosts, so that maxSurge means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...api.cluster import Cluster
from ...api.common import RollingUpdate
from ...api.instance_group import InstanceGroup
from .hosts import Host

_ROLES = ("ControlPlane", "APIServer", "Node", "Bastion")


@dataclass(frozen=True)
class Batch:
    """Hosts of a group that are changed together. drain: whether their pods have to leave first."""

    hosts: tuple[Host, ...]
    drain: bool


def batches(cluster: Cluster, assigned: Sequence[tuple[InstanceGroup, Sequence[Host]]]) -> list[Batch]:
    """All hosts in the order in which they may be changed. Of a control plane it is always one at a time."""
    ordered = sorted(assigned, key=lambda pair: (_ROLES.index(str(pair[0].spec.role)), str(pair[0].metadata.name)))
    found = []
    for group, hosts in ordered:
        settings = _settings(cluster, group)
        size = 1 if group.spec.role == "ControlPlane" else _unavailable(settings, len(hosts))
        drain = settings.drain_and_terminate is not False and group.spec.role != "Bastion"
        found += [Batch(tuple(hosts[start : start + size]), drain) for start in range(0, len(hosts), size)]
    return found


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
