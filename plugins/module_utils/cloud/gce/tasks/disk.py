# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a disk that outlives instances: the data of one etcd member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ....engine.targets.hcl import NEVER_DESTROYED
from ....engine.task import Change, ImmutableField
from ..cloud import GCECloud
from ..identifiers import last_component, url_of
from ..ownership import is_owned
from ..resources.listing import BY_NAME, DISK
from ._compute import ComputeTask, Described, described, labels_of, number, set_labels, text

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

# Fields that change in place, and what the API calls them.
_PERFORMANCE = {"volume_iops": "provisionedIops", "volume_throughput": "provisionedThroughput"}


@dataclass(eq=False, repr=False)
class Disk(ComputeTask):
    """A disk of a zone; its task name is its name. size_gb in GiB, volume_throughput in MiB/s."""

    volume_type: str | None = None
    size_gb: int | None = None
    volume_iops: int | None = None
    volume_throughput: int | None = None
    zone: str | None = None
    labels: dict[str, str] | None = None

    of = BY_NAME[DISK]
    resource = "google_compute_disk"
    immutable: ClassVar[frozenset[str]] = frozenset({"volume_type", "zone"})

    def scope(self, cloud: GCECloud) -> str:
        return f"zones/{self.zone}"

    def find(self, cloud: GCECloud) -> Disk | None:
        found = self.described(cloud) or self._elsewhere(cloud)
        if found is None:
            return None
        return Disk(
            self.name,
            volume_type=last_component(str(found.get("type", ""))),
            size_gb=number(found.get("sizeGb")),
            volume_iops=number(found.get("provisionedIops")),
            volume_throughput=number(found.get("provisionedThroughput")),
            zone=last_component(str(found.get("zone", ""))),
            labels=labels_of(found, self.labels),
        )

    def _elsewhere(self, cloud: GCECloud) -> Described | None:
        """The cluster's disk of this name in another zone: its data would not be in a new one."""
        others = cloud.once(described, self.of).values()
        return next((each for each in others if each["name"] == self.name and is_owned(cloud, each)), None)

    def check(self, cloud: GCECloud, actual: Disk | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        if actual is not None and "size_gb" in changes and (self.size_gb or 0) < (actual.size_gb or 0):
            raise ImmutableField(
                f"{self.key} has {actual.size_gb} GiB and cannot shrink to {self.size_gb}: a disk can only grow"
            )

    def create(self, cloud: GCECloud) -> None:
        self.insert(
            cloud,
            type=url_of(f"{cloud.project}/{self.scope(cloud)}/diskTypes/{self.volume_type}"),
            sizeGb=text(self.size_gb),
            provisionedIops=text(self.volume_iops),
            provisionedThroughput=text(self.volume_throughput),
            labels=self.labels,
        )

    def update(self, cloud: GCECloud, actual: Disk, changes: dict[str, Change]) -> None:
        path = self.path(cloud)
        if "size_gb" in changes:
            cloud.call(f"{path}/resize", {"sizeGb": text(self.size_gb)})
        performance = {name: text(getattr(self, field)) for field, name in _PERFORMANCE.items() if field in changes}
        if performance:
            cloud.patch(path, {"name": self.name, **performance}, paths=",".join(performance))
        if "labels" in changes:
            set_labels(cloud, path, self.labels)

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            self.resource,
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
