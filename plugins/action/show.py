# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows text in the terminal as it is."""

from __future__ import annotations

from typing import Any

from ansible.utils.display import Display
from ansible_collections.kubeops.kops.plugins.modules import show
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import LocalActionModule, run_here

display = Display()


class ActionModule(LocalActionModule):
    """kubeops.kops.show"""

    module = show

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result; nothing of it needs the host."""
        if isinstance(arguments.get("text"), str):
            # Ansible splits a text that is given for a list at its commas.
            arguments = {**arguments, "text": [arguments["text"]]}
        stats = arguments.get("stats") or {}
        result = run_here(show, {**arguments, "stats": {}, "error": ""}, check=bool(self._task.check_mode))
        for line in result.get("lines", ()):
            display.display(line)
        if stats and "lines" in result:
            # What Ansible's own set_stats returns.
            result["ansible_stats"] = {"data": stats, "per_host": False, "aggregate": False}
        if arguments.get("error") and "lines" in result:
            result.update(failed=True, msg=arguments["error"])
        return result
