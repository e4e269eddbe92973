# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS acts, and the connection ends without an answer: a run goes on, and makes what it would have made."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import botocore.retries.standard
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts, graph
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account
from ansible_collections.kubeops.kops.tests.integration.test_aws_cluster import (
    CLUSTERS,
    IN_THE_ACCOUNT,
    IN_THE_STORE,
    NODES,
    ZONES,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import LOST, is_write

# Kinds whose names are ids that AWS chooses.
_IDS = (
    "VPCs",
    "DHCP options",
    "subnets",
    "route tables",
    "NAT gateways",
    "elastic IPs",
    "security groups",
    "instances",
)
_IDS += ("internet gateways", "egress-only gateways", "network interfaces", "volumes")
# One write in so many loses its answer in a run of its own.
STEP = 9


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the SDK before it sends a request again, and of the engine."""
    backoff = botocore.retries.standard.ExponentialBackoff
    monkeypatch.setattr(backoff, "delay_amount", lambda self, context: 0.01)
    monkeypatch.setattr(graph._Job, "__init__", _impatient(graph._Job.__init__))


def _impatient(known: Any) -> Any:
    def init(self: Any, *arguments: Any, **options: Any) -> None:
        known(self, *arguments, **options)
        self.pause = 0.02

    return init


def _objects(account: Account) -> dict[str, Any]:
    """What exists: names, or how many there are of what AWS names. The store's files with hashes are new each time."""
    found = account.inventory()
    hashed = ("/igconfig/", "/private/", "/backups/")
    files = [name for name in found.pop("stored files") if not any(part in name for part in hashed)]
    return {kind: len(names) if kind in _IDS else names for kind, names in found.items()} | {"files": files}


class Losses:
    """Within it, answers are lost. writes: the operations that were asked for; lost: those of lost answers."""

    def __init__(self, account: Account, which: str) -> None:
        self.server, self.which = account.server, which
        self.writes, self.lost = Counter[str](), Counter[str]()

    def __enter__(self) -> Losses:
        self._known = len(self.server.calls())
        self._losing = self.server.lose_answers(self.which)
        self._losing.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._losing.__exit__(*error)
        calls = [json.loads(line) for line in self.server.log.read_text().splitlines()[self._known :]]
        self.writes.update(call["operation"] for call in calls if is_write(call["operation"]))
        self.lost.update(call["operation"] for call in calls if call["fault"] == LOST)


def _life(account: Account, kind: str) -> list[dict[str, Any]]:
    """What exists after a cluster was created, then changed, and then deleted. A second run changes nothing."""
    found = []
    account.create(**CLUSTERS[kind])
    IN_THE_STORE.get(kind, lambda account: None)(account)
    assert account.update().changed
    assert not account.update().changed
    found.append(_objects(account))
    account.change_group(NODES, machine_type="t3.large", cloud_labels={"team": "web"})
    groups = {group.metadata.name for group in ClusterStore.open(STORE, NAME).read()[1]}
    remove_groups(StoreOptions(STORE), NAME, sorted(groups & {"bastions", "warm"}))
    assert account.update().changed
    # Of launch templates, what has been replaced by then.
    assert account.update(prune=True).changed
    again = account.update(prune=True)
    assert not again.changed, again.plan.text()
    found.append(_objects(account))
    assert account.delete().changed
    assert not account.delete().changed
    found.append(_objects(account))
    return found


def test_a_new_cluster_gets_over_the_loss_of_the_first_answer_to_every_write(account: Account) -> None:
    with Losses(account, "first") as losses:
        account.create(**CLUSTERS["minimal"])
        assert account.update().changed
    assert losses.writes.keys() == losses.lost.keys()
    assert {"s3.Put", "ec2.CreateVpc", "ec2.CreateVolume", "iam.CreateRole"} <= losses.lost.keys()
    assert not account.update(check=True).changed
    counts = account.counts()
    assert [counts[kind] for kind in ("DHCP options", "internet gateways", "scaling groups", "queues")] == [1, 1, 2, 1]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["private", "dns-private", "ipv6-private", "groups"])
def test_the_life_of_a_cluster_is_the_same_without_the_first_answer_to_any_write(account: Account, kind: str) -> None:
    IN_THE_ACCOUNT.get(kind, lambda account: None)(account)
    wanted = _life(account, kind)
    with Losses(account, "first") as losses:
        assert _life(account, kind) == wanted
    assert losses.writes.keys() == losses.lost.keys()
    assert {"ec2.CreateDhcpOptions", "ec2.CreateLaunchTemplateVersion", "ec2.DeleteVpc"} <= losses.lost.keys()


@pytest.mark.long
@pytest.mark.parametrize("operation", ["update", "delete"])
def test_the_answer_to_one_write_is_lost(account: Account, operation: str) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:1], topology="private")
    account.update()
    wanted = account.counts()
    for write in itertools.count(1, STEP):
        if operation == "update":
            account.delete()
            account.create(zones=ZONES[:1], topology="private")
        with Losses(account, f"write={write}") as losses:
            getattr(account, operation)()
        if not losses.lost:
            break
        assert losses.lost.total() == 1
        if operation == "delete":
            assert account.inventory() == before
            account.create(zones=ZONES[:1], topology="private")
            account.update()
        assert not account.update().changed
        assert account.counts() == wanted
    assert write > 3 * STEP


@pytest.mark.long
def test_a_fifth_of_all_answers_is_lost(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "PATIENCE", 1)
    wanted = _life(account, "minimal")
    with Losses(account, "percent=20") as losses:
        assert _life(account, "minimal") == wanted
    assert losses.lost.total() > 40
