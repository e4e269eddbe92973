# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a cluster, by their marks; and what is in its folder and directories that others have put there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .. import names
from ..cloud import VSphereCloud
from ..collecting import Described
from ..disks import all_disks, files_in, others_in, own_directories
from ..inventory import inventory, machine_places, named
from ..kinds import FOLDER, POOL
from ..ownership import category_of, machines, own_folder, own_machines, own_pool, stray, tag_of
from ..rules import is_own, rules

# What plans and results call them.
CATEGORY, TAG, RULE, DISK, DIRECTORY = "tag category", "tag", "anti-affinity rule", "disk", "directory"
MACHINES, FOLDERS, POOLS = "virtual machine", "folder", "resource pool"


@dataclass(frozen=True)
class Found:
    """An object of the cluster. kind: as plans call it. handle: what its removal needs beside the id."""

    kind: str
    id: str
    name: str
    handle: Any = None


class Owned:
    """The objects of the cluster, each kind read once."""

    def __init__(self, cloud: VSphereCloud) -> None:
        self.cloud = cloud

    def all(self) -> Iterator[Found]:
        """Each of them."""
        yield from self.machines()
        yield from self.rules()
        yield from self.disks()
        yield from self.places()
        yield from self.marks()

    def machines(self) -> Iterator[Found]:
        """By what they say themselves, in the cluster's folder."""
        yield from (Found(MACHINES, str(each["id"]), named(each), each) for each in machines(self.cloud))

    def rules(self) -> Iterator[Found]:
        """In the compute cluster of the resource pool."""
        compute = self.compute()
        for each in self.cloud.once(rules, compute) if compute else ():
            if names.group_of_rule(str(each.name), self.cloud.cluster_name) and is_own(self.cloud, each):
                yield Found(RULE, str(each.key), str(each.name), each)

    def compute(self) -> str:
        """The id of the compute cluster; "" without a resource pool."""
        found = own_pool(self.cloud)
        return str(found.get("owner") or "") if found else ""

    def disks(self) -> Iterator[Found]:
        """Those of etcd, and their directories."""
        for name, disk in sorted(all_disks(self.cloud).items()):
            yield Found(DISK, disk.path, name, disk)
        for directory in own_directories(self.cloud):
            if self.cloud.once(files_in, directory) is not None:
                yield Found(DIRECTORY, directory, directory)

    def places(self) -> Iterator[Found]:
        """Folder and resource pool; and those that have only our name and are empty, if there is a tag."""
        for kind, word, own, name in (
            (FOLDER, FOLDERS, own_folder(self.cloud), names.folder(self.cloud.cluster_name)),
            (POOL, POOLS, own_pool(self.cloud), names.pool(self.cloud.cluster_name)),
        ):
            found = [own] if own else stray(self.cloud, kind, name) if self.cloud.once(tag_of) else []
            yield from (Found(word, str(each["id"]), named(each), each) for each in found)

    def marks(self) -> Iterator[Found]:
        """The tag and its category."""
        for kind, found in ((TAG, self.cloud.once(tag_of)), (CATEGORY, self.cloud.once(category_of))):
            if found:
                yield Found(kind, str(found["id"]), str(found["name"]))

    # -- of others ------------------------------------------------------------------------------------------------

    def foreign(self) -> Iterator[tuple[str, str, str]]:
        """What is in the way: what it is in, its kind, and its name."""
        own = {str(each["id"]) for each in machines(self.cloud)}
        folder, pool = own_folder(self.cloud), own_pool(self.cloud)
        if folder:
            for each in self.cloud.once(own_machines):
                if str(each["id"]) not in own:
                    yield FOLDERS, MACHINES, named(each)
            yield from self._below(folder, FOLDERS)
        if pool:
            yield from self._below(pool, POOLS)
            for each in self.cloud.once(machine_places):
                if each.get("resourcePool") == pool["id"] and str(each["id"]) not in own:
                    yield POOLS, MACHINES, named(each)
        for directory in own_directories(self.cloud):
            yield from ((DIRECTORY, "file", each) for each in others_in(self.cloud, directory))

    def _below(self, place: Described, word: str) -> Iterator[tuple[str, str, str]]:
        known = self.cloud.once(inventory)
        yield from ((word, word, known.path(each)) for each in known.children(str(place["id"])))
