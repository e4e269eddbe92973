# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what a cluster still lacks while it is waited for.

The module runs on another machine, from which nothing is seen until it ends. So it is run for a while at a time.
"""

from __future__ import annotations

import time
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.kubeops.kops.plugins.plugin_utils.parent import ends_with_parent
from ansible_collections.kubeops.kops.plugins.plugin_utils.shown import Passing
from ansible_collections.kubeops.kops.plugins.plugin_utils.validated import validated

# The longest time without news from a cluster that gets better.
ROUND_SECONDS = 15
_SHOWN = 5

display = Display()


class ActionModule(ActionBase):
    """kubeops.kops.validate_cluster"""

    TRANSFERS_FILES = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        with ends_with_parent():
            result.update(validated(self._validate(task_vars), self._task))
        return result

    def _validate(self, task_vars: dict[str, Any] | None) -> dict[str, Any]:
        """The module's last result."""
        arguments = {name: value for name, value in self._task.args.items() if value != ""}
        try:
            wait = float(arguments.get("wait") or 0)
            needed = float(arguments.get("interval") or 5) * int(arguments.get("count") or 1)
        except (TypeError, ValueError):
            # The module says what is wrong with it.
            wait = needed = 0
        start = time.monotonic()
        told: list[str] = []
        while True:
            left = wait - (time.monotonic() - start)
            if wait:
                arguments["wait"] = max(0, int(min(left, max(ROUND_SECONDS, 2 * needed))))
            found: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
            left = wait - (time.monotonic() - start)
            if not found.get("failures") or left <= 0:
                return found
            lines = [f"{each['kind']} {each['name']}: {each['message']}" for each in found["failures"]]
            if lines != told:
                told = lines
                self._show(lines, time.monotonic() - start)

    @staticmethod
    def _show(lines: list[str], seconds: float) -> None:
        more = [f"    and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
        head = f"  after {seconds:.0f} s the cluster is not as it should be:"
        display.display(Passing("\n".join([head, *(f"    {line}" for line in lines[:_SHOWN]), *more])))
