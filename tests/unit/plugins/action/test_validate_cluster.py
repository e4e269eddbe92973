# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the terminal shows while a cluster is waited for."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.action import validate_cluster
from ansible_collections.kubeops.kops.plugins.action.validate_cluster import ROUND_SECONDS, ActionModule


class Clock:
    """Time that passes only while the module runs: as long as it was told to wait."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


class Run:
    """The action with results of the module in turn, the last one for ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *results: list[str]) -> None:
        self.clock, self.results = Clock(), list(results)
        self.waits: list[Any] = []
        self.shown: list[str] = []
        monkeypatch.setattr(validate_cluster, "time", self.clock)
        monkeypatch.setattr(validate_cluster.display, "display", lambda text: self.shown.extend(text.splitlines()))
        monkeypatch.setattr("ansible.plugins.action.ActionBase.run", lambda *_arguments: {})

    def __call__(self, **arguments: Any) -> dict[str, Any]:
        action = ActionModule.__new__(ActionModule)
        action._task = type("Task", (), {"args": arguments, "ignore_errors": True})()
        action._execute_module = self.execute
        return action.run(None, {})

    def execute(self, module_args: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        self.waits.append(module_args.get("wait"))
        names = self.results.pop(0) if len(self.results) > 1 else self.results[0]
        waited = module_args.get("wait")
        self.clock.now += waited if names and isinstance(waited, int) else 1
        failures = [{"kind": "Node", "name": name, "message": "is not ready"} for name in names]
        return {"failed": bool(failures), "failures": failures}


def test_without_waiting_it_is_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, ["n1"])
    assert run(name="demo")["failed"]
    assert (run.waits, run.shown) == ([None], [])


def test_what_is_missing_is_shown_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, ["n1", "n2"], ["n1", "n2"], ["n2"], [])
    assert not run(name="demo", wait="600")["failed"]
    assert run.waits == [ROUND_SECONDS] * 4
    head = "s the cluster is not as it should be:"
    assert run.shown == [
        f"  after 15 {head}",
        "    Node n1: is not ready",
        "    Node n2: is not ready",
        f"  after 45 {head}",
        "    Node n2: is not ready",
    ]


def test_the_last_result_is_that_of_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, ["n1"])
    result = run(name="demo", wait=40)
    assert (result["failed"], run.waits, run.clock.now) == (True, [15, 15, 10], 40)


def test_a_round_is_long_enough_for_a_row_of_successes(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, ["n1"])
    run(name="demo", wait=100, interval=10, count=3)
    assert run.waits == [60, 40]


def test_many_failures_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, [f"n{number}" for number in range(9)], [])
    run(name="demo", wait=60)
    assert run.shown[-1] == "    and 4 more"
    assert len(run.shown) == 7


def test_wrong_numbers_are_the_module_s_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, ["n1"])
    run(name="demo", wait="soon")
    assert run.waits == ["soon"]
