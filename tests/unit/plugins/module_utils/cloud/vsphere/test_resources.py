# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is a cluster's is found and deleted to nothing, also by runs that break off; what is of others stays."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.described import described
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.ownership import own_folder
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.resources.in_the_way import in_the_way
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.unknown import unknown
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.tests.support.vsphere import applying
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter, done, find
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import AFTER, BEFORE, Killed, Wire
from pyVmomi import vim

pytestmark = pytest.mark.lab_programs

PLACES = [names.server(applying.GROUP, number, applying.NAME) for number in (1, 2)]
MAIN = f"{applying.DIRECTORY}/{names.disk('main', 'a', applying.NAME)}.vmdk"
# The rule; two machines, off and destroyed, of which one loses a disk; two disks and their directory; folder, pool,
# tag, category.
DELETIONS = 13
SHORT = (0, 3, 7, 10)
NUMBERS = [each if each in SHORT else pytest.param(each, marks=pytest.mark.long) for each in range(DELETIONS)]


def make(vcenter: VCenter) -> None:
    """A cluster with two machines, of which one has a disk of etcd."""
    applying.applied(applying.client(), applying.tasks())
    cloud = applying.client()
    applying.machine(cloud, 1, disks=[MAIN])
    applying.machine(cloud, 2)
    applying.applied(applying.client(), applying.tasks(servers=PLACES))


def seen(vcenter: VCenter) -> tuple[list[str], list[str] | None]:
    with vcenter.client() as instance:
        return applying.everything(instance), applying.files(instance)


def is_gone(vcenter: VCenter, before: Any) -> None:
    assert seen(vcenter) == before
    cloud = applying.client()
    assert discover(cloud) == {}
    assert cloud.tagging.tag(names.tag_id(applying.NAME)) is None
    assert cloud.tagging.category_called(names.category(applying.NAME)) is None


def test_to_nothing(vcenter: VCenter, wire: Wire) -> None:
    before = seen(vcenter)
    make(vcenter)
    assert sorted(each.kind for each in discover(applying.client()).values()) == [
        "anti-affinity rule",
        "directory",
        "disk",
        "disk",
        "folder",
        "resource pool",
        "tag",
        "tag category",
        "virtual machine",
        "virtual machine",
    ]
    wire.clear()
    applying.remove(applying.client())
    assert len(wire.writes) == DELETIONS
    is_gone(vcenter, before)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("where", [AFTER, pytest.param(BEFORE, marks=pytest.mark.long)])
def test_killed_at_a_deletion(vcenter: VCenter, wire: Wire, number: int, where: str) -> None:
    before = seen(vcenter)
    make(vcenter)
    wire.clear()
    wire.killed_at = (number, where)
    with pytest.raises(Killed):
        applying.remove(applying.client())
    wire.clear()
    applying.remove(applying.client())
    is_gone(vcenter, before)


@pytest.mark.parametrize("number", NUMBERS)
def test_an_answer_that_is_lost(vcenter: VCenter, wire: Wire, number: int) -> None:
    before = seen(vcenter)
    make(vcenter)
    wire.clear()
    wire.faults = {number: AFTER}
    applying.remove(applying.client())
    wire.clear()
    is_gone(vcenter, before)


def test_one_that_was_broken_off_at_its_folder(vcenter: VCenter, wire: Wire) -> None:
    """The folder is there without its tag: it is empty, and goes."""
    before = seen(vcenter)
    wire.killed_at = ("CreateFolder", AFTER)
    with pytest.raises(Killed):
        applying.applied(applying.client(), applying.tasks())
    wire.clear()
    assert own_folder(applying.client()) is None
    applying.remove(applying.client())
    is_gone(vcenter, before)


def test_what_others_have_put_there_stays_and_is_named(vcenter: VCenter) -> None:
    make(vcenter)
    cloud = applying.client()
    applying.machine(cloud, 9, marked=False)
    with vcenter.client() as instance:
        place = find(instance, vim.Datacenter, "DC0")
        find(instance, vim.Folder, applying.NAME).CreateFolder("of others")
        manager = instance.RetrieveContent().virtualDiskManager
        spec = vim.VirtualDiskManager.FileBackedVirtualDiskSpec(
            diskType="thin", adapterType="lsiLogic", capacityKb=1024
        )
        done(manager.CreateVirtualDisk_Task(f"{applying.DIRECTORY}/theirs.vmdk", place, spec))
    cloud = applying.client()
    found = discover(cloud)
    assert not any(each.name in ("of others", "nodes-000009") for each in found.values())
    assert in_the_way(cloud, found) == [
        f"file {applying.DIRECTORY}/theirs.vmdk: it is in directory {applying.DIRECTORY}",
        f"folder DC0/vm/{applying.NAME}/of others: it is in folder {applying.NAME}",
        f"virtual machine nodes-000009: it is in folder {applying.NAME}",
        f"virtual machine nodes-000009: it is in resource pool {applying.NAME}",
    ]
    with pytest.raises(ApplyError):
        delete_all(found, progress=lambda _line: None, explain=str, deadline=1)
    left, files = seen(vcenter)
    assert {"vim.Folder of others", "vim.VirtualMachine nodes-000009"} <= set(left)
    assert files == ["theirs-flat.vmdk", "theirs.vmdk"]


def test_another_cluster_stays(vcenter: VCenter) -> None:
    """Its name even ends with that of the one that goes."""
    other = f"x.{applying.NAME}"
    applying.applied(applying.client(other), applying.tasks(other))
    before = seen(vcenter)
    make(vcenter)
    applying.remove(applying.client())
    assert seen(vcenter) == before
    assert len(discover(applying.client(other))) == 7


def test_a_disk_that_a_machine_got_meanwhile_is_not_deleted_with_it(vcenter: VCenter) -> None:
    make(vcenter)
    cloud = applying.client()
    theirs = "[LocalDS_0] theirs/volume.vmdk"
    with vcenter.client() as instance:
        place = find(instance, vim.Datacenter, "DC0")
        content = instance.RetrieveContent()
        content.fileManager.MakeDirectory("[LocalDS_0] theirs", place, False)
        spec = vim.VirtualDiskManager.FileBackedVirtualDiskSpec(
            diskType="thin", adapterType="lsiLogic", capacityKb=20 * 1024 * 1024
        )
        done(content.virtualDiskManager.CreateVirtualDisk_Task(theirs, place, spec))
    applying.machine(cloud, 3, disks=[theirs])
    applying.remove(applying.client())
    with vcenter.client() as instance:
        assert applying.files(instance, "[LocalDS_0] theirs") == ["volume-flat.vmdk", "volume.vmdk"]


def test_what_no_specification_has(vcenter: VCenter) -> None:
    make(vcenter)
    cloud = applying.client()
    wanted = applying.tasks(servers=PLACES)
    applying.planned(cloud, wanted)
    # By the task of their template, machines are known.
    groups = next(iter(wanted.values()))
    groups.group = applying.GROUP
    assert unknown(cloud, list(wanted.values())) == []
    events = f"EtcdDisk/{names.disk('events', 'a', applying.NAME)}"
    del groups.group, wanted[events]
    found = [(each.kind, each.name) for each in unknown(applying.client(), list(wanted.values()))]
    assert found == [
        ("disk", names.disk("events", "a", applying.NAME)),
        ("virtual machine", "nodes-000001"),
        ("virtual machine", "nodes-000002"),
    ]


def test_a_dump_shows_no_user_data(vcenter: VCenter) -> None:
    make(vcenter)
    with vcenter.client() as instance:
        options = [vim.option.OptionValue(key="guestinfo.userdata", value="not for readers")]
        done(vcenter.machine(instance, "nodes-000001").ReconfigVM_Task(vim.vm.ConfigSpec(extraConfig=options)))
    found = {name: read() for name, read in described(applying.client()).items()}
    assert "not for readers" not in str(found)
    assert [each["name"] for each in found["machines"]] == ["nodes-000001", "nodes-000002"]
    assert found["places"] == [f"DC0/vm/{applying.NAME}", f"DC0/host/DC0_C0/Resources/{applying.NAME}"]
    assert len(found["resources"]) == 10
