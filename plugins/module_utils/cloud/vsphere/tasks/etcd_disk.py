# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: a disk on which a member of etcd keeps its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....base.errors import KopsError
from ....engine.task import Task, computed, internal
from .. import names
from ..cloud import VSphereCloud
from ..disks import all_disks, make_disk, path_of, refuse_foreign
from ..inventory import datastore, named
from .cluster_tag import ClusterTag


@dataclass(eq=False, repr=False)
class EtcdDisk(Task[VSphereCloud]):
    """A disk, as a file of a datastore. size: in GiB. on: the datastore, as the specification says it.

    tag: of the cluster, which names the directory. path: where the file is.
    """

    size: int | None = None
    on: str = internal("")
    tag: ClusterTag | None = internal()
    path: str | None = computed()

    immutable: ClassVar[frozenset[str]] = frozenset({"size"})

    def find(self, cloud: VSphereCloud) -> EtcdDisk | None:
        directory = self._directory(cloud)
        refuse_foreign(cloud, directory)
        found = all_disks(cloud).get(self.name)
        if found is None:
            return None
        if not found.machine and found.path != path_of(directory, self.name):
            raise KopsError(
                f"disk {self.name} is {found.path}: let spec.cloudProvider.vsphere.etcdDatastore name that datastore"
            )
        # Not every datastore says how large a disk is that no machine has.
        return EtcdDisk(self.name, size=self.size if found.size is None else found.size, path=found.path)

    def create(self, cloud: VSphereCloud) -> None:
        if self.path is None:
            size = self.needed(self.size, "has no size")
            self.path = make_disk(cloud, self._directory(cloud), self.name, size)

    def _directory(self, cloud: VSphereCloud) -> str:
        return names.directory(named(datastore(cloud, self.on, "etcdDatastore")), cloud.cluster_name)
