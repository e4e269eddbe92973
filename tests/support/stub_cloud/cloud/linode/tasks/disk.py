# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disk of a member of etcd."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task
from ..cloud import StubCloud, everything


@dataclass(eq=False)
class Disk(Task[StubCloud]):
    """A disk. etcd, member: which member's. zone: where it can be attached."""

    etcd: str | None = None
    member: str | None = None
    zone: str | None = None

    def find(self, cloud: StubCloud) -> Disk | None:
        found = cloud.once(everything)["disks"].get(self.name)
        return Disk(self.name, **{each: found[each] for each in ("etcd", "member", "zone")}) if found else None

    def create(self, cloud: StubCloud) -> None:
        cloud.ask("PUT", f"disks/{self.name}", {"etcd": self.etcd, "member": self.member, "zone": self.zone})
