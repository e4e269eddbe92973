# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere tasks: the tag of a cluster, and its category.

By the tag it is known what is the cluster's. Its description says which state store the cluster has, and in which
directories of datastores the disks of etcd are: before a directory is made, so that it is never in doubt whose it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Change, Task, computed
from .. import names
from ..cloud import VSphereCloud
from ..ownership import category_of, tag_of


@dataclass(eq=False, repr=False)
class TagCategory(Task[VSphereCloud]):
    """A category of tags; it has the one tag."""

    id: str | None = computed()

    def find(self, cloud: VSphereCloud) -> TagCategory | None:
        found = cloud.once(category_of)
        return TagCategory(self.name, id=found["id"]) if found else None

    def create(self, cloud: VSphereCloud) -> None:
        if self.id is None:
            identifier = names.category_id(cloud.cluster_name)
            self.id = cloud.tagging.make_category(identifier, self.name, names.described())
            cloud.forget(category_of)


@dataclass(eq=False, repr=False)
class ClusterTag(Task[VSphereCloud]):
    """The tag. store: URL of the state store. disks: the directories of disks, as vCenter writes paths."""

    category: TagCategory | None = None
    store: str | None = None
    disks: list[str] | None = None
    id: str | None = computed()

    def find(self, cloud: VSphereCloud) -> ClusterTag | None:
        found = cloud.once(tag_of)
        if found is None:
            return None
        said = found["said"]
        known = list(names.directories(said))
        return ClusterTag(
            self.name,
            id=found["id"],
            category=TagCategory(self.name, id=found["category_id"]),
            store=str(said.get("store") or ""),
            # Directories that it names beside those that are wanted may hold data.
            disks=[each for each in self.disks or () if each in known],
        )

    def create(self, cloud: VSphereCloud) -> None:
        if self.id is None:
            category = self.needed(self.category, "has no category")
            identifier = names.tag_id(cloud.cluster_name)
            of_category = category.needed(category.id, "is not there")
            self.id = cloud.tagging.make_tag(identifier, of_category, self.name, self._description([]))
            cloud.forget(tag_of)

    def update(self, cloud: VSphereCloud, actual: ClusterTag, changes: dict[str, Change]) -> None:
        found = cloud.once(tag_of)
        known = list(names.directories(found["said"])) if found else []
        cloud.tagging.describe_tag(str(actual.id), self._description(known))
        cloud.forget(tag_of)

    def _description(self, known: list[str]) -> str:
        return names.described(store=self.store or "", disks=list(dict.fromkeys([*known, *(self.disks or ())])))
