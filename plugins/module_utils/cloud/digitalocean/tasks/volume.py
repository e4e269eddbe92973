# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: a volume, on which a member of etcd keeps its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import NEVER_DESTROYED
from ....engine.task import Change, unordered
from .. import catalog, names
from ..cloud import DigitalOceanCloud
from ..kinds import VOLUME
from ..ownership import is_own, refuse_lookalikes
from ._digitalocean import DigitalOceanTask, id_of

_STORAGE = "storage"


@dataclass(eq=False, repr=False)
class Volume(DigitalOceanTask):
    """A volume. size: in GiB. region: slug. tags: others may add theirs."""

    size: int | None = None
    region: str | None = None
    tags: list[str] | None = unordered()

    of = VOLUME
    resource = "digitalocean_volume"
    immutable: ClassVar[frozenset[str]] = frozenset({"size", "region"})

    def find(self, cloud: DigitalOceanCloud) -> Volume | None:
        found = self.named(cloud)
        if found is None:
            return None
        if not is_own(found, cloud.cluster_name):
            refuse_lookalikes(cloud)
            raise self.not_own()
        return Volume(
            self.name,
            id=str(found["id"]),
            size=int(found["size_gigabytes"]),
            region=str(found["region"]["slug"]),
            tags=[each for each in self.tags or () if names.has_tag(found, each)],
        )

    def check(self, cloud: DigitalOceanCloud, actual: Volume | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        region = catalog.region(cloud, str(self.region)) if actual is None else None
        if actual is None and _STORAGE not in (region or {}).get("features", ()):
            raise KopsError(f"volume {self.name}: the region {self.region} has no volumes; choose another")

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        return {"name": self.name, "size_gigabytes": self.size, "region": self.region, "tags": self.tags}

    def terraform_arguments(self) -> dict[str, Any]:
        where = {"region": self.region, "size": self.size}
        return {"name": self.name, **where, "tags": sorted(self.tags or ()), "lifecycle": NEVER_DESTROYED}

    def update(self, cloud: DigitalOceanCloud, actual: Volume, changes: dict[str, Change]) -> None:
        for each in self.tags or ():
            if each not in (actual.tags or ()):
                cloud.tag(each, self.of, [id_of(actual)])
