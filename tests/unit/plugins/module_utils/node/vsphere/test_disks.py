# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of etcd's members, which the controller has attached before a machine runs."""

from __future__ import annotations

import pathlib
from dataclasses import replace

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.member_disks import MemberDisks
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import Holder
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.disks import MemberDisksOfMachines
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.marks import DISKS

from .fake_vcenter import FOLDER, NAME, OTHER, FakeVCenter

MAIN, EVENTS = "6000c298-aaaa-bbbb-cccc-000000000001", "6000c298-aaaa-bbbb-cccc-000000000002"


class Machine:
    """The one that the process runs on."""

    def __init__(self, vcenter: FakeVCenter, uuid: str) -> None:
        self.vcenter, self.uuid = vcenter, uuid

    def cluster_disks(self, cluster: str) -> MemberDisksOfMachines:
        return MemberDisksOfMachines(self.vcenter, cluster, FOLDER, self.uuid, "DC0")


@pytest.fixture
def vcenter() -> FakeVCenter:
    found = FakeVCenter()
    found.machine("control-plane-a-c5a001", "ControlPlane", main=MAIN, events=EVENTS)
    found.machine("control-plane-a-c5a002", "ControlPlane", OTHER, main=MAIN.replace("1", "3"))
    # It only says so.
    found.machine("nodes-a-c5a003", "Node", main=MAIN.replace("1", "4"))
    return found


def test_a_machine_is_the_member_whose_disks_it_has(vcenter: FakeVCenter, tmp_path: pathlib.Path) -> None:
    devices = tmp_path / "dev/disk/by-id"
    devices.mkdir(parents=True)
    for name in ("wwn-0x6000c298aaaabbbbcccc000000000001", "scsi-36000c298aaaabbbbcccc000000000002"):
        (devices / name).touch()
    own = Machine(vcenter, vcenter.found["control-plane-a-c5a001"].uuid)
    found = MemberDisks(own, str(tmp_path)).etcd_disks(NAME, "control-plane-a", ["main", "events"], check=False)
    assert {etcd: (disk.member, disk.members, disk.device) for etcd, disk in found.items()} == {
        "main": ("a", ("a", "b"), "/dev/disk/by-id/wwn-0x6000c298aaaabbbbcccc000000000001"),
        "events": ("a", ("a", "b"), "/dev/disk/by-id/scsi-36000c298aaaabbbbcccc000000000002"),
    }
    assert MemberDisks(own).etcd_addresses(NAME) == {("main", "a"): "10.0.0.1", ("events", "a"): "10.0.0.1"}


def test_a_machine_without_disks_becomes_no_member(vcenter: FakeVCenter) -> None:
    """It does not take those of another one."""
    own = Machine(vcenter, vcenter.machine("control-plane-a-c5a004", "ControlPlane").uuid)
    with pytest.raises(KopsError, match="no member of etcd is free in DC0"):
        MemberDisks(own).etcd_disks(NAME, "control-plane-a", ["main", "events"], check=False)
    disks = own.cluster_disks(NAME)
    assert not disks.attach(disks.all()[0])


def test_a_holder_lets_go_when_it_is_gone(vcenter: FakeVCenter) -> None:
    """One that is off keeps its disks."""
    name = "control-plane-a-c5a001"
    uuid, gone = vcenter.found[name].uuid, "4223aaaa-0000-4000-8000-00000000ffff"
    vcenter.found[name] = replace(vcenter.found[name], power="poweredOff")
    disks = Machine(vcenter, uuid).cluster_disks(NAME)
    assert disks.holders([uuid, gone]) == {
        uuid: Holder("poweredOff", address="10.0.0.1"),
        gone: Holder("gone", lets_go=True),
    }
    assert disks.holders([]) == {}


def test_what_is_no_json_is_no_disk(vcenter: FakeVCenter) -> None:
    name = "control-plane-a-c5a001"
    vcenter.found[name] = replace(vcenter.found[name], marks={**vcenter.found[name].marks, DISKS: "{"})
    assert Machine(vcenter, "").cluster_disks(NAME).all() == []
