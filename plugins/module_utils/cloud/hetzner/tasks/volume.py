# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a volume, which a server attaches later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.targets.hcl import NEVER_DESTROYED
from ..cloud import HetznerCloud
from ..kinds import VOLUME
from ..states import name_in
from ._hetzner import HetznerTask


@dataclass(eq=False, repr=False)
class Volume(HetznerTask):
    """A volume. size: in GB. location: of the servers that attach it."""

    size: int | None = None
    location: str | None = None

    of = VOLUME
    resource = "hcloud_volume"
    immutable: ClassVar[frozenset[str]] = frozenset({"size", "location"})

    def find(self, cloud: HetznerCloud) -> Volume | None:
        found = self.described(cloud)
        if found is None:
            return None
        return Volume(
            self.name,
            id=found["id"],
            labels=self.own_labels(found),
            size=int(found["size"]),
            location=name_in(found, "location"),
        )

    def request(self, cloud: HetznerCloud) -> dict[str, Any]:
        return {**super().request(cloud), "size": self.size, "location": self.location}

    def terraform_arguments(self) -> dict[str, Any]:
        where = {"location": self.location, "size": self.size}
        return {**super().terraform_arguments(), **where, "lifecycle": NEVER_DESTROYED}
