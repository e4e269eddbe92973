# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the plan, or the progress, of the module of this name."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import repair
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule

_DONE = ("replaced", "deleted", "made")


class ActionModule(PlanActionModule):
    """kubeops.kops.repair"""

    module = repair

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """The plan; once it is carried out, the lines before have told of it, and the counts are left."""
        if not result["text"]:
            return [Line("No node has failed")]
        told = [each["result"] for each in (*result["report"], *result["nodes"])]
        told += [each["result"] for each in result["missing"] for _instance in range(each["instances"])]
        if check or not told:
            return [Line(line) for line in result["text"]]
        return [Line(f"{sum(each in _DONE for each in told)} of {len(told)} repaired")]
