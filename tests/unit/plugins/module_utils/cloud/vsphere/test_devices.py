# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices of a virtual machine, as they have to be changed before it is on for the first time."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import devices
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.cloud import VSphereCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.inventory import inventory, machine_places
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.power import now, reconfigure
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.states import disks_in
from ansible_collections.kubeops.kops.tests.support.vsphere import simulator
from ansible_collections.kubeops.kops.tests.support.vsphere.applying import client
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter
from pyVmomi import vim

MACHINE = simulator.OTHERS[0]
PORT_GROUP, NETWORK = "DC0_DVPG0", "VM Network"


@pytest.fixture
def cloud(vcenter: VCenter) -> VSphereCloud:
    return client()


def machine(cloud: VSphereCloud) -> Any:
    (found,) = (each for each in cloud.once(machine_places) if each["name"] == MACHINE)
    return now(cloud, str(found["id"]))


def changed(cloud: VSphereCloud, *wanted: Any) -> list[str]:
    """What is changed, until nothing is."""
    found = devices.changes(cloud, machine(cloud), *wanted)
    if found:
        reconfigure(cloud, machine(cloud), deviceChange=found)
    assert devices.changes(cloud, machine(cloud), *wanted) == []
    return [f"{each.operation} {type(each.device).__name__.rpartition('.')[2]}" for each in found]


def test_a_card_is_led_into_the_network(cloud: VSphereCloud) -> None:
    changed(cloud, 0, PORT_GROUP, {})
    for network in (NETWORK, PORT_GROUP):
        (change,) = changed(cloud, 0, network, {})
        assert change.startswith("edit Virtual")
    with pytest.raises(KopsError, match="there is no network none"):
        devices.changes(cloud, machine(cloud), 0, "none", {})


def test_the_disk_of_the_image_only_grows(cloud: VSphereCloud) -> None:
    changed(cloud, 0, NETWORK, {})
    assert changed(cloud, 64, NETWORK, {}) == ["edit VirtualDisk"]
    assert changed(cloud, 20, NETWORK, {}) == []


def test_disks_are_attached_once(cloud: VSphereCloud, vcenter: VCenter) -> None:
    changed(cloud, 0, NETWORK, {})
    path = "[LocalDS_0] kubeops-demo/a.vmdk"
    with vcenter.client() as instance:
        place = simulator.find(instance, vim.Datacenter, simulator.DATACENTER)
        content = instance.RetrieveContent()
        content.fileManager.MakeDirectory("[LocalDS_0] kubeops-demo", place, False)
        spec = vim.VirtualDiskManager.FileBackedVirtualDiskSpec(
            diskType="thin", adapterType="lsiLogic", capacityKb=1024 * 1024
        )
        simulator.done(content.virtualDiskManager.CreateVirtualDisk_Task(path, place, spec))
    assert changed(cloud, 0, NETWORK, {path: 1}) == ["add VirtualDisk"]
    (disk,) = (each for each in disks_in(machine(cloud)) if devices.path_of(each) == path)
    assert devices.uuid_of(disk)
    # The disk of the image is still the one that is its own.
    assert changed(cloud, 64, NETWORK, {path: 1}) == ["edit VirtualDisk"]
    assert cloud.once(inventory)
