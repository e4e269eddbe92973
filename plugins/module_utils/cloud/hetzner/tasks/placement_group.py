# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a placement group, which keeps servers on different hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..cloud import HetznerCloud
from ..kinds import PLACEMENT_GROUP
from ._hetzner import HetznerTask

# The cloud's only type, and how many servers such a group takes.
SPREAD, MOST = "spread", 10


@dataclass(eq=False, repr=False)
class PlacementGroup(HetznerTask):
    """A placement group."""

    type: str | None = SPREAD

    of = PLACEMENT_GROUP
    resource = "hcloud_placement_group"
    immutable: ClassVar[frozenset[str]] = frozenset({"type"})

    def find(self, cloud: HetznerCloud) -> PlacementGroup | None:
        found = self.described(cloud)
        if found is None:
            return None
        return PlacementGroup(self.name, id=found["id"], labels=self.own_labels(found), type=found["type"])

    def request(self, cloud: HetznerCloud) -> dict[str, Any]:
        return {**super().request(cloud), "type": self.type}

    def terraform_arguments(self) -> dict[str, Any]:
        return {**super().terraform_arguments(), "type": self.type}
