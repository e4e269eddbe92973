# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens when it goes wrong: killed anywhere, throttled, two at once. Running again completes."""

from __future__ import annotations

import contextlib
import datetime
import json
import pathlib
import random
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import UpdateOptions, update_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease, LeaseHeld
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import LEASE, ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, STORE, Account, fresh_account
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer, is_write

RUN = pathlib.Path(__file__).parent.parent / "support" / "run_operation.py"
ZONE = "us-east-1a"
KILLS = 30
SIGKILLED = -9


def _run(operation: str, *more: str) -> subprocess.Popen[str]:
    """Start an operation in a process of its own; it waits for a line before it starts working."""
    return subprocess.Popen(
        [sys.executable, str(RUN), operation, STORE, NAME, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _log(account: Account) -> list[dict[str, str]]:
    """Every call so far."""
    return [json.loads(line) for line in account.server.log.read_text().splitlines()]


def _kill_at(account: Account, write: int, *, before: bool, operation: Sequence[str]) -> str:
    """Run an operation and end it at a write, before or after that is carried out.

    Returns the write, as "s3.Put /kops-state/demo.example.com/config"; "" if the operation came through before it.
    """
    process = _run(*operation)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    known = len(_log(account))
    account.server.kill_at_write(process.pid, write, before=before)
    output, _nothing = process.communicate("go\n", timeout=120)
    account.server.kill_at_write(0, 0, before=True)
    if process.returncode == 0:
        return ""
    assert process.returncode == SIGKILLED, output
    writes = [call for call in _log(account)[known:] if is_write(call["operation"])]
    return f"{writes[write - 1]['operation']} {writes[write - 1]['path']}"


def _kill_until_done(account: Account, operation: str, *more: str, steps: Sequence[int], seed: int = 1) -> list[str]:
    """Run an operation again and again, each time ended a few writes later, until it comes through.

    steps: the numbers of writes to choose from. Returns the writes that it was ended at; the first is its lease's.
    """
    chance = random.Random(seed)
    killed = [_kill_at(account, 1, before=False, operation=(operation, *more))]
    while True:
        step, before = chance.choice(steps), chance.random() < 0.5
        write = _kill_at(account, step, before=before, operation=(operation, *more))
        if not write:
            return killed
        killed.append(write)


def _is_of_the_store(write: str) -> bool:
    return f"/{BUCKET}/{NAME}/" in write


def test_killed_at_any_write_a_create_completes_without_duplicates(account: Account) -> None:
    before = account.inventory()
    account.create(zones=[ZONE], topology="private")
    account.update()
    wanted = account.counts()
    account.delete()
    account.create(zones=[ZONE], topology="private")

    killed = _kill_until_done(account, "update", steps=range(2, 7))
    assert len(killed) >= KILLS, killed
    assert LEASE in killed[0]
    assert {_is_of_the_store(write) for write in killed} == {True, False}

    assert not account.update().changed
    assert account.counts() == wanted
    assert account.untagged(before) == []


def test_killed_at_any_write_a_delete_completes(account: Account) -> None:
    before = account.inventory()
    account.create(zones=[ZONE], topology="private")
    account.update()

    killed = _kill_until_done(account, "delete", steps=range(2, 5))
    assert len(killed) >= KILLS, killed
    assert LEASE in killed[0]
    assert not all(_is_of_the_store(write) for write in killed)

    assert not account.delete().changed
    assert account.inventory() == before


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_killed_at_each_write_to_the_store_a_new_cluster_is_stored_once(account: Account, before: bool) -> None:
    account.create(zones=[ZONE])
    wanted = account.stored()
    account.delete()
    killed = []
    for write in range(1, 30):
        killed.append(_kill_at(account, write, before=before, operation=("create", ZONE)))
        account.create(zones=[ZONE])
        assert account.stored() == wanted
        account.delete()
        assert account.inventory()["stored files"] == []
        if not killed[-1]:
            break
    names = {write.rpartition("/")[2] for write in killed}
    assert names > {"lease.json", "config", "instancegroups.json", f"nodes-{ZONE}", f"control-plane-{ZONE}"}, killed


@pytest.mark.parametrize("write", [2, 4])
def test_what_a_broken_off_creation_left_is_deleted(account: Account, write: int) -> None:
    before = account.inventory()
    assert _kill_at(account, write, before=False, operation=("create", ZONE))
    assert account.delete(check=True).store_files == write
    assert account.delete().changed
    assert account.inventory() == before
    assert not account.delete().changed


def test_throttling_and_server_errors_are_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    with AWSServer(fault_percent=10, seed=7) as faulty:
        account = fresh_account(faulty, monkeypatch, tmp_path)
        before = account.inventory()
        account.create(zones=[ZONE])
        wanted = account.update(check=True).plan.id
        assert account.update().plan.id == wanted
        assert not account.update().changed
        assert account.untagged(before) == []
        account.delete()
        assert account.inventory() == before
        faults = [call["operation"] for call in _log(account) if call["fault"]]
        assert any(is_write(operation) for operation in faults)
        assert len(faults) > 0.05 * len(_log(account))


# -- two at once ----------------------------------------------------------------------------------------------------


def _somebody_elses_lease(account: Account, seconds: float) -> None:
    """The lease of a writer on another machine, good for so long."""
    expires = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    record = {
        "holder": "ann@elsewhere",
        "pid": 7,
        "process": "other-boot/pid:[1]/1",
        "operation": "update cluster",
        "token": "theirs",
        "expires": expires.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
    account.client("s3").put_object(Bucket=BUCKET, Key=f"{NAME}/{LEASE}", Body=json.dumps(record).encode())


def test_of_two_applies_at_once_one_stops_with_the_holders_name(account: Account) -> None:
    account.create(zones=[ZONE])
    _somebody_elses_lease(account, 60)
    before = account.inventory()
    for operation in (account.update, account.delete):
        with pytest.raises(LeaseHeld, match=r"ann@elsewhere \(pid 7\) holds the lease for 'update cluster'"):
            operation(lease_wait=0.5)
    assert account.inventory() == before


def test_a_lease_is_broken_on_demand(account: Account) -> None:
    account.create(zones=[ZONE])
    _somebody_elses_lease(account, 60)
    assert account.update(break_lease=True).changed
    assert not account.update(lease_wait=0).changed


def test_a_dead_holders_lease_expires(account: Account, short_leases: None) -> None:
    account.create(zones=[ZONE])
    _somebody_elses_lease(account, 0.5)
    assert account.update(lease_wait=10).changed


def test_whose_lease_was_broken_stops_before_the_next_write(account: Account, short_leases: None) -> None:
    account.create(zones=[ZONE])
    store = ClusterStore.open(STORE, NAME)
    with contextlib.ExitStack() as holders:

        def break_it_once(line: str) -> None:
            if line.startswith("[1/"):
                holders.enter_context(store.lease("delete cluster", break_existing=True))

        options = UpdateOptions(state_store=STORE, name=NAME)
        with pytest.raises(ApplyError, match="was lost while working on update cluster: now .* 'delete cluster'"):
            update_cluster(options, progress=break_it_once)
    assert account.update().changed


@pytest.fixture
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that are good for a second."""

    def lease_for(store: ClusterStore, operation: str, *, wait: Any = None, break_existing: bool = False) -> Lease:
        return Lease(store.path.join(LEASE), operation, wait=wait or 0, break_existing=break_existing, lifetime=1)

    monkeypatch.setattr(ClusterStore, "lease_for", lease_for)


def test_two_applies_at_once_do_the_work_once(account: Account) -> None:
    account.create(zones=[ZONE])
    both = [_run("update"), _run("update")]
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=240)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert sorted("changed=True" in output for output in outputs) == [False, True], outputs
    assert not account.update().changed


def test_what_is_written_while_an_apply_plans_is_applied(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans are made before the lease is taken: one that is out of date by then is made again."""
    account.create(zones=[ZONE])
    account.update()
    account.change_group(f"nodes-{ZONE}", min_size=2, max_size=2)
    look = Lease.look

    def look_and_be_overtaken(lease: Lease) -> bool:
        free = look(lease)
        monkeypatch.setattr(Lease, "look", look)
        other = ClusterStore.open(STORE, NAME)
        with other.lease("store manifests"):
            pass
        return free

    monkeypatch.setattr(Lease, "look", look_and_be_overtaken)
    with account.server.recorded() as calls:
        account.update()
    assert calls["autoscaling.DescribeAutoScalingGroups"] == 2
    assert calls["autoscaling.UpdateAutoScalingGroup"] == 1
