# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of a real etcd, and what becomes of them: on the same hosts, on new ones, and where a run is killed."""

from __future__ import annotations

import gzip
import os
import pathlib
import stat
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.observe import observe_members
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.restore import Restore
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.snapshot import Snapshot, take, unpack
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import atomic
from ansible_collections.kubeops.kops.tests.support.etcd import (
    Laboratory,
    Machine,
    eventually,
    free_ports,
    laboratory,
)

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("etcd")]
SECONDS = 40.0


@pytest.fixture
def lab(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Laboratory]:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "2048")
    with laboratory(tmp_path) as made:
        yield made


def back_up(machine: Machine) -> Snapshot:
    taken = take(machine.local(), "/", root=str(machine.root))
    assert taken is not None
    return taken


def archive(machine: Machine) -> pathlib.Path:
    return machine.root / "main.backup.gz"


def give(source: Machine, machines: list[Machine]) -> None:
    """What Ansible copies."""
    content = archive(source).read_bytes()
    for machine in machines:
        archive(machine).write_bytes(content)


def restore_of(machine: Machine, identity: str = "r1", check: bool = False) -> Restore:
    return Restore(identity, ["main"], root=str(machine.root), host=machine.host, timeout=SECONDS, check=check)


def said(machines: list[Machine]) -> list[dict[str, Any]]:
    return [each for machine in machines for each in observe_members(str(machine.root)) if each["manifest"]]


def restore(machines: list[Machine], identity: str = "r1") -> None:
    """All hosts, phase by phase."""
    members = said(machines)
    for machine in machines:
        restore_of(machine, identity).prepare("/", members)
    for phase in ("stop", "swap", "start"):
        for machine in machines:
            getattr(restore_of(machine, identity), phase)()


def value(lab: Laboratory, machine: Machine, key: str) -> str:
    return lab.control(machine, "get", key, "--print-value-only")


def test_a_backup_brings_objects_back(lab: Laboratory) -> None:
    machines = lab.form(3)
    first = machines[0]
    (port,) = free_ports(1)
    first.write_api_server(port)
    lab.control(first, "put", "marker", "here")
    taken = back_up(first)
    assert (taken.member_count, taken.revision, taken.alarms) == (3, 2, ())
    assert stat.S_IMODE(archive(first).stat().st_mode) == 0o600
    assert archive(first).stat().st_size == taken.size
    lab.control(first, "del", "marker")
    lab.control(first, "put", "later", "gone")
    old = {machine.member: machine.data.stat().st_ino for machine in machines}
    give(first, machines)

    restore(machines)

    for machine in machines:
        assert value(lab, machine, "marker") == "here"
        assert value(lab, machine, "later") == ""
        kept = machine.path(f"{machine.volume}/data.before-r1")
        assert kept.stat().st_ino == old[machine.member]
        assert {path.name for path in machine.path(machine.volume).iterdir()} == {"data", "data.before-r1"}
        assert (machine.root / "etc/kubernetes/manifests/etcd-main.manifest").exists()
    assert not first.path("/var/lib/kops/etcd-restore").exists()
    # Watching from a revision that was seen before has to fail, or those who watch never learn what is there now.
    assert first.client().catch_up() > 1_000_000_000
    assert [member.name for member in first.client().members()] == ["a", "b", "c"]
    lab.control(machines[1], "put", "marker", "goes on")
    assert value(lab, machines[2], "marker") == "goes on"


def test_all_data_are_lost_and_the_hosts_are_new(lab: Laboratory) -> None:
    machines = lab.form(3)
    lab.control(machines[0], "put", "marker", "here")
    back_up(machines[0])
    kept = archive(machines[0]).read_bytes()
    for machine in machines:
        machine.power_off()
    fresh = [lab.machine() for _number in range(3)]
    members = ",".join(f"{machine.member}={machine.peer_url}" for machine in fresh)
    for machine in fresh:
        machine.write_manifest(members)
        archive(machine).write_bytes(kept)
    restore(fresh)
    assert [value(lab, machine, "marker") for machine in fresh] == ["here"] * 3


def test_two_of_three_hosts_are_left(lab: Laboratory) -> None:
    machines = lab.form(3)
    first, second, lost = machines
    lab.control(first, "put", "marker", "here")
    back_up(first)
    lost.power_off()
    second.power_off()
    second.path(second.volume).rename(second.path("/elsewhere"))
    with pytest.raises(KopsError, match="a backup needs a majority"):
        back_up(first)
    second.path(second.volume).mkdir()
    second.power_on()
    give(first, [second])
    restore([first, second])
    assert value(lab, second, "marker") == "here"
    # The one that was left behind with old data does not get among them.
    lost.power_on()
    lab.control(first, "put", "marker", "new")
    with pytest.raises(AssertionError):
        eventually(lambda: value(lab, lost, "marker") == "new" if lost.client(only_local=True).catch_up() else "", 3)
    assert [member.name for member in first.client().members()] == ["a", "b"]


def test_check_mode_says_it_and_does_nothing(lab: Laboratory) -> None:
    (first,) = machines = lab.form(1)
    back_up(first)
    before = sorted(path for path in first.root.rglob("*") if "/data/" not in str(path))
    checked = restore_of(first, check=True)
    said_so = [*checked.prepare("/", said(machines)), *checked.stop(), *checked.swap(), *checked.start()]
    assert [action.item for action in said_so] == ["etcd:main", "pod:etcd-main", "etcd:main"]
    assert said_so[0].after.startswith(f"data of member a of a={first.peer_url} in {first.volume}/restoring")
    assert said_so[2].before == f"kept in {first.volume}/data.before-r1"
    assert take(first.local(), "/nowhere", root=str(first.root), check=True) is not None
    assert sorted(path for path in first.root.rglob("*") if "/data/" not in str(path)) == before
    assert first.client().catch_up() == 1


def test_old_data_of_the_last_two_restores_stay(lab: Laboratory) -> None:
    (first,) = machines = lab.form(1)
    back_up(first)
    volume = first.path(first.volume)
    for number in (1, 2, 3):
        (volume / f"data.before-2026050{number}T120000Z/member").mkdir(parents=True)
    (volume / "data-of-others").mkdir()
    identity = "20260504T120000Z"
    expected = [(f"data.before-2026050{number}T120000Z", "removed") for number in (1, 2)]

    def removed(restored: Restore) -> list[tuple[str, str]]:
        found = [action for action in restored.start() if action.item == "data:main"]
        return [(pathlib.PurePath(action.before).name, action.after) for action in found]

    assert removed(restore_of(first, identity, check=True)) == expected
    restore_of(first, identity).prepare("/", said(machines))
    restore_of(first, identity).stop()
    restore_of(first, identity).swap()
    assert len(list(volume.glob("data.before-*"))) == 4
    assert removed(restore_of(first, identity)) == expected
    kept = {f"data.before-{when}" for when in ("20260503T120000Z", identity)}
    assert {path.name for path in volume.iterdir()} == {"data", "data-of-others", *kept}


class Killed(BaseException):
    """In place of a signal."""


class Killer:
    """Ends the process, as far as it can tell, before the so-maniest change of a name below a directory."""

    def __init__(self, directory: pathlib.Path, at: int) -> None:
        self.directory = str(directory)
        self.left = at

    def before(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            if any(self.directory in str(argument) for argument in arguments):
                self.left -= 1
                if self.left == 0:
                    raise Killed
            return real(*arguments, **more)

        return call


def test_killed_anywhere_and_run_again(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each change of a name in the file system, in turn, on the second of two hosts."""
    machines = lab.form(2)
    first, second = machines
    lab.control(first, "put", "marker", "here")
    back_up(first)
    give(first, machines)
    for at in range(1, 100):
        lab.control(first, "put", "marker", "other")
        killer = Killer(second.root, at)
        with monkeypatch.context() as patched:
            patched.setattr(os, "rename", killer.before(os.rename))
            patched.setattr(os, "replace", killer.before(os.replace))
            patched.setattr(atomic, "remove", killer.before(atomic.remove))
            try:
                restore(machines, f"killed-{at}")
            except Killed:
                assert all(each["data"] for each in said(machines))
            else:
                break
        restore(machines, f"again-{at}")
        assert [value(lab, machine, "marker") for machine in machines] == ["here", "here"]
        assert not any(each["restoring"] for each in said(machines))
    assert at > 12


def test_a_damaged_backup_changes_nothing(lab: Laboratory) -> None:
    (first,) = lab.form(1)
    back_up(first)
    whole = archive(first).read_bytes()
    database = gzip.decompress(whole)
    assert unpack(str(archive(first)), str(first.root / "unpacked")) == len(database)
    wrong = bytearray(database)
    wrong[5000] ^= 1
    damages = {
        "its checksum is wrong": gzip.compress(bytes(wrong)),
        "it is incomplete": whole[: len(whole) // 2],
        "cannot be unpacked": b"no archive",
    }
    for words, content in damages.items():
        archive(first).write_bytes(content)
        with pytest.raises(KopsError, match=words):
            restore_of(first).prepare("/", said([first]))
        with pytest.raises(KopsError, match="is not prepared for this restore"):
            restore_of(first).stop()
    assert first.client().catch_up() == 1


def test_what_is_refused(lab: Laboratory) -> None:
    (first,) = lab.form(1)
    back_up(first)
    with pytest.raises(KopsError, match="no member of etcd cluster events"):
        Restore("r1", ["main", "events"], root=str(first.root))
    with pytest.raises(KopsError, match="is not a valid name of a restore"):
        Restore("../r1", ["main"], root=str(first.root))
    (mine,) = said([first])
    with pytest.raises(KopsError, match="a .* is not among the restored members"):
        restore_of(first).prepare("/", [{**mine, "cluster": "other.example.com"}])
    with pytest.raises(KopsError, match="two hosts have member a"):
        restore_of(first).prepare("/", [mine, {**mine, "peer_urls": ["https://127.0.0.9:2380"]}])
    restore_of(first).prepare("/", [mine])
    with pytest.raises(KopsError, match="these members still run: etcd-main"):
        restore_of(first).swap()
    assert first.client().catch_up() == 1


def test_only_the_leader_takes_a_backup(lab: Laboratory) -> None:
    machines = lab.form(3)
    taken = [take(machine.local(), "/", root=str(machine.root), leader_only=True) for machine in machines]
    assert len([each for each in taken if each]) == 1


def test_a_backup_of_many_megabytes_streams(lab: Laboratory) -> None:
    (first,) = lab.form(1)
    for number in range(40):
        lab.control(first, "put", f"big-{number}", given="x" * 1_000_000)
    taken = back_up(first)
    assert taken.database_size > 40_000_000
    assert len(gzip.decompress(archive(first).read_bytes())) > 40_000_000
    first.power_off()
    with pytest.raises(KopsError):
        back_up(first)
    assert archive(first).stat().st_size == taken.size
