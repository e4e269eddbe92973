# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a disk that outlives instances: the data of one etcd member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ....engine.targets.hcl import NEVER_DESTROYED
from ._google import GoogleTask

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class Disk(GoogleTask):
    """A disk of a zone; its task name is its name. size_gb in GiB, volume_throughput in MiB/s."""

    volume_type: str | None = None
    size_gb: int | None = None
    volume_iops: int | None = None
    volume_throughput: int | None = None
    zone: str | None = None
    labels: dict[str, str] | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"size_gb", "volume_type", "zone"})

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "google_compute_disk",
            self.name,
            {
                "labels": self.labels,
                "lifecycle": NEVER_DESTROYED,
                "name": self.name,
                "provisioned_iops": self.volume_iops,
                "provisioned_throughput": self.volume_throughput,
                "size": self.size_gb,
                "type": self.volume_type,
                "zone": self.zone,
            },
        )
