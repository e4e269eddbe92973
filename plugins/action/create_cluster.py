# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the plan, or the progress, of the module of this name."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import create_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule


class ActionModule(PlanActionModule):
    """kubeops.kops.create_cluster"""

    module = create_cluster

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """The plan, also if it is left to update_cluster."""
        is_left = boolean(self._task.args.get("leave_to_update", False)) and result["can_be_applied"]
        return super().lines(result, check or is_left)
