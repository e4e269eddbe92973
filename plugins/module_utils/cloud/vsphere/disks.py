# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks of etcd: files of virtual disks in a directory of the cluster, which stay when a machine goes.

The tag of the cluster names the directory before it is made, so it is known whose the files in it are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import KopsError
from ..errors import Exists, Missing
from . import names
from .cloud import VSphereCloud
from .inventory import datacenter, datastore
from .kinds import DATACENTER
from .ownership import machines, settings_of, tag_of
from .states import disks_in

_SUFFIX, _EXTENT = ".vmdk", "-flat.vmdk"
_KIB = 1024 * 1024
# Thin: it takes room on the datastore as it is written to.
_TYPE, _ADAPTER = "thin", "lsiLogic"


@dataclass(frozen=True)
class Disk:
    """A disk that is there. size: in GiB; None if nobody says it. machine: id of the one that has it; "" for none.

    uuid: of the disk, by which its guest finds it; "" if no machine has it.
    """

    path: str
    size: int | None = None
    machine: str = ""
    uuid: str = ""


def path_of(directory: str, name: str) -> str:
    """The path of a disk."""
    return f"{directory}/{name}{_SUFFIX}"


def own_directories(cloud: VSphereCloud) -> Sequence[str]:
    """The directories with disks of the cluster, as its tag names them."""
    found = cloud.once(tag_of)
    return names.directories(found["said"]) if found else []


def files_in(cloud: VSphereCloud, directory: str) -> Mapping[str, Any] | None:
    """What is in a directory of a datastore: name -> as the library describes files; None if there is no directory.

    To be asked by `once`.
    """
    from pyVmomi import vim

    browsing: Any = vim.host.DatastoreBrowser
    details = browsing.FileInfo.Details(fileType=True, fileSize=True, modification=False, fileOwner=False)
    of_disks = browsing.VmDiskQuery(details=browsing.VmDiskQuery.Details(capacityKb=True))
    spec = browsing.SearchSpec(query=[of_disks, browsing.Query()], details=details, matchPattern=["*"])
    store = datastore(cloud, _datastore_of(directory), "etcdDatastore")
    browser = browsing(str(store["browser"]), cloud.instance._stub)
    try:
        found = cloud.run(f"look into {directory}", lambda: browser.SearchDatastore_Task(directory, spec))
    except Missing:
        return None
    return {str(each.path): each for each in found.file or ()}


def _datastore_of(path: str) -> str:
    return path[1:].partition("]")[0]


def disk_files(cloud: VSphereCloud, directory: str) -> dict[str, Disk]:
    """The disks of the cluster in a directory that has the name of ours: name -> disk."""
    found = {}
    for file, info in (cloud.once(files_in, directory) or {}).items():
        name = file.removesuffix(_SUFFIX)
        if name.endswith(f".{cloud.cluster_name}") and file.endswith(_SUFFIX):
            size = getattr(info, "capacityKb", None)
            found[name] = Disk(f"{directory}/{file}", size // _KIB if size else None)
    return found


def others_in(cloud: VSphereCloud, directory: str) -> list[str]:
    """What else is in such a directory: paths."""
    known = disk_files(cloud, directory)
    files = cloud.once(files_in, directory) or {}
    return sorted(
        f"{directory}/{each}"
        for each in files
        if each.removesuffix(_EXTENT) not in known and each.removesuffix(_SUFFIX) not in known
    )


def held(cloud: VSphereCloud) -> dict[str, Disk]:
    """The disks of etcd that machines of the cluster have: name -> disk.

    vCenter may have moved them to another directory with their machine.
    """
    found = {}
    directories = own_directories(cloud)
    for machine in machines(cloud):
        named = names.disks_said(settings_of(machine).get(names.DISKS, ""), cloud.cluster_name)
        for device in disks_in(machine):
            path, uuid = str(device.backing.fileName), str(getattr(device.backing, "uuid", None) or "").lower()
            name = named.get(uuid) or _name_in(path, directories)
            if name:
                found[name] = Disk(path, int(device.capacityInKB) // _KIB, str(machine["id"]), uuid)
    return found


def _name_in(path: str, directories: Sequence[str]) -> str:
    directory, _slash, file = path.rpartition("/")
    return file.removesuffix(_SUFFIX) if directory in directories else ""


def all_disks(cloud: VSphereCloud) -> dict[str, Disk]:
    """All disks of etcd that there are: name -> disk."""
    found = dict(_files(cloud))
    found.update(held(cloud))
    return found


def _files(cloud: VSphereCloud) -> Iterator[tuple[str, Disk]]:
    for directory in own_directories(cloud):
        yield from disk_files(cloud, directory).items()


def refuse_foreign(cloud: VSphereCloud, directory: str) -> None:
    """Raise KopsError if a directory is there, and the tag does not name it."""
    if directory not in own_directories(cloud) and cloud.once(files_in, directory) is not None:
        raise KopsError(
            f"the datastore has a directory {directory} already, which is not the cluster's: rename or delete it"
        )


# -- writes -----------------------------------------------------------------------------------------------------------


def make_disk(cloud: VSphereCloud, directory: str, name: str, size: int) -> str:
    """Make a disk, and the directory if it is not there: gives its path. size: in GiB. Raises KopsError."""
    from pyVmomi import vim

    place = cloud.object(DATACENTER, str(datacenter(cloud)["id"]))
    content, path = cloud.content, path_of(directory, name)
    with contextlib.suppress(Exists):
        cloud.call(f"make directory {directory}", lambda: content.fileManager.MakeDirectory(directory, place, False))
    spec = vim.VirtualDiskManager.FileBackedVirtualDiskSpec(
        diskType=_TYPE, adapterType=_ADAPTER, capacityKb=size * _KIB
    )
    manager = content.virtualDiskManager
    cloud.run(f"make disk {name}", lambda: manager.CreateVirtualDisk_Task(path, place, spec))
    forget_files(cloud, directory)
    return path


def delete_disk(cloud: VSphereCloud, path: str) -> None:
    """Delete a disk; one that is gone is deleted. Raises TryAgainLater while a machine has it."""
    place = cloud.object(DATACENTER, str(datacenter(cloud)["id"]))
    manager = cloud.content.virtualDiskManager
    with contextlib.suppress(Missing):
        cloud.run(f"delete disk {path}", lambda: manager.DeleteVirtualDisk_Task(path, place))
    forget_files(cloud, path.rpartition("/")[0])


def delete_directory(cloud: VSphereCloud, directory: str) -> None:
    """Delete a directory; one that is gone is deleted. Raises KopsError if anything is in it."""
    forget_files(cloud, directory)
    files = cloud.once(files_in, directory)
    if files is None:
        return
    if files:
        raise KopsError(f"{directory} is not empty: it has {', '.join(sorted(files))}")
    place = cloud.object(DATACENTER, str(datacenter(cloud)["id"]))
    manager = cloud.content.fileManager
    with contextlib.suppress(Missing):
        cloud.run(f"delete {directory}", lambda: manager.DeleteDatastoreFile_Task(directory, place))
    forget_files(cloud, directory)


def forget_files(cloud: VSphereCloud, directory: str) -> None:
    """Look into a directory anew the next time."""
    cloud.forget(files_in, directory)
