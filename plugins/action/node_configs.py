# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the module of this name what the variables of the hosts say, and shows their problems, one on each line."""

from __future__ import annotations

from typing import Any

from ansible.utils.display import Display
from ansible_collections.kubeops.kops.plugins.modules import node_configs
from ansible_collections.kubeops.kops.plugins.plugin_utils.hosts import HostsActionModule

display = Display()


class ActionModule(HostsActionModule):
    """kubeops.kops.node_configs"""

    module = node_configs

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        result = super().run_module(arguments, task_vars)
        # The task hides its result, which has private keys, and a failed task could show a list only as one line.
        # What keeps a comparison away, drift_info says.
        # Nor does Ansible show the warnings of such a task.
        for warning in result.pop("warnings", None) or ():
            display.warning(warning)
        lines = str(result.get("problem", "")).splitlines()
        # The playbook fails with the first line, which is all there may be.
        if len(lines) > 1 and not arguments.get("compare"):
            for line in lines:
                display.display(f"  {line}")
        return result
