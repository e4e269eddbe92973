# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins that show the plan of a module, and its progress while it runs.

Ansible shows a module's output only when it ends. So the action plugin gives the module a file for progress lines and
shows each line at once, then the plan of the result. If the module runs on another machine, there is no common file.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from ansible import constants
from ansible.utils.display import Display
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import (
    LISTED,
    Fields,
    Line,
    done_lines,
    plan_lines,
)

from .failures import is_refused
from .local import LOCAL_TRANSPORTS, LocalActionModule
from .shown import NextStep, progress_line

POLL_SECONDS = 0.2
INDENT = "  "
# The colours that users have chosen for Ansible's own differences and changes.
COLOURS = {
    "create": constants.COLOR_DIFF_ADD,
    "update": constants.COLOR_CHANGED,
    "delete": constants.COLOR_DIFF_REMOVE,
    "keep": constants.COLOR_SKIP,
}

display = Display()


class PlanActionModule(LocalActionModule):
    """Runs the module of the same name, displays the lines of its progress_file, the plan of its result, and what comes
    next.

    tells_next: False if its playbooks say at the end what comes next (playbooks/parts/next.yml).
    """

    tells_next = True

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """The plan in check mode; after an apply only the counts, as earlier lines have shown the plan."""
        unchanged = result["summary"].get("unchanged")
        if not check:
            return done_lines(result["plan"], unchanged=unchanged)
        # With --diff, Ansible shows the fields after that.
        fields = Fields.ALL if display.verbosity else Fields.NONE if self._task.diff else Fields.CHANGED
        return plan_lines(
            result["plan"],
            unchanged=unchanged,
            plan_id=result.get("plan_id", ""),
            width=display.columns - len(INDENT),
            listed=None if display.verbosity or self._task.diff else LISTED,
            fields=fields,
            more="(all with --diff)",
        )

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        if arguments.get("progress_file") or self._connection.transport not in LOCAL_TRANSPORTS:
            return self._shown(super().run_module(arguments, task_vars))
        with tempfile.TemporaryDirectory(prefix="kops-progress-") as directory:
            path = os.path.join(directory, "lines")
            with open(path, "wb"):
                pass
            ended = threading.Event()
            watcher = threading.Thread(target=self._watch, args=(path, ended), daemon=True)
            watcher.start()
            try:
                result = super().run_module({**arguments, "progress_file": path}, task_vars)
            finally:
                ended.set()
                watcher.join()
        return self._shown(result)

    def progress_line(self, line: str) -> str:
        """A line of the module's progress as it is shown."""
        return progress_line(line)

    def _watch(self, path: str, ended: threading.Event) -> None:
        with open(path, encoding="utf-8") as stream:
            pending = ""
            while True:
                last_round = ended.is_set()
                pending += stream.read()
                *lines, pending = pending.split("\n")
                for line in lines:
                    display.display(self.progress_line(f"{INDENT}{line}"))
                if last_round:
                    return
                ended.wait(POLL_SECONDS)

    def _shown(self, result: dict[str, Any]) -> dict[str, Any]:
        refused = is_refused(result)
        if refused or not result.get("failed"):
            show(self.lines(result, bool(self._task.check_mode) or refused))
        if self.tells_next:
            show_next(result)
        return result


def show_next(result: Mapping[str, Any]) -> None:
    """What comes next, as results have it."""
    for step in result.get("next", ()):
        display.display(NextStep(f"{INDENT}Next: {step}"))


def show(lines: Iterable[Line]) -> None:
    """Lines of a plan in the terminal, in Ansible's colours if it has any."""
    for line in lines:
        display.display(f"{INDENT}{line.text}".rstrip(), color=COLOURS.get(line.action))
