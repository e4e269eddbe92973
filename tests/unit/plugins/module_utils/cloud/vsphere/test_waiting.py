# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for tasks of vCenter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.waiting import Waiting
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost


class Tasks:
    """What is said of them by and by; the last thing stays."""

    def __init__(self, **said: Sequence[Mapping[str, Any]]) -> None:
        self.said = {name: list(each) for name, each in said.items()}
        self.asked: list[Sequence[str]] = []

    def read(self, identifiers: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        self.asked.append(identifiers)
        found = {name: self.said[name] for name in identifiers if name in self.said}
        return {name: each.pop(0) if len(each) > 1 else each[0] for name, each in found.items()}


RUNS, QUEUED = {"info.state": "running"}, {"info.state": "queued"}


def test_until_it_is_over() -> None:
    tasks = Tasks(a=[QUEUED, RUNS, {"info.state": "success", "info.result": "vm-1"}])
    ended = Waiting(tasks.read).finish("a", "make it")
    assert (ended.result, ended.error) == ("vm-1", None)
    assert len(tasks.asked) == 3


def test_a_task_that_has_failed() -> None:
    fault = object()
    tasks = Tasks(a=[RUNS, {"info.state": "error", "info.error": fault}])
    assert Waiting(tasks.read).finish("a", "make it").error is fault


def test_a_task_that_vcenter_has_forgotten() -> None:
    ended = Waiting(Tasks().read).finish("a", "make it")
    assert isinstance(ended.error, AnswerLost)
    assert str(ended.error) == "make it: vCenter has forgotten the task"


def test_a_task_that_does_not_end() -> None:
    with pytest.raises(AnswerLost, match="make it: vCenter is still at it"):
        Waiting(Tasks(a=[RUNS]).read).finish("a", "make it", patience=0.1)
