# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of an inventory that are hosts of a cluster, and not instances of a cloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# The group of the instances that the inventory plugin finds: playbooks reach them through their cloud.
INSTANCES = "cloud_instances"


def hosts_of(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """The hosts that are converged over their connections, in the order of the inventory.

    groups: of the inventory, with their hosts.
    """
    others = no_hosts(groups)
    return [name for name in groups.get("all", ()) if name not in others]


def no_hosts(groups: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The names in an inventory that are no hosts of a cluster: the controller, and instances of clouds."""
    return frozenset(("localhost", *groups.get(INSTANCES, ())))
