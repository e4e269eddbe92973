# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion of what somebody uses: what is said while it waits, and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.reads import Reads
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import STOPPED, Resource, by_key
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater
from ansible_collections.kubeops.kops.plugins.module_utils.operations import delete
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import (
    AGAIN,
    IN_THE_WAY,
    REMEDY,
    DeleteOptions,
    delete_cluster,
)

NAME = "demo.example.com"


class Account:
    """A cloud with a VPC; `others` is what others have in it."""

    def __init__(self) -> None:
        self.others: list[str] = []
        self.deleted: list[str] = []
        self.attempt: Callable[[], None] = lambda: self.deleted.append("vpc-1")
        self.looking = self
        self.stacks = None

    def open(self, place: Place, cluster_name: str) -> Any:
        return Reads()

    def discover(self, cloud: Any) -> dict[str, Resource]:
        return by_key([] if self.deleted else [Resource("vpc", "vpc-1", self._attempt)])

    def discover_rest(self, cloud: Any, deleted: Mapping[str, Resource]) -> dict[str, Resource]:
        assert [*deleted] == ["vpc:vpc-1"]
        return self.discover(cloud)

    def _attempt(self) -> None:
        self.attempt()

    def in_the_way(self, cloud: Any, found: Mapping[str, Resource]) -> list[str]:
        return list(self.others)

    def explain(self, error: Exception) -> str:
        return str(error)


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    made = Account()

    class Row:
        found_in = ("region",)
        provider = staticmethod(lambda: made)

    monkeypatch.setattr(delete, "SUPPORTED", {"aws": Row})
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(graph, "LONGEST_PAUSE", 0.02)
    return made


def options(wait: float = 0.2) -> DeleteOptions:
    return DeleteOptions("memfs://store", NAME, external=True, cloud="aws", place=Place("us-east-1"), wait=wait)


def test_what_is_in_the_way_is_said_before_anything_is_deleted(account: Account) -> None:
    account.others = ["network-interface eni-1 in subnet-1 (owner 1)"]
    for check in (True, False):
        with pytest.raises(KopsError) as error:
            delete_cluster(options(), check=check)
        assert str(error.value) == f"{IN_THE_WAY}\n- network-interface eni-1 in subnet-1 (owner 1)\n{REMEDY}"
    assert account.deleted == []
    account.others = []
    assert delete_cluster(options()).changed and account.deleted == ["vpc-1"]


@pytest.mark.parametrize("others", [[], ["network-interface eni-1 in subnet-1"]])
def test_a_wait_is_one_line_and_its_end_says_why(account: Account, others: list[str]) -> None:
    """Somebody has come after it began: that is found out at the end."""

    def attempt() -> None:
        account.others = others
        raise TryAgainLater("AWS does not delete it yet: has dependencies")

    account.attempt = attempt
    shown: list[str] = []
    with pytest.raises(KopsError) as error:
        delete_cluster(options(), progress=shown.append)
    assert [line for line in shown if line.startswith("waiting")] == [
        "waiting: vpc vpc-1: AWS does not delete it yet: has dependencies"
    ]
    end = [IN_THE_WAY, *(f"- {each}" for each in others), REMEDY] if others else [AGAIN]
    assert str(error.value).splitlines() == [STOPPED, "- vpc:vpc-1: AWS does not delete it yet: has dependencies", *end]
