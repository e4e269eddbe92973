# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens when it goes wrong: killed anywhere, throttled, two at once. Running again completes."""

from __future__ import annotations

import pathlib
import random
import subprocess
import sys

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import UpdateOptions, update_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import LeaseHeld
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account, fresh_account
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

RUN = pathlib.Path(__file__).parent.parent / "support" / "run_operation.py"
KILLS = 30
SIGKILLED = -9


def _run(operation: str) -> subprocess.Popen[str]:
    """Start an operation in a process of its own; it waits for a line before it starts working."""
    return subprocess.Popen(
        [sys.executable, str(RUN), operation, STORE, NAME],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _run_and_kill_until_done(account: Account, operation: str, longest_step: int, seed: int) -> int:
    """Run an operation again and again, each time ended at another write, until it comes through; returns the kills."""
    chance, kills = random.Random(seed), 0
    while kills < 200:
        process = _run(operation)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        writes, before = chance.randint(1, longest_step), chance.random() < 0.5
        account.server.kill_at_write(process.pid, writes, before=before)
        output, _nothing = process.communicate("go\n", timeout=120)
        if process.returncode != SIGKILLED:
            assert process.returncode == 0, output
            return kills
        kills += 1
    raise AssertionError("it never came through")


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_any_write_a_create_completes_without_duplicates(account: Account, seed: int) -> None:
    account.create(zones=["us-east-1a"], topology="private")
    account.update()
    wanted = {kind: len(names) for kind, names in account.inventory().items()}
    account.delete()
    account.create(zones=["us-east-1a"], topology="private")

    kills = _run_and_kill_until_done(account, "update", longest_step=9, seed=seed)
    assert kills >= KILLS // 2

    assert not account.update().changed
    assert {kind: len(names) for kind, names in account.inventory().items()} == wanted


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_any_write_a_delete_completes(account: Account, seed: int) -> None:
    before = account.inventory()
    account.create(zones=["us-east-1a"], topology="private")
    account.update()

    kills = _run_and_kill_until_done(account, "delete", longest_step=3, seed=seed)
    assert kills >= KILLS // 2

    assert not account.delete().changed
    assert account.inventory() == before


def test_throttling_and_server_errors_are_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    with AWSServer() as calm:
        account = fresh_account(calm, monkeypatch, tmp_path)
        account.create(zones=["us-east-1a"])
        wanted = [step.task.key for step in account.update(check=True).plan.active()]
    with AWSServer(fault_percent=10, seed=7) as faulty:
        account = fresh_account(faulty, monkeypatch, tmp_path)
        account.create(zones=["us-east-1a"])
        applied = account.update()
        assert sorted(step.task.key for step in applied.plan.active()) == sorted(wanted)
        assert not account.update().changed
        account.delete()
        left = {kind: names for kind, names in account.inventory().items() if NAME in " ".join(names)}
        assert left == {}


def test_of_two_applies_at_once_one_stops_with_the_holders_name(account: Account) -> None:
    account.create(zones=["us-east-1a"])
    with ClusterStore.open(STORE, NAME).lease("update cluster"), pytest.raises(LeaseHeld, match="holds the lease"):
        update_cluster(UpdateOptions(state_store=STORE, name=NAME, lease_wait=0.5))


def test_two_applies_at_once_do_the_work_once(account: Account) -> None:
    account.create(zones=["us-east-1a"])
    both = [_run("update"), _run("update")]
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=240)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert sorted("changed=True" in output for output in outputs) == [False, True], outputs
    assert not account.update().changed
