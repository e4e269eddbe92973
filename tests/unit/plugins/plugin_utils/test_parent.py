# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes whose parent is killed: the test starts a parent, which forks a worker, which starts a process."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.action import validate_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils import local, pipelined

# It prints the process ids of the worker and of what the worker has started. watched: whether the block still runs.
PARENT = """
import multiprocessing, os, subprocess, sys, time
from ansible_collections.kubeops.kops.plugins.plugin_utils.parent import ends_with_parent

def work(watched):
    os.setsid()
    with ends_with_parent():
        if watched:
            start()
    start()

def start():
    started = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
    print(os.getpid(), started.pid, flush=True)
    # As a call of the SDK: the main thread waits and runs no Python.
    started.wait()

worker = multiprocessing.get_context("fork").Process(target=work, args=(sys.argv[1] == "watched",))
worker.start()
worker.join()
"""


@contextlib.contextmanager
def _orphans(watched: str) -> Iterator[list[int]]:
    """The worker and what it has started, once their parent is killed."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT, watched], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    found = [int(pid) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    try:
        yield found
    finally:
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        parent.stdout.close()


def _runs(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_worker_and_what_it_started_end_with_the_parent() -> None:
    with _orphans("watched") as orphans:
        time.sleep(1)
        assert [_runs(pid) for pid in orphans] == [False, False]


def test_after_the_block_a_process_outlives_its_parent() -> None:
    with _orphans("not watched any more") as orphans:
        time.sleep(1)
        assert [_runs(pid) for pid in orphans] == [True, True]


@pytest.mark.parametrize(
    ("plugin", "kind"),
    [
        (local, local.LocalActionModule),
        (pipelined, pipelined.PipelinedActionModule),
        (validate_cluster, validate_cluster.ActionModule),
    ],
    ids=["local", "pipelined", "validate_cluster"],
)
def test_modules_run_while_the_parent_is_watched(monkeypatch: pytest.MonkeyPatch, plugin: Any, kind: Any) -> None:
    told: list[str] = []

    @contextlib.contextmanager
    def watch() -> Iterator[None]:
        told.append("watched")
        yield
        told.append("not any more")

    def execute(**_given: Any) -> dict[str, Any]:
        told.append("module")
        return {}

    monkeypatch.setattr(plugin, "ends_with_parent", watch)
    monkeypatch.setattr("ansible.plugins.action.ActionBase.run", lambda *_arguments: {})
    action = kind.__new__(kind)
    action._task = type("Task", (), {"action": "", "args": {}, "environment": [], "get_path": lambda *_self: ""})()
    action._templar = type("Templar", (), {"template": lambda _self, value: value})()
    action._execute_module = execute
    action._connection = type("Connection", (), {"set_option": lambda *_option: None})()
    monkeypatch.setattr(local.LocalActionModule, "is_here", lambda *_arguments: False)
    monkeypatch.setattr(pipelined, "_obstacle", lambda _connection: "")
    action.run(None, {})
    assert told == ["watched", "module", "not any more"]
