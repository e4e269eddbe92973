# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leases: two writers never interleave, the dead are recognised, the living are named."""

from __future__ import annotations

import datetime
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import leases
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease, LeaseHeld, LeaseLost
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import (
    StoreError,
    VFSPath,
    WriteUncertain,
)

# Each writer notes when it enters and leaves; a note in between is an interleaving.
WRITER = """
import sys, time
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import leases
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path

url, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
leases._POLL = (0.005, 0.02)
root = open_path(url)
for number in range(rounds):
    with leases.Lease(root.join("lease.json"), name, wait=60, lifetime=3) as lease:
        count = int(root.join("count").read())
        entered = time.monotonic()
        time.sleep(0.01)
        root.join("count").write(str(count + 1).encode())
        lease.ensure()
        print(entered, time.monotonic(), flush=True)
"""
HOLDER = """
import sys, time
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path

with Lease(open_path(sys.argv[1]), "update cluster"):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def path(root: VFSPath) -> VFSPath:
    return root.join("demo", "igconfig", "lease.json")


def record(path: VFSPath) -> dict:
    return json.loads(path.read())


def hold(path: VFSPath, **changes) -> None:
    """Another machine's lease."""
    now = leases._now()
    other = {
        "holder": "ann@elsewhere",
        "pid": 7,
        "process": "other-boot/pid:[1]/1",
        "operation": "update cluster",
        "token": "theirs",
        "renewed": leases._text(now),
        "expires": leases._text(now + datetime.timedelta(seconds=60)),
    }
    path.write(json.dumps({**other, **changes}).encode())


def test_names_its_holder_while_held_and_ends(path: VFSPath) -> None:
    with Lease(path, "update cluster"):
        assert record(path)["holder"] == leases.whoami()
        assert record(path)["pid"] == os.getpid()
        assert record(path)["operation"] == "update cluster"
    assert "released" in record(path)
    with Lease(path, "delete cluster", wait=0):
        assert record(path)["operation"] == "delete cluster"


def test_stops_with_the_holders_name(path: VFSPath) -> None:
    hold(path)
    with (
        pytest.raises(
            LeaseHeld, match=r"ann@elsewhere \(pid 7\) holds the lease for 'update cluster' until .*break_lease"
        ),
        Lease(path, "delete cluster", wait=0),
    ):
        pass
    assert record(path)["holder"] == "ann@elsewhere"


def test_is_released_after_an_error(path: VFSPath) -> None:
    with pytest.raises(ValueError, match="broken"), Lease(path, "update cluster"):
        raise ValueError("broken")
    assert "released" in record(path)


def test_undisturbed_since_it_was_looked_at(path: VFSPath) -> None:
    for _first_and_later in range(2):
        lease = Lease(path, "update cluster")
        assert lease.look()
        with lease:
            assert lease.undisturbed
            assert not Lease(path, "delete cluster").look()


def test_disturbed_since_it_was_looked_at(path: VFSPath) -> None:
    lease = Lease(path, "update cluster")
    assert lease.look()
    with Lease(path, "store manifests"):
        pass
    with lease:
        assert not lease.undisturbed
        assert record(path)["operation"] == "update cluster"


def test_one_that_is_broken_was_held_when_it_was_looked_at(path: VFSPath) -> None:
    hold(path)
    lease = Lease(path, "update cluster", break_existing=True)
    assert not lease.look()
    with lease:
        assert not lease.undisturbed


def test_a_look_is_good_for_one_lease(path: VFSPath) -> None:
    lease = Lease(path, "update cluster", wait=0)
    assert lease.look()
    hold(path)
    with pytest.raises(LeaseHeld, match="ann@elsewhere"), lease:
        pass


def test_waits_until_the_holder_is_done(path: VFSPath) -> None:
    order = []
    entered = threading.Event()

    def first() -> None:
        with Lease(path, "first"):
            entered.set()
            time.sleep(0.5)
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(10)
    with Lease(path, "second", wait=30):
        order.append("second")
    thread.join()
    assert order == ["first", "second"]


def test_a_lease_is_renewed(path: VFSPath) -> None:
    with Lease(path, "long", lifetime=3) as lease:
        first = record(path)["expires"]
        time.sleep(3.2)
        lease.ensure()
        assert record(path)["expires"] > first


def test_an_expired_lease_is_taken_when_nobody_renews_it(path: VFSPath) -> None:
    hold(path, expires="2020-01-01T00:00:00.000000Z")
    started = time.monotonic()
    with Lease(path, "second", wait=10, lifetime=2):
        assert time.monotonic() - started >= 1


def test_an_expired_lease_that_is_renewed_is_not_taken(path: VFSPath) -> None:
    """The holder's clock is wrong, so its lease looks expired; but it lives."""
    stop = threading.Event()

    def look_expired() -> None:
        hold(path, expires="2020-01-01T00:00:00.000000Z", renewed=str(time.monotonic()))

    def renew() -> None:
        while not stop.wait(0.1):
            look_expired()

    look_expired()
    thread = threading.Thread(target=renew)
    thread.start()
    try:
        with pytest.raises(LeaseHeld), Lease(path, "second", wait=3, lifetime=2):
            pass
    finally:
        stop.set()
        thread.join()


def test_breaking_a_lease_stops_its_holder(path: VFSPath) -> None:
    with Lease(path, "first", lifetime=3) as first:
        with Lease(path, "second", wait=0, break_existing=True) as second:
            time.sleep(1.6)
            with pytest.raises(LeaseLost, match="'second'"):
                first.ensure()
            second.ensure()
        assert record(path)["operation"] == "second"
    assert record(path)["operation"] == "second"


def test_a_lease_that_cannot_be_renewed_is_lost(path: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    with Lease(path, "first", lifetime=1.5) as lease:
        original = type(path).write

        def unreachable(self: VFSPath, *arguments, **options) -> str:
            raise StoreError("unreachable")

        monkeypatch.setattr(type(path), "write", unreachable)
        lease.ensure()
        time.sleep(1.6)
        with pytest.raises(LeaseLost, match="could not be renewed in time"):
            lease.ensure()
        monkeypatch.setattr(type(path), "write", original)


@pytest.mark.parametrize("answer", [StoreError, WriteUncertain])
def test_a_renewal_that_arrived_counts_whatever_its_answer_was(
    path: VFSPath, monkeypatch: pytest.MonkeyPatch, answer: type[StoreError]
) -> None:
    """Each second one is told to have failed; a slow store says of all that somebody else may have been there."""
    original, count = type(path).write, itertools.count()

    def told(self: VFSPath, *arguments, **options) -> str:
        etag = original(self, *arguments, **options)
        if answer is WriteUncertain or next(count) % 2:
            raise answer("the answer is lost")
        return etag

    with Lease(path, "first", lifetime=1.5) as lease:
        first = record(path)["expires"]
        monkeypatch.setattr(type(path), "write", told)
        for _tenth in range(35):
            time.sleep(0.1)
            lease.ensure()
        assert record(path)["expires"] > first
        monkeypatch.setattr(type(path), "write", original)


def test_a_lease_is_taken_from_a_store_that_is_slow(path: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    with Lease(path, "first"):
        pass
    original = type(path).write

    def slow(self: VFSPath, *arguments, **options) -> str:
        original(self, *arguments, **options)
        raise WriteUncertain("that took 3 s")

    monkeypatch.setattr(type(path), "write", slow)
    with Lease(path, "second", wait=0) as lease:
        lease.ensure()
        assert record(path)["operation"] == "second"


def test_removed_with_its_cluster(path: VFSPath) -> None:
    with Lease(path, "delete cluster"):
        path.remove()
    with pytest.raises(FileNotFoundError):
        path.read()


@pytest.mark.parametrize("text", ["", "no json", "[]"])
def test_a_file_that_is_no_lease(path: VFSPath, text: str) -> None:
    path.write(text.encode())
    with pytest.raises(StoreError, match="is not a lease record"), Lease(path, "update cluster"):
        pass


def test_a_write_that_arrived_twice_is_ours(path: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK sends a write again when the answer was lost, and is then refused by its own first one."""
    original = type(path).write

    def twice(self: VFSPath, data: bytes, **options) -> str:
        original(self, data, **options)
        return original(self, data, **options)

    monkeypatch.setattr(type(path), "write", twice)
    with Lease(path, "update cluster", wait=0) as lease:
        lease.ensure()


def _python(script: str, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("url", ["file", "s3"], indirect=True)
def test_processes_never_interleave(url: str, root: VFSPath) -> None:
    take_turns(url, root, rounds=4)


def take_turns(url: str, root: VFSPath, rounds: int) -> None:
    """Fail unless three processes that write as often are each alone while they do."""
    root.join("count").write(b"0")
    writers = [_python(WRITER, url, f"writer-{number}", str(rounds)) for number in range(3)]
    intervals = []
    for writer in writers:
        output, _errors = writer.communicate(timeout=120)
        assert writer.returncode == 0
        intervals += [tuple(map(float, line.split())) for line in output.splitlines()]
    intervals.sort()
    assert len(intervals) == int(root.join("count").read()) == rounds * len(writers)
    assert all(left <= entered for (_start, left), (entered, _end) in zip(intervals, intervals[1:]))


@pytest.mark.skipif(not os.path.exists("/proc/self/ns/pid"), reason="needs Linux' /proc")
def test_a_holder_that_was_killed_here_is_recognised_at_once(tmp_path) -> None:
    from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path

    path = open_path(f"file://{tmp_path}/lease.json")
    holder = _python(HOLDER, path.path)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LeaseHeld, match=f"pid {holder.pid}"), Lease(path, "second", wait=0):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait(10)
    with Lease(path, "second", wait=0) as lease:
        lease.ensure()
