# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the module of this name what plays have found out of the hosts."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.modules import drift_info
from ansible_collections.kubeops.kops.plugins.plugin_utils.compared import compared
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import LocalActionModule


class ActionModule(LocalActionModule):
    """kubeops.kops.drift_info"""

    module = drift_info

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        if arguments.get("hosts") is None and not arguments.get("hosts_problem"):
            arguments.update(compared(task_vars["hostvars"]))
        return super().run_module(arguments, task_vars)
