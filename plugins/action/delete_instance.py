# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the plan, or the progress, of the module of this name."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import delete_instance
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule


class ActionModule(PlanActionModule):
    """kubeops.kops.delete_instance"""

    module = delete_instance

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """The plan; once it is carried out, the lines before have told of it, and the counts are left."""
        if check or not result["report"]:
            return [Line(line) for line in result["text"]]
        ended = sum(each["result"] in ("replaced", "deleted") for each in result["report"])
        return [Line(f"{ended} of {len(result['report'])} instances deleted")]
