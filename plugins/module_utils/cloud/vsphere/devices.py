# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices of a virtual machine, as they have to be changed before it is on for the first time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...base.errors import KopsError
from .cloud import VSphereCloud
from .collecting import Described
from .ending import borrowed
from .inventory import network
from .kinds import OPAQUE, PORT_GROUP
from .states import disks_in

_KB_OF_GB = 1024 * 1024
# Unit 7 of a SCSI controller is itself.
_UNITS = [unit for unit in range(16) if unit != 7]
_NEW = -100


def changes(
    cloud: VSphereCloud, machine: Described, root_disk: int, of_network: str, paths: Mapping[str, int]
) -> list[Any]:
    """What changes devices into what is wanted; none if they are that. Raises KopsError.

    root_disk: GB that its first disk has at least. of_network: as the specification says it. paths: of disks that it
    has beside its own -> GB.
    """
    return [
        *_root_disk(machine, root_disk),
        *_network_card(cloud, machine, of_network),
        *_attached(machine, paths),
    ]


def path_of(disk: Any) -> str:
    """The path of a disk on its datastore."""
    return str(getattr(disk.backing, "fileName", "") or "")


def uuid_of(disk: Any) -> str:
    """The id of a disk, by which its guest knows it."""
    return str(getattr(disk.backing, "uuid", "") or "").lower()


def _devices(machine: Described, kind: str) -> list[Any]:
    from pyVmomi import vim

    wanted = getattr(vim.vm.device, kind)
    hardware = machine.get("config.hardware")
    return [each for each in (hardware.device if hardware else ()) if isinstance(each, wanted)]


def _root_disk(machine: Described, size: int) -> Iterator[Any]:
    from pyVmomi import vim

    keys = {each.key for each in borrowed(machine)}
    own = [each for each in disks_in(machine) if each.key not in keys]
    if own and own[0].capacityInKB < size * _KB_OF_GB:
        own[0].capacityInKB = size * _KB_OF_GB
        own[0].capacityInBytes = own[0].capacityInKB * 1024
        yield vim.vm.device.VirtualDeviceSpec(operation="edit", device=own[0])


def _network_card(cloud: VSphereCloud, machine: Described, reference: str) -> Iterator[Any]:
    from pyVmomi import vim

    backing, cards = _backing(cloud, reference), _devices(machine, "VirtualEthernetCard")
    if not cards:
        card = vim.vm.device.VirtualVmxnet3(key=_NEW, backing=backing, addressType="generated")
        card.connectable = vim.vm.device.VirtualDevice.ConnectInfo(
            startConnected=True, allowGuestControl=True, connected=True
        )
        yield vim.vm.device.VirtualDeviceSpec(operation="add", device=card)
    elif not _leads_to(cards[0].backing, backing):
        cards[0].backing = backing
        yield vim.vm.device.VirtualDeviceSpec(operation="edit", device=cards[0])


def _backing(cloud: VSphereCloud, reference: str) -> Any:
    from pyVmomi import vim

    found = network(cloud, reference)
    card = vim.vm.device.VirtualEthernetCard
    if found["type"] == PORT_GROUP:
        switch = str(found["config.distributedVirtualSwitch"])
        known = cloud.read("DistributedVirtualSwitch", [switch], ("uuid",), "read a distributed switch")
        if not known:
            raise KopsError(f"network {reference} is of a distributed switch that is gone")
        port = vim.dvs.PortConnection(portgroupKey=found["key"], switchUuid=known[0]["uuid"])
        return card.DistributedVirtualPortBackingInfo(port=port)
    if found["type"] == OPAQUE:
        summary = found["summary"]
        return card.OpaqueNetworkBackingInfo(
            opaqueNetworkId=summary.opaqueNetworkId, opaqueNetworkType=summary.opaqueNetworkType
        )
    return card.NetworkBackingInfo(deviceName=str(found["name"]), network=cloud.object("Network", str(found["id"])))


def _leads_to(backing: Any, wanted: Any) -> bool:
    """Whether a card is in the network already."""
    if type(backing) is not type(wanted):
        return False
    port = getattr(wanted, "port", None)
    if port is not None:
        return bool(backing.port.portgroupKey == port.portgroupKey)
    of_opaque = getattr(wanted, "opaqueNetworkId", None)
    if of_opaque is not None:
        return bool(backing.opaqueNetworkId == of_opaque)
    return bool(backing.deviceName == wanted.deviceName)


def _attached(machine: Described, paths: Mapping[str, int]) -> Iterator[Any]:
    from pyVmomi import vim

    known = {path_of(each) for each in disks_in(machine)}
    missing = [path for path in paths if path not in known]
    if not missing:
        return
    controllers = _devices(machine, "VirtualSCSIController")
    if not controllers:
        raise KopsError(f"virtual machine {machine['name']} has no SCSI controller, which the disks of etcd need")
    key = controllers[0].key
    taken = {each.unitNumber for each in disks_in(machine) if each.controllerKey == key}
    free = [unit for unit in _UNITS if unit not in taken]
    for index, (path, unit) in enumerate(zip(missing, free)):
        backing = vim.vm.device.VirtualDisk.FlatVer2BackingInfo(fileName=path, diskMode="independent_persistent")
        disk = vim.vm.device.VirtualDisk(key=_NEW - 1 - index, controllerKey=key, unitNumber=unit, backing=backing)
        disk.capacityInKB = paths[path] * _KB_OF_GB
        yield vim.vm.device.VirtualDeviceSpec(operation="add", device=disk)


def settings(values: Mapping[str, str]) -> list[Any]:
    """Extra configuration; an empty value takes a key away."""
    from pyVmomi import vim

    return [vim.option.OptionValue(key=key, value=value) for key, value in sorted(values.items())]
