# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the module of this name what the variables of the hosts say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """kubeops.kops.node_configs"""

    TRANSFERS_FILES = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        if not arguments.get("hosts"):
            variables = (task_vars or {})["hostvars"]
            asked = [str(name) for name in variables if "kops_observed" in variables[name]]
            arguments["hosts"] = {name: _known(name, variables[name]) for name in asked}
        result.update(self._execute_module(module_args=arguments, task_vars=task_vars))
        return result


def _known(name: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """What the variables of a host say. An inventory often has the address for a name."""
    address = variables.get("kops_address") or variables.get("ansible_host") or name
    return {
        "groups": list(variables.get("group_names", ())),
        "instance_group": variables.get("kops_instance_group") or "",
        "address": address,
        "observed": variables.get("kops_observed") or {},
    }
