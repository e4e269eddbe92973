# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a machine, and the disks that outlive it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import ending, names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.cloud import VSphereCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.collecting import Described
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.ownership import machines
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.states import disks_in
from ansible_collections.kubeops.kops.tests.support.vsphere import applying
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter, done
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import AFTER, Killed, Wire
from pyVmomi import vim

pytestmark = pytest.mark.lab_programs

MAIN, EVENTS = (names.disk(etcd, "a", applying.NAME) for etcd in ("main", "events"))


def path(name: str) -> str:
    return f"{applying.DIRECTORY}/{name}.vmdk"


@pytest.fixture
def machine(vcenter: VCenter) -> str:
    """A machine with a disk of etcd."""
    applying.applied(applying.client(), applying.tasks())
    return applying.machine(applying.client(), 1, disks=[path(MAIN)])


def disks_left(vcenter: VCenter) -> list[str]:
    with vcenter.client() as instance:
        assert vcenter.machine(instance, "nodes-000001") is None
        return [each for each in applying.files(instance) or () if not each.endswith("-flat.vmdk")]


def test_its_disk_of_etcd_stays(vcenter: VCenter, machine: str) -> None:
    cloud = applying.client()
    ending.end_machine(cloud, machine)
    assert disks_left(vcenter) == [f"{EVENTS}.vmdk", f"{MAIN}.vmdk"]
    assert machines(cloud) == []
    # One that is gone has ended.
    ending.end_machine(cloud, machine)


def test_a_guest_that_switches_itself_off(vcenter: VCenter, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After it was looked at, and before vCenter is asked to do so."""
    look = ending._now

    def looked_at(cloud: VSphereCloud, identifier: str) -> Described | None:
        found = look(cloud, identifier)
        monkeypatch.setattr(ending, "_now", look)
        with vcenter.client() as instance:
            done(vcenter.machine(instance, "nodes-000001").PowerOffVM_Task())
        return found

    monkeypatch.setattr(ending, "_now", looked_at)
    ending.end_machine(applying.client(), machine)
    assert disks_left(vcenter) == [f"{EVENTS}.vmdk", f"{MAIN}.vmdk"]


@pytest.mark.parametrize("method", ["PowerOffVM_Task", "ReconfigVM_Task", "Destroy_Task"])
def test_killed_at_a_step(vcenter: VCenter, wire: Wire, machine: str, method: str) -> None:
    wire.clear()
    wire.killed_at = (method, AFTER)
    with pytest.raises(Killed):
        ending.end_machine(applying.client(), machine)
    wire.clear()
    ending.end_machine(applying.client(), machine)
    assert disks_left(vcenter) == [f"{EVENTS}.vmdk", f"{MAIN}.vmdk"]


def test_what_is_not_its_own(machine: str) -> None:
    """Disks of etcd by their directory, on whatever datastore its own are; volumes by being first-class disks."""
    cloud = applying.client()
    (found,) = machines(cloud)
    assert [each.backing.fileName for each in ending.borrowed(found)] == [path(MAIN)]
    devices: list[Any] = [each for each in disks_in(found) if each.backing.fileName != path(MAIN)]
    devices[0].backing.fileName = devices[0].backing.fileName.replace("LocalDS_0", "another")
    assert [each.backing.fileName for each in ending.borrowed(found)] == [path(MAIN)]
    devices[0].vDiskId = vim.vslm.ID(id="fcd-1")
    assert len(ending.borrowed(found)) == 2
