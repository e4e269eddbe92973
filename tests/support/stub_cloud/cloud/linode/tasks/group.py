# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A number of instances, which the stub keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.task import Change, Deferred, Task, computed
from ..cloud import StubCloud, everything
from .disk import Disk


@dataclass(eq=False)
class Group(Task[StubCloud]):
    """Instances of one instance group. addresses: of those that it has. after: disks that they look for."""

    starts_instances: ClassVar[bool] = True

    size: int | None = None
    role: str | None = None
    zone: str | None = None
    user_data: Deferred | str | None = None
    after: list[Disk] | None = None
    addresses: list[str] | None = computed()

    def find(self, cloud: StubCloud) -> Group | None:
        found = cloud.once(everything)
        group = found["groups"].get(self.name)
        if group is None:
            return None
        addresses = sorted(each["address"] for each in found["instances"].values() if each["group"] == self.name)
        return Group(self.name, **group, after=self.after, addresses=addresses)

    def create(self, cloud: StubCloud) -> None:
        self._write(cloud)

    def update(self, cloud: StubCloud, actual: Any, changes: dict[str, Change]) -> None:
        self._write(cloud)

    def _write(self, cloud: StubCloud) -> None:
        wanted = {"size": self.size, "role": self.role, "zone": self.zone, "user_data": str(self.user_data)}
        made = cloud.ask("PUT", f"groups/{self.name}", wanted)
        self.addresses = sorted(each["address"] for each in made.values())
