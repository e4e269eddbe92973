# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins that show a module's progress while it runs.

A module's own output is not seen until it ends. So the action gives the module a file to write lines to, and shows
them as they come, then the text of its result. Where the module runs on another machine there is no common file.
"""

from __future__ import annotations

import os
import tempfile
import threading
from typing import Any

from ansible.utils.display import Display

from .local import LOCAL_TRANSPORTS, LocalActionModule

POLL_SECONDS = 0.2

display = Display()


class ProgressActionModule(LocalActionModule):
    """Runs the module of the same name and displays the lines that it writes to its progress_file, then an outcome."""

    def outcome(self, result: dict[str, Any], check: bool) -> list[str]:
        """What a reader wants to see of the module's result, as lines; check: of what would be done."""
        raise NotImplementedError

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        if arguments.get("progress_file") or self._connection.transport not in LOCAL_TRANSPORTS:
            return self._shown(super().run_module(arguments, task_vars))
        with tempfile.TemporaryDirectory(prefix="kops-progress-") as directory:
            path = os.path.join(directory, "lines")
            with open(path, "wb"):
                pass
            ended = threading.Event()
            watcher = threading.Thread(target=_show, args=(path, ended), daemon=True)
            watcher.start()
            try:
                result = super().run_module({**arguments, "progress_file": path}, task_vars)
            finally:
                ended.set()
                watcher.join()
        return self._shown(result)

    def _shown(self, result: dict[str, Any]) -> dict[str, Any]:
        if not result.get("failed"):
            for line in self.outcome(result, bool(self._task.check_mode)):
                display.display(f"  {line}".rstrip())
        return result


def _show(path: str, ended: threading.Event) -> None:
    with open(path, encoding="utf-8") as stream:
        pending = ""
        while True:
            last_round = ended.is_set()
            pending += stream.read()
            *lines, pending = pending.split("\n")
            for line in lines:
                display.display(f"  {line}")
            if last_round:
                return
            ended.wait(POLL_SECONDS)
