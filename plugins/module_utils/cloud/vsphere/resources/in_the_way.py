# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others have put into the folder, the resource pool and the directories of a cluster.

vCenter would delete it with them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....engine.resource import Resource
from ..cloud import VSphereCloud
from .owned import Owned


def in_the_way(cloud: VSphereCloud, found: Mapping[str, Resource]) -> list[str]:
    """A line for each object that keeps one of found from being deleted: its kind and name, and what it is in."""
    kinds = {each.kind: each for each in found.values()}
    return sorted(
        {
            f"{kind} {name}: it is in {kinds[place].label}"
            for place, kind, name in Owned(cloud).foreign()
            if place in kinds
        }
    )
