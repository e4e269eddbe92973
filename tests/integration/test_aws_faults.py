# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens when it goes wrong: killed anywhere, throttled, two at once. Running again completes."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import json
import pathlib
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease, LeaseHeld
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import (
    GROUP_COPY,
    GROUPS,
    LEASE,
    ClusterStore,
)
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    BUCKET,
    NAME,
    PUBLIC_KEY,
    STORE,
    Account,
    fresh_account,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import BREAK, PAGE, AWSServer, is_write
from ansible_collections.kubeops.kops.tests.support.killable import Killable, Killed

ZONE = "us-east-1a"
CREATE = {"zones": [ZONE], "ssh_public_key": PUBLIC_KEY}
# Kills of each test, however many writes are under way at each: as many rounds as it takes, to a limit.
KILLS, ROUNDS = 30, 6
# Seconds that a short lease is good for.
SHORT = 6.0


def _start(operation: str, **options: Any) -> Killable:
    """An operation in a process of its own, which waits for go()."""
    return Killable(operation, {"state_store": STORE, "name": NAME, **options})


def _log(account: Account) -> list[dict[str, str]]:
    """Every call so far."""
    return [json.loads(line) for line in account.server.log.read_text().splitlines()]


def kill_at(account: Account, write: int, *, before: bool, operation: str, **options: Any) -> str:
    """Run an operation and end it at a write, before or after that is carried out.

    Returns the write, as "s3.Put /kops-state/demo.example.com/config"; "" if the operation came through before it.
    """
    process = _start(operation, **options)
    known = len(_log(account))
    account.server.kill_at_write(process.pid, write, before=before)
    process.go()
    try:
        process.changed()
    except Killed:
        writes = [call for call in _log(account)[known:] if is_write(call["operation"]) and not call["by"]]
        return f"{writes[write - 1]['operation']} {writes[write - 1]['path']}"
    account.server.kill_at_write(0, 0, before=True)
    return ""


def _kill_until_done(account: Account, operation: str, steps: Sequence[int], seed: int, most: int) -> list[str]:
    """Run an operation again and again, each time ended a few writes later, until it comes through or was ended often
    enough.

    steps: the numbers of writes to choose from. Returns the writes that it was ended at; the first is its lease's.
    """
    chance = random.Random(seed)
    killed = [kill_at(account, 1, before=False, operation=operation)]
    while killed[-1] and len(killed) < most:
        step, before = chance.choice(steps), chance.random() < 0.5
        killed.append(kill_at(account, step, before=before, operation=operation))
    return [write for write in killed if write]


def _is_of_the_store(write: str) -> bool:
    return f"/{BUCKET}/{NAME}/" in write


@pytest.mark.long
def test_killed_at_any_write_a_create_completes_without_duplicates(account: Account) -> None:
    before = account.inventory()
    account.create(zones=[ZONE], topology="private")
    account.update()
    wanted = account.counts()

    killed: list[str] = []
    for seed in range(ROUNDS):
        account.delete()
        account.create(zones=[ZONE], topology="private")
        # The first round is killed to its end; those that follow bring up the number.
        most = KILLS - len(killed) if killed else 2 * KILLS
        killed += _kill_until_done(account, "update", steps=(1, 2, 2, 3), seed=seed, most=most)
        account.update()
        assert not account.update().changed
        assert account.counts() == wanted
        assert account.untagged(before) == []
        if len(killed) >= KILLS:
            break
    assert len(killed) >= KILLS, killed
    assert LEASE in killed[0]
    assert {_is_of_the_store(write) for write in killed} == {True, False}


@pytest.mark.long
def test_killed_at_any_write_a_delete_completes(account: Account) -> None:
    before = account.inventory()

    killed: list[str] = []
    for seed in range(ROUNDS):
        account.create(zones=[ZONE], topology="private")
        account.update()
        most = KILLS - len(killed) if killed else 2 * KILLS
        killed += _kill_until_done(account, "delete", steps=(1, 1, 2, 3), seed=seed, most=most)
        account.delete()
        assert not account.delete().changed
        assert account.inventory() == before
        if len(killed) >= KILLS:
            break
    assert len(killed) >= KILLS, killed
    assert LEASE in killed[0]
    assert not all(_is_of_the_store(write) for write in killed)


@pytest.mark.long
def test_killed_at_any_write_removed_groups_go_completely(account: Account) -> None:
    account.create(zones=[ZONE], topology="private", bastion=True)
    account.update()
    wanted = account.inventory()
    for kind in ("scaling groups", "launch templates", "IAM roles", "instance profiles"):
        wanted[kind].remove(f"bastions.{NAME}")
    remove_groups(StoreOptions(STORE), NAME, ["bastions"])

    killed = _kill_until_done(account, "update", steps=(2, 2, 3), seed=1, most=40)
    deleted = {write.partition(" ")[0].partition(".")[2] for write in killed}
    assert deleted & {"DeleteAutoScalingGroup", "DeleteLaunchTemplate", "DeleteRole", "DeleteInstanceProfile"}, killed

    assert not account.update().changed
    left = account.inventory()
    for of_instances in ("instances", "network interfaces", "volumes", "stored files"):
        del left[of_instances], wanted[of_instances]
    assert left == wanted


@pytest.mark.long
def test_killed_at_each_write_to_the_store_a_new_cluster_is_stored_once(account: Account) -> None:
    account.create(**CREATE)
    wanted, killed = account.stored(), []
    for write in itertools.count(1):
        account.delete(unregister=True)
        assert account.stored() == {}
        killed.append(kill_at(account, write, before=True, operation="create", **CREATE))
        if not killed[-1]:
            break
        account.create(**CREATE)
        assert account.stored() == wanted
        assert _copied_groups() == _stored_groups()
    names = {write.rpartition("/")[2] for write in killed}
    assert names > {"lease.json", "config", "instancegroups.json", f"nodes-{ZONE}", f"control-plane-{ZONE}"}, killed


def _stored_groups() -> dict[str, str]:
    """The etags of the instance groups' files by name."""
    return {file.name: file.etag for file in ClusterStore.open(STORE, NAME).path.join(GROUPS).list_tree()}


def _copied_groups() -> dict[str, str]:
    """The same as the copy of all of them has it."""
    copied = json.loads(ClusterStore.open(STORE, NAME).path.join(GROUP_COPY).read())["groups"]
    return {name: entry["etag"] for name, entry in copied.items()}


@pytest.mark.parametrize("write", [2, 4])
def test_what_a_broken_off_creation_left_is_deleted(account: Account, write: int) -> None:
    before = account.inventory()
    assert kill_at(account, write, before=False, operation="create", **CREATE)
    assert account.delete(check=True).store_files == write
    assert account.delete().changed
    assert account.inventory() == before
    assert not account.delete().changed


@pytest.mark.long
def test_throttling_server_errors_and_broken_answers_are_survived(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    # Which faults are drawn depends on the order of calls; one is always in the middle of a file of the store.
    with AWSServer(fault_percent=10, seed=7, break_first="s3.Get") as faulty:
        account = fresh_account(faulty, monkeypatch, tmp_path)
        before = account.inventory()
        account.create(zones=[ZONE])
        assert account.update().changed
        assert not account.update().changed
        assert account.untagged(before) == []
        account.delete()
        assert account.inventory() == before
        faults = [call["operation"] for call in _log(account) if call["fault"]]
        assert any(is_write(operation) for operation in faults)
        assert any(call["fault"] == BREAK and call["operation"] == "s3.Get" for call in _log(account))
        assert any(call["fault"] == PAGE for call in _log(account))
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
    _somebody_elses_lease(account, 0)
    assert account.update(lease_wait=30).changed


def test_whose_lease_was_broken_stops_before_the_next_write(account: Account, short_leases: None) -> None:
    account.create(zones=[ZONE])
    store = ClusterStore.open(STORE, NAME)
    with contextlib.ExitStack() as holders:

        def break_it_once(line: str) -> None:
            if line.startswith("[1/"):
                holders.enter_context(store.lease("delete cluster", break_existing=True))
                time.sleep(SHORT / 2)

        options = UpdateOptions(state_store=STORE, name=NAME)
        with pytest.raises(ApplyError, match="was lost while working on update cluster: now .* 'delete cluster'"):
            update_cluster(options, progress=break_it_once)
    assert account.update().changed


@pytest.fixture
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that are good for a few seconds, and renewed after a third of that."""

    def lease_for(store: ClusterStore, operation: str, *, wait: Any = None, break_existing: bool = False) -> Lease:
        path = store.path.join(LEASE)
        return Lease(path, operation, wait=wait or 0, break_existing=break_existing, lifetime=SHORT)

    monkeypatch.setattr(ClusterStore, "lease_for", lease_for)


def test_two_applies_at_once_do_the_work_once(account: Account) -> None:
    account.create(zones=[ZONE])
    both = [_start("update"), _start("update")]
    for process in both:
        process.go()
    assert sorted(process.changed() for process in both) == [False, True]
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
