# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the plan, or the progress, of the module of this name."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.outcome import to_be_replaced
from ansible_collections.kubeops.kops.plugins.modules import update_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule


class ActionModule(PlanActionModule):
    """kubeops.kops.update_cluster"""

    module = update_cluster
    # The playbook, at its end.
    tells_next = False

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """The plan, or its counts once it is done; for a Terraform directory, its files."""
        lines = self._planned(result, check)
        if not check or "out" in result:
            # What only has its effect later; in a plan, the entries say it.
            told = [line.text for line in lines]
            lines += [Line(each) for each in result["report"][1:] if each not in told]
        return [*lines, *map(Line, to_be_replaced(result["to_replace"]))]

    def _planned(self, result: dict[str, Any], check: bool) -> list[Line]:
        if result["changed"] and "out" not in result and not any(each["action"] != "keep" for each in result["plan"]):
            # The head of the plan would say that there is nothing to do.
            return [Line(each) for each in result["report"]]
        if "out" not in result:
            return super().lines(result, check)
        lines = super().lines(result, check) if result["plan"] else []
        if check or not result["changed"]:
            count, where = len(result["files"]), result["out"]
            lines.append(Line(f"Files that would change in {where}: {count}" if count else f"Nothing to do in {where}"))
        return lines
