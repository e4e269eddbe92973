# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins that pass what the inventory says of its hosts to their module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.addresses import parse_address

from .local import LocalActionModule


class HostsActionModule(LocalActionModule):
    """Gives the module the hosts that have facts of node_info, unless the task names hosts."""

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        if not arguments.get("hosts"):
            hostvars = task_vars["hostvars"]
            # Once for each task: every time Ansible puts those of a host together anew.
            known = {str(name): hostvars[name] for name in hostvars}
            arguments["hosts"] = {
                name: _known(name, variables) for name, variables in known.items() if "kops_observed" in variables
            }
        return super().run_module(arguments, task_vars)


def _known(name: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of a host from its variables. Many inventories use the address as the name."""
    given = str(variables.get("kops_address") or "")
    known = {
        "groups": list(variables.get("group_names", ())),
        "instance_group": variables.get("kops_instance_group") or "",
        "address": given or variables.get("ansible_host") or name,
        "observed": variables.get("kops_observed") or {},
    }
    # What connects Ansible may be a name; what the user says that others connect to may not.
    return {**known, "wrong_address": given} if given and parse_address(given) is None else known
