# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks as etcd-manager leaves them: taken over where they are, or refused with what to do."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.items import Volume
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd import disk as etcd_disk
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.disk import MARKER, Birth, Owner, prepare
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manager_state import read_state
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import has_data
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.takeover import Start
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine, find_machine
from ansible_collections.kubeops.kops.tests.support.etcd_in_cloud import manager_state

from ..fake_host import FakeHost

CLUSTER, TOKEN, DEVICE = "demo.example.com", "T0ken-of_Etcd-ManagerXY", "/dev/xvdu"
OWNER = Owner(CLUSTER, "main", "a", "vol-1")
NODES = {f"etcd-{member}": f"https://etcd-{member}.internal.{CLUSTER}:2380" for member in "abc"}
START = Start("etcd-a", NODES["etcd-a"], "registry.example.com/etcd:3.6.11-0@sha256:00")
VOLUME = Volume(name="etcd-main", mount="/mnt/disks/a", device=DEVICE)
WRITTEN = (
    "12e7032a1754306b656e2d6f665f457463642d4d616e6167657258593a97010a06657463642d61122d68747470733a2f2f65"
    "7463642d612e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a323338301a2d68747470733a2f2f65746364"
    "2d612e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a34303031222d68747470733a2f2f657463642d612e"
    "696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a3339393428013a97010a06657463642d62122d6874747073"
    "3a2f2f657463642d622e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a323338301a2d68747470733a2f2f"
    "657463642d622e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a34303031222d68747470733a2f2f657463"
    "642d622e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a3339393428013a97010a06657463642d63122d68"
    "747470733a2f2f657463642d632e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a323338301a2d68747470"
    "733a2f2f657463642d632e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a34303031222d68747470733a2f"
    "2f657463642d632e696e7465726e616c2e64656d6f2e6578616d706c652e636f6d3a3339393428011a06332e362e3131"
)
EXPECTED = Birth(",".join(f"{name}={url}" for name, url in NODES.items()), "existing")


@pytest.fixture()
def host(tmp_path: pathlib.Path) -> FakeHost:
    made = FakeHost.make(tmp_path / "node")
    made._keep({**made.state, "filesystems": {DEVICE: "ext4"}})
    return made


@pytest.fixture()
def machine(host: FakeHost) -> Machine:
    return find_machine(str(host.root), host)


@pytest.fixture()
def disk(host: FakeHost) -> pathlib.Path:
    """The disk of a running member of etcd-manager."""
    made = host.content(DEVICE)
    (made / "lost+found").mkdir(parents=True)
    (made / "data" / TOKEN / "member" / "wal").mkdir(parents=True)
    (made / "data" / TOKEN / "member" / "wal" / "0.wal").write_text("log")
    (made / "pki" / TOKEN / "peers").mkdir(parents=True)
    (made / "state").write_bytes(manager_state(TOKEN, NODES, "3.6.11"))
    return made


def taken_over(machine: Machine, start: Start = START, **more: Any) -> Birth:
    return prepare(machine, VOLUME, OWNER, start, lambda: pytest.fail("it has data"), **more)


def test_data_is_taken_over_where_it_is(machine: Machine, disk: pathlib.Path, host: FakeHost) -> None:
    state = (disk / "state").read_bytes()
    assert taken_over(machine) == EXPECTED
    assert os.readlink(disk / "data/member") == f"{TOKEN}/member"
    assert has_data(str(disk), "data")
    assert (disk / "state").read_bytes() == state
    assert (disk / MARKER).exists()
    before = written(disk)
    assert taken_over(machine) == EXPECTED
    assert written(disk) == before
    assert not any("mkfs" in call for call in host.calls)


def written(disk: pathlib.Path) -> list[tuple[int, int]]:
    """Which files they are, and when they were written."""
    found = [(disk / name).lstat() for name in ("data/member", MARKER)]
    return [(each.st_ino, each.st_mtime_ns) for each in found]


@pytest.mark.parametrize("killed", ["mark", "symlink", "replace", "fsync"])
def test_a_takeover_that_is_killed_goes_on(
    machine: Machine, disk: pathlib.Path, killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        if killed == "mark":
            patch.setattr(etcd_disk, "_mark", die)
        else:
            real = getattr(os, killed)
            # Files of others are written by the same functions.
            patch.setattr(os, killed, lambda *given: die() if _is_of_the_link(disk, given) else real(*given))
        taken_over(machine)
    assert taken_over(machine) == EXPECTED
    assert os.readlink(disk / "data/member") == f"{TOKEN}/member"
    assert sorted(each.name for each in (disk / "data").iterdir()) == [TOKEN, "member"]


def _is_of_the_link(disk: pathlib.Path, given: tuple[Any, ...]) -> bool:
    if isinstance(given[0], int):
        return os.path.realpath(f"/proc/self/fd/{given[0]}") == str((disk / "data").resolve())
    return str(given[-1]).endswith(("data/member", "data/member.new"))


def test_check_mode_only_looks(machine: Machine, disk: pathlib.Path, host: FakeHost) -> None:
    with pytest.raises(KopsError, match="check mode ends here"):
        taken_over(machine, check=True)
    # Mounted, as after an earlier boot.
    host._keep({**host.state, "mounts": {DEVICE: "/mnt/disks/a"}})
    (host.root / "mnt/disks").mkdir(parents=True)
    (host.root / "mnt/disks/a").symlink_to(disk)
    assert taken_over(machine, check=True) == EXPECTED
    assert not os.path.lexists(disk / "data/member")
    assert not (disk / MARKER).exists()


def test_after_a_restore_by_etcd_manager_its_new_data_counts(machine: Machine, disk: pathlib.Path) -> None:
    """It was rolled back to kops, restored there, and comes again."""
    taken_over(machine)
    (disk / "data-trashcan").mkdir()
    (disk / "data" / TOKEN).rename(disk / "data-trashcan" / TOKEN)
    (disk / "data" / "another" / "member" / "wal").mkdir(parents=True)
    (disk / "state").write_bytes(manager_state("another", NODES, "3.6.11"))
    assert taken_over(machine) == EXPECTED
    assert os.readlink(disk / "data/member") == "another/member"


def test_after_a_restore_by_us_the_state_is_history(machine: Machine, disk: pathlib.Path) -> None:
    taken_over(machine)
    (disk / "data").rename(disk / "data.before-x")
    (disk / "data/member/wal").mkdir(parents=True)
    for state in (b"\xff", manager_state("gone", NODES, "3.1.0")):
        (disk / "state").write_bytes(state)
        assert taken_over(machine) == EXPECTED
    assert (disk / "data/member/wal").is_dir()


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (b"", r"taken the member out of its etcd cluster. Give the member an empty volume"),
        (manager_state("", {}, ""), r"taken the member out"),
        (manager_state(TOKEN, {"etcd-b": "https://b"}, "3.6.11"), "that of etcd-b, and this member is etcd-a. Correct"),
        (manager_state(TOKEN, NODES, "3.6.11", quarantined=True), "Let instances of kops finish that first"),
        (
            manager_state(TOKEN, {**NODES, "etcd-a": NODES["etcd-a"].replace("https", "http")}, "3.6.11"),
            f"know it as http://etcd-a.internal.{CLUSTER}:2380, .*Let etcd-manager change to TLS first",
        ),
        (manager_state(TOKEN, {**NODES, "etcd-a": "https://10.0.0.1:2380"}, "3.6.11"), "Keep kops' instances"),
        (manager_state(TOKEN, NODES, "3.4.13"), r"is of etcd 3.4.13, .*etcdClusters\[\].version to 3.4 or 3.5"),
        (manager_state(TOKEN, NODES, "3.7.1"), "is of etcd 3.7.1"),
        (manager_state("other", NODES, "3.6.11"), "the directory data/other has no data"),
        (manager_state("../other", NODES, "3.6.11"), "its token is no name of a directory"),
        (manager_state(TOKEN, NODES, "3.6.11")[:-3], "it ends early"),
        (b"\x0c\x01", "a field of the unknown type 4"),
        (b"\x80" * 12, "it has a number that is too long|it ends early"),
    ],
)
def test_what_cannot_be_taken_over_is_refused_in_one_line(
    machine: Machine, disk: pathlib.Path, state: bytes, said: str
) -> None:
    (disk / "state").write_bytes(state)
    with pytest.raises(KopsError, match=said) as told:
        taken_over(machine)
    assert str(told.value).startswith("volume vol-1 (member a of etcd cluster main of demo.example.com)")
    assert "\n" not in str(told.value)
    assert not os.path.lexists(disk / "data/member")
    assert not (disk / MARKER).exists()


@pytest.mark.parametrize(("before", "image"), [("3.5.30", ":v3.6.0"), ("v3.6.11", ":3.6.2-0"), ("3.4.13", ":mine")])
def test_the_next_minor_version_goes_on_with_the_data(
    machine: Machine, disk: pathlib.Path, before: str, image: str
) -> None:
    (disk / "state").write_bytes(manager_state(TOKEN, NODES, before))
    assert taken_over(machine, Start(START.name, START.peer_url, f"registry.example.com:5000/etcd{image}")) == EXPECTED


def test_etcd_is_upgraded_after_the_takeover(machine: Machine, disk: pathlib.Path) -> None:
    """The state says for ever what etcd-manager ran."""
    taken_over(machine)
    newest = Start(START.name, START.peer_url, "registry.example.com/etcd:3.9.0-0")
    assert taken_over(machine, newest) == EXPECTED
    (disk / "data/member").unlink()
    with pytest.raises(KopsError, match=r"it is of etcd 3.6.11, and registry.example.com/etcd:3.9.0-0 is configured"):
        taken_over(machine, newest)


def test_a_state_as_etcd_manager_writes_it(tmp_path: pathlib.Path) -> None:
    """Made by Marshal of google.golang.org/protobuf from the types of etcd-manager v3.0.20260707."""
    assert read_state(str(tmp_path)) is None
    (tmp_path / "state").write_bytes(bytes.fromhex(WRITTEN))
    state = read_state(str(tmp_path))
    assert state is not None
    assert (state.token, state.version, state.is_quarantined) == (TOKEN, "3.6.11", False)
    assert state.initial_cluster() == EXPECTED.initial_cluster
