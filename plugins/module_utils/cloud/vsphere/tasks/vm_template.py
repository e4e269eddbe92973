# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: what the virtual machines of an instance group are made from (pools/template.py).

It is no template of vSphere: that is the image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import internal
from ....statestore.secrets import SERVER_KEY
from ...pools.template import StoredTemplate
from ...tasks.secret import Secret
from ..cloud import VSphereCloud
from .resource_pool import ResourcePool
from .vm_folder import VMFolder


@dataclass(eq=False, repr=False)
class VMTemplate(StoredTemplate[VSphereCloud]):
    """What virtual machines are made from.

    image: a template of vSphere, by its name or path. cpus, memory: in MiB. root_disk: in GB; 0 is as the image has it.
    network, datastore: as the specification says them. folder, pool: where machines are.
    ssh_keys: lines that cloud-init lets in. settings: marks that all machines of the group have.
    disks: number of a machine -> the disks of etcd that it has: name, etcd, member,
    members, path, size.
    server_key: by which machines prove who they are, if they are given credentials.
    """

    image: str | None = None
    cpus: int | None = None
    memory: int | None = None
    root_disk: int | None = None
    network: str | None = None
    datastore: str | None = None
    ssh_keys: list[str] | None = None
    settings: dict[str, str] | None = None
    disks: dict[str, list[dict[str, Any]]] | None = None
    folder: VMFolder | None = internal()
    pool: ResourcePool | None = internal()
    server_key: Secret | None = internal()

    words: ClassVar[Mapping[str, str]] = {
        "disks": "other disks of etcd",
        "image": "another image",
        "keys": "other SSH keys",
        "network": "another network",
        "datastore": "another datastore",
        "root-disk": "another size of the disk",
        "settings": "other marks",
        "size": "another number of processors, or another memory",
    }

    def stored(self) -> dict[str, Any]:
        return {
            "image": self.image,
            "cpus": self.cpus,
            "memory": self.memory,
            "rootDisk": self.root_disk,
            "network": self.network,
            "datastore": self.datastore,
            "sshKeys": self.ssh_keys,
            "settings": self.settings,
            "disks": self.disks,
            "folder": id_of(self.folder),
            "pool": id_of(self.pool),
            "serverKey": self.server_key and self.server_key.base,
        }

    @classmethod
    def fields_of(cls, found: Mapping[str, Any]) -> dict[str, Any]:
        key = found["serverKey"]
        return {
            "image": found["image"],
            "cpus": found["cpus"],
            "memory": found["memory"],
            "root_disk": found["rootDisk"],
            "network": found["network"],
            "datastore": found["datastore"],
            "ssh_keys": found["sshKeys"],
            "settings": found["settings"],
            "disks": found["disks"],
            "folder": VMFolder(str(found["folder"]), id=found["folder"]),
            "pool": ResourcePool(str(found["pool"]), id=found["pool"]),
            "server_key": Secret(SERVER_KEY, base=key) if key else None,
        }

    def parts(self, number: int) -> dict[str, Any]:
        return {
            "datastore": self.datastore,
            "disks": list(self.disks_of(number)),
            "image": self.image,
            "keys": self.ssh_keys or [],
            "network": self.network,
            "root-disk": self.root_disk,
            "settings": self.settings or {},
            "size": [self.cpus, self.memory],
        }

    def disks_of(self, number: int) -> Sequence[Mapping[str, Any]]:
        """The disks of etcd that the machine of a number has."""
        return (self.disks or {}).get(str(number), ())


def id_of(task: VMFolder | ResourcePool | None) -> str:
    """The id of where machines are. Raises KopsError while it has none."""
    if task is None or not task.id:
        raise KopsError(f"{task.key if task else 'the place of virtual machines'} is not there")
    return task.id
