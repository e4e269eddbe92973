# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that find nodes that have failed."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that say which nodes have failed, and how many may fail at the same time."""

    DOCUMENTATION = r"""
options:
  after:
    description: Seconds that a node may be not ready, by the time at which its condition C(Ready) has changed.
    type: int
    default: 600
  max_unhealthy:
    description:
      - How many nodes of a group, and of all groups of a role, may fail at the same time, as a number or a share. A
        share is rounded down, but is at least one node. If more fail, none of them is repaired. V(0) repairs nothing.
    type: str
    default: 40%
"""
