# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible callback: what every task of a run gave on every host, and how long it took, as JSON for the lab's tests."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = r"""
name: lab_results
type: aggregate
short_description: Results of a run as a JSON file
description: Writes what every task gave on every host into the file that the environment names.
requirements: []
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]  # Ansible's bases have no types
    """Collects results, and writes them into $KOPS_LAB_RESULTS at the end."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "lab_results"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[dict[str, Any]] = []
        self.started: dict[str, float] = {}

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """A task begins, on whichever hosts."""
        self.started[task._uuid] = time.monotonic()
        self.tasks.append({"uuid": task._uuid, "name": task.get_name(), "action": task.action, "hosts": {}})

    v2_playbook_on_handler_task_start = v2_playbook_on_task_start

    def _keep(self, status: str, result: Any) -> None:
        uuid = result._task._uuid
        task = next((task for task in reversed(self.tasks) if task["uuid"] == uuid), None)
        if task is not None:
            task["hosts"][result._host.get_name()] = {"status": status, "result": result._result}
            task["seconds"] = round(time.monotonic() - self.started[uuid], 2)

    def v2_runner_on_ok(self, result: Any) -> None:
        """A host is done."""
        self._keep("changed" if result._result.get("changed") else "ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """A host failed."""
        self._keep("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """A host did not answer."""
        self._keep("unreachable", result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        """A condition left a host out."""
        self._keep("skipped", result)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """The run is over."""
        hosts = {host: stats.summarize(host) for host in stats.processed}
        with open(os.environ["KOPS_LAB_RESULTS"], "w", encoding="utf-8") as file:
            json.dump({"tasks": self.tasks, "hosts": hosts}, file, default=str)
