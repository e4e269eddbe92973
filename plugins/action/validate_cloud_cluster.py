# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what a cluster still lacks while the module of this name waits for it."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import validate_cloud_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule
from ansible_collections.kubeops.kops.plugins.plugin_utils.shown import Passing
from ansible_collections.kubeops.kops.plugins.plugin_utils.validated import validated


class ActionModule(PlanActionModule):
    """kubeops.kops.validate_cloud_cluster"""

    module = validate_cloud_cluster

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        return validated(super().run_module(arguments, task_vars), self._task)

    def progress_line(self, line: str) -> str:
        """What is still missing: of no interest once something else is."""
        return Passing(line)

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """Nothing: there is no plan, and the playbook shows the tables."""
        return []
