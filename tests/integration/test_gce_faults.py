# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens when it goes wrong in Google Cloud: killed anywhere, throttled, two at once. Running again completes."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce import operations
from ansible_collections.kubeops.kops.tests.support.google import account as google_account
from ansible_collections.kubeops.kops.tests.support.google.account import NAME, STORE, ZONES, Account
from ansible_collections.kubeops.kops.tests.support.google.server import Call
from ansible_collections.kubeops.kops.tests.support.killable import Killable

# Kills of each test, however many writes are under way at each: as many rounds as it takes, to a limit.
KILLS, ROUNDS = 30, 6
# A change has few writes.
FEW_KILLS = 10
# Instances that run keep their templates until they are replaced.
SEEN_APART = {"instanceTemplates": 0}
# Of the calls, those that are answered by a fault.
FAULTY = 0.1


@pytest.fixture(name="account")
def make_account(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    with google_account.running(tmp_path) as account:
        for name, value in account.environment.items():
            monkeypatch.setenv(name, value)
        yield account


def _kill_at(account: Account, write: int, *, before: bool, stored: bool, operation: str) -> bool:
    """Run an operation and end it at a write to the project, or to its store; whether that came before it was done."""
    process = Killable(operation, {"state_store": STORE, "name": NAME})
    kill = account.kill_at_stored_file if stored else account.kill_at_write
    kill(process.pid, write, before=before)
    try:
        return process.was_killed()
    finally:
        account.forgive()


def _kill_until_done(account: Account, operation: str, seed: int, most: int) -> int:
    """Run an operation again and again, each time ended a few writes later, until it comes through: how often."""
    chance = random.Random(seed)
    for killed in range(most):
        write, before = chance.choice((1, 2, 2, 3)), chance.random() < 0.5
        # Each apply writes its lease first, and files of nodes, so that ends at the store come early.
        if not _kill_at(account, write, before=before, stored=chance.random() < 0.2, operation=operation):
            return killed
    return most


@pytest.mark.long
def test_killed_at_any_write_a_create_completes_without_twins(account: Account) -> None:
    account.create(zones=ZONES)
    account.update()
    wanted, killed = account.counts(), 0
    for seed in range(ROUNDS):
        account.delete()
        account.create(zones=ZONES)
        killed += _kill_until_done(account, "update", seed, 2 * KILLS)
        account.update(prune=True)
        assert not account.update().changed
        assert account.counts() == wanted
        if killed >= KILLS:
            break
    assert killed >= KILLS


@pytest.mark.long
def test_killed_at_any_write_a_delete_completes(account: Account) -> None:
    killed = 0
    for seed in range(ROUNDS):
        account.create(zones=ZONES)
        account.update()
        killed += _kill_until_done(account, "delete", seed, 2 * KILLS)
        account.delete()
        assert not account.delete().changed
        assert account.inventory() == {}
        if killed >= KILLS:
            break
    assert killed >= KILLS


@pytest.mark.long
def test_killed_at_any_write_a_change_completes(account: Account) -> None:
    """Another machine type of the workers, and one more of them."""
    killed = 0
    account.create(zones=ZONES)
    account.update()
    wanted = account.counts()
    for seed in range(2 * ROUNDS):
        for zone in ZONES:
            size = 2 + seed % 2
            account.change_group(f"nodes-{zone}", machine_type=f"e2-standard-{2 << size}", min_size=size, max_size=size)
        killed += _kill_until_done(account, "update", seed, 2 * KILLS)
        account.update(prune=True)
        assert not account.update().changed
        assert set(account.inventory()["instanceTemplates"]) == account.templates_in_use()
        assert {**account.counts(), **SEEN_APART} == {**wanted, **SEEN_APART}
        sizes = {each["targetSize"] for each in account.managers("nodes")}
        assert sizes == {size}
        if killed >= FEW_KILLS:
            break
    assert killed >= FEW_KILLS


@pytest.mark.long
def test_throttling_server_errors_and_resets_are_survived(account: Account) -> None:
    chance, drawn = random.Random(7), list[str]()

    def fault(call: Call) -> int | str | None:
        if chance.random() > FAULTY:
            return None
        drawn.append(call.method)
        return chance.choice((429, 503, "reset"))

    account.apis.fault = fault
    account.create(zones=ZONES)
    assert account.update().changed
    assert not account.update().changed
    account.delete()
    assert account.inventory() == {}
    assert len(drawn) > FAULTY / 2 * len(account.apis.calls)


@pytest.mark.parametrize("fault", ["reset", "lost", 503])
def test_a_break_at_the_policy_of_the_project_is_survived(account: Account, fault: str | int) -> None:
    """Policies have no requestId; their etags say whether a write was carried out."""
    left = {"cloudresourcemanager.projects.getIamPolicy", "cloudresourcemanager.projects.setIamPolicy"}

    def first(call: Call) -> int | str | None:
        if call.method not in left:
            return None
        left.remove(call.method)
        return fault

    account.apis.fault = first
    account.create()
    assert account.update().changed
    assert not left
    assert not account.update().changed


def test_an_operation_that_never_ends_is_named_and_the_next_run_completes(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    account.create()
    account.apis.objects.seconds = 3600
    with monkeypatch.context() as patched:
        patched.setattr(operations, "DEADLINE", 0.1)
        with pytest.raises(KopsError, match=r"has not ended"):
            account.update()
    account.apis.objects.seconds = 0
    assert account.update().changed
    assert not account.update().changed
    account.delete()
    assert account.inventory() == {}


def test_credentials_that_expire_meanwhile_are_renewed(account: Account) -> None:
    """A token is good for thirty requests, more than are under way at once: so none meets three that have ended."""
    account.create()
    token, left, renewed = "test", 30, 0

    def accepts(given: str) -> bool:
        nonlocal token, left, renewed
        left -= given == token
        if left == 0:
            renewed += 1
            token, left = f"test-{renewed}", 30
            account.apis.token = token
        return given == token

    account.apis.accepts = accepts
    assert account.update().changed
    assert not account.update().changed
    assert renewed >= 2


def test_two_applies_at_once_do_the_work_once(account: Account) -> None:
    account.create()
    both = [Killable("update", {"state_store": STORE, "name": NAME}) for _each in range(2)]
    for process in both:
        process.go()
    assert sorted(process.changed() for process in both) == [False, True]
    assert not account.update().changed


def test_what_a_broken_off_creation_left_is_deleted(account: Account) -> None:
    account.create()
    assert _kill_at(account, 25, before=False, stored=False, operation="update")
    assert account.inventory() != {}
    assert account.delete().changed
    assert account.inventory() == {}
