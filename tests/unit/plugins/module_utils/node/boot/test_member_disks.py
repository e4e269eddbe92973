# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The algorithm, in a cloud that has nothing but what it asks for. With EC2: node/aws/test_volumes.py."""

from __future__ import annotations

import pathlib
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import member_disks
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.member_disks import EtcdDisk, MemberDisks
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import ClusterDisks, Holder, MemberDisk

ETCDS = ("main", "events")


class Cloud:
    """Disks of members by their id. faster: those that another instance gets when this one asks. slow: how many looks
    it takes until a disk is attached. states: of other instances.
    """

    instance, zone = "server-1", "zone-a"

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.disks: dict[str, MemberDisk] = {}
        self.faster: dict[str, str] = {}
        self.slow = 0
        self.states: dict[str, Holder] = {}

    def cluster_disks(self, cluster: str) -> ClusterDisks:
        assert cluster == "demo"
        return self

    def add(self, member: str, **more: Any) -> None:
        for etcd in ETCDS:
            name = f"{member}-{etcd}"
            self.disks[name] = replace(MemberDisk(name, self.zone, etcd, member, ("a", "b")), **more)
            (self.root / name).touch()

    def all(self) -> list[MemberDisk]:
        self.slow -= 1
        held = {name: each for name, each in self.disks.items() if each.holder == self.instance and self.slow < 0}
        self.disks.update({name: replace(each, is_attached=True) for name, each in held.items()})
        return [self.disks[name] for name in sorted(self.disks)]

    def attach(self, disk: MemberDisk) -> bool:
        holder = self.faster.pop(disk.id, self.instance)
        self.disks[disk.id] = replace(disk, holder=holder)
        return holder == self.instance

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        return {name: self.states.get(name, Holder("ACTIVE", address=f"address of {name}")) for name in instances}

    def paths(self, disk: MemberDisk) -> list[str]:
        return ["/none", f"/{disk.id}"]


@pytest.fixture()
def cloud(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    monkeypatch.setattr(member_disks, "_POLL", 0.001)
    return Cloud(tmp_path)


def claim(cloud: Cloud, *, group: str = "control-plane", check: bool = False) -> dict[str, EtcdDisk]:
    return MemberDisks(cloud, str(cloud.root)).etcd_disks("demo", group, ETCDS, check=check)


def test_an_instance_becomes_the_member_that_its_group_names(cloud: Cloud) -> None:
    cloud.add("a")
    cloud.add("b")
    found = claim(cloud, group="control-plane-b")
    assert found == {etcd: EtcdDisk(f"b-{etcd}", f"/b-{etcd}", "b", ("a", "b")) for etcd in ETCDS}
    # It stays what it is, whatever its group is called.
    assert claim(cloud, group="control-plane-a") == found


def test_who_is_slower_becomes_another_member(cloud: Cloud) -> None:
    cloud.add("a")
    cloud.add("b")
    cloud.faster = {"a-main": "server-2"}
    assert {disk.member for disk in claim(cloud).values()} == {"b"}
    assert [disk.holder for disk in cloud.all()] == ["", "server-2", "server-1", "server-1"]


def test_it_waits_for_the_cloud_and_says_so(cloud: Cloud, capsys: pytest.CaptureFixture[str]) -> None:
    cloud.add("a")
    cloud.slow = 4
    assert claim(cloud)["main"].device == "/a-main"
    assert "waiting for the cloud to attach volume a-main (member a of etcd cluster main)" in capsys.readouterr().out


def test_a_holder_that_lets_go_is_waited_for_and_no_other(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_disks, "_HOLDER_SECONDS", 0.05)
    cloud.add("a", holder="server-2")
    with pytest.raises(KopsError, match="no member of etcd is free in zone-a: .* server-2, which is ACTIVE"):
        claim(cloud)
    cloud.states = {"server-2": Holder("DELETING", lets_go=True)}
    with pytest.raises(KopsError, match="no member of etcd has become free: .* server-2, which is DELETING"):
        claim(cloud)


def test_what_never_comes_is_said(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_disks, "_ATTACH_SECONDS", 0.05)
    monkeypatch.setattr(member_disks, "_DEVICE_SECONDS", 0.05)
    cloud.add("a")
    cloud.slow = 10_000
    with pytest.raises(KopsError, match="volume a-main .* is not attached after 0.05 s; the cloud has not said why"):
        claim(cloud)
    cloud.slow = 0
    (cloud.root / "a-events").unlink()
    with pytest.raises(KopsError, match="volume a-events .* there is neither /none nor /a-events"):
        claim(cloud)


def test_check_mode_attaches_nothing(cloud: Cloud) -> None:
    cloud.add("a")
    with pytest.raises(KopsError, match="this instance would attach volume a-main"):
        claim(cloud, check=True)
    assert {disk.holder for disk in cloud.all()} == {""}
    claim(cloud)
    assert claim(cloud, check=True) == claim(cloud)


def test_members_are_where_their_holders_are(cloud: Cloud) -> None:
    cloud.add("a", holder="server-2", zone="zone-b")
    cloud.add("b", holder="server-3")
    cloud.states = {"server-3": Holder("DELETED")}
    found = MemberDisks(cloud).etcd_addresses("demo")
    assert found == {(etcd, "a"): "address of server-2" for etcd in ETCDS}
