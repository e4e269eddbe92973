# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the plan, or the progress, of the module of this name."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import NOTHING
from ansible_collections.kubeops.kops.plugins.modules import delete_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule


class ActionModule(PlanActionModule):
    """kubeops.kops.delete_cluster"""

    module = delete_cluster

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """What would be deleted, or the counts once it is; and why that is nothing."""
        return super().lines(result, check) if result["plan"] else [Line(NOTHING)]
