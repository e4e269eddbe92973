# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of spec.rollingUpdate for an instance group: whether it is updated, how many instances at a time, and surge.

Source: pkg/instancegroups/settings.go and rollingupdate.go of kops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ...api.cluster import Cluster
from ...api.common import RollingUpdate
from ...api.instance_group import InstanceGroup
from ...api.scalars import IntOrString

# Bastions first: without them, nothing else may be reachable.
ROLES = ("Bastion", "ControlPlane", "APIServer", "Node")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Limits:
    """surge: so many instances are started before the first one is drained. at_once: so many are drained together."""

    enabled: bool
    surge: int
    at_once: int


def limits(cluster: Cluster, group: InstanceGroup, count: int, *, surge: int) -> Limits:
    """The group's settings, and where it says nothing the cluster's.

    count: of its instances; shares are of them. surge: where neither says anything; 0 means that there can be none,
    whatever they say. At least one instance at a time is drained, or nothing would ever change. Control planes go one
    at a time and without a surge: a member of etcd needs the volume of the one that it replaces.
    """
    own, general = group.spec.rolling_update or RollingUpdate(), cluster.spec.rolling_update or RollingUpdate()
    enabled = (general.drain_and_terminate if own.drain_and_terminate is None else own.drain_and_terminate) is not False
    if group.spec.role == "ControlPlane":
        return Limits(enabled, 0, 1)
    more = 0
    if surge:
        more = _number(_first(own.max_surge, general.max_surge, surge), count, up=True)
    unavailable = _first(own.max_unavailable, general.max_unavailable, 0 if more else 1)
    away = _number(unavailable, count, up=False)
    if str(unavailable).endswith("%"):
        away = max(away, 1)
    return Limits(enabled, more, max(more + away, 1))


def in_order(groups: Iterable[tuple[InstanceGroup, Item]]) -> list[tuple[InstanceGroup, Item]]:
    """Instance groups in the order of their roles, then of their names, each with what belongs to it."""
    return sorted(groups, key=lambda pair: (ROLES.index(str(pair[0].spec.role)), str(pair[0].metadata.name)))


def _first(*values: IntOrString | None) -> IntOrString:
    return next(value for value in values if value is not None)


def _number(value: IntOrString, count: int, *, up: bool) -> int:
    text = str(value)
    if not text.endswith("%"):
        return int(text)
    share = count * int(text[:-1])
    return -(-share // 100) if up else share // 100
