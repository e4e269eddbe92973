# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the steps, and the progress, of the module of this name."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import rotate
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule


class ActionModule(PlanActionModule):
    """kubeops.kops.rotate"""

    module = rotate

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """All steps in check mode; those that were taken have been shown when they were."""
        if not result["steps"]:
            return [Line("All keys are as they should be")]
        return [Line(step) for step in result["steps"]] if check else [Line("The rotation is complete")]
