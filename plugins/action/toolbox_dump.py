# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the module of this name what the hosts have collected, and shows its progress."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import toolbox_dump
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule

# The variable in which the playbook keeps what node_dump has returned for a host.
_RESULT = "kops_dumped"


class ActionModule(PlanActionModule):
    """kubeops.kops.toolbox_dump"""

    module = toolbox_dump

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """Nothing: there is no plan, and the playbook shows the summary."""
        return []

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        if not arguments.get("hosts"):
            hosts = task_vars["hostvars"]
            found = {str(name): hosts[name] for name in hosts}
            collected = {name: _collected(variables) for name, variables in found.items() if _RESULT in variables}
            # Not those that were left out as the user wanted.
            arguments["hosts"] = {name: host for name, host in collected.items() if host}
        return super().run_module(arguments, task_vars)


def _collected(variables: dict[str, Any]) -> dict[str, Any]:
    """What became of a host; nothing if it was not to be asked."""
    result, observed = variables[_RESULT], variables.get("kops_observed") or {}
    if result.get("skipped") and observed.get("unreachable"):
        result = observed
    elif result.get("skipped"):
        return {}
    failed = result.get("failed") or result.get("unreachable")
    why = " ".join(str(result.get("msg") or "it cannot be reached").split()) if failed else ""
    return {
        "archive": result.get("file") or "",
        "why": why,
        "asked_api": bool(result.get("asked_api")),
        "instance_group": observed.get("instanceGroup") or variables.get("kops_instance_group") or "",
    }
