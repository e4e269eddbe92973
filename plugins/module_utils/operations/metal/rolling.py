# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Order in which hosts are drained and changed, and how many of them at a time.

There are no spare hosts, so maxSurge means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ..rolling.settings import in_order, limits
from .hosts import Host


def batches(cluster: Cluster, assigned: Sequence[tuple[InstanceGroup, Sequence[Host]]]) -> list[list[Host]]:
    """Hosts that may be changed together, in the order of the changes. Of a control plane it is always one at a time.

    Hosts of groups for which rolling updates are disabled (is_disabled) are left out.
    """
    found: list[list[Host]] = []
    for group, hosts in in_order(assigned):
        size = limits(cluster, group, len(hosts), surge=0).at_once
        if not is_disabled(cluster, group):
            found += [list(hosts[start : start + size]) for start in range(0, len(hosts), size)]
    return found


def is_disabled(cluster: Cluster, group: InstanceGroup) -> bool:
    """Whether rolling updates leave the group alone, because drainAndTerminate is false."""
    return not limits(cluster, group, 0, surge=0).enabled
