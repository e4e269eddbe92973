# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the page of what the module of this name has read, on the controller, and shows its progress."""

from __future__ import annotations

import datetime
import os
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import cluster_report
from ansible_collections.kubeops.kops.plugins.plugin_utils import page
from ansible_collections.kubeops.kops.plugins.plugin_utils.hosts import HostsActionModule
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule
from ansible_collections.kubeops.kops.plugins.plugin_utils.shown import Passing


class ActionModule(HostsActionModule, PlanActionModule):
    """kubeops.kops.cluster_report"""

    module = cluster_report

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """Nothing: there is no plan, and the playbook shows the problems."""
        return []

    def progress_line(self, line: str) -> str:
        """What is being read matters only until the next line."""
        return Passing(line)

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result, once the page is written."""
        result = super().run_module(arguments, task_vars)
        if result.get("failed"):
            return result
        path, report = result["path"], result["report"]
        if os.path.isdir(path):
            path = os.path.join(path, f"{report['cluster']['name']}.html")
        now = datetime.datetime.now(datetime.timezone.utc)
        try:
            changed = page.place(path, report, now, check=bool(self._task.check_mode))
        except KopsError as error:
            return {**result, "failed": True, "msg": str(error)}
        return {**result, "path": os.path.abspath(path), "changed": changed}
