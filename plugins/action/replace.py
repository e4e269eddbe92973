# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the plan, or the progress, of the module of this name."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.options import named
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import replace
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule


class ActionModule(PlanActionModule):
    """kubeops.kops.replace"""

    module = replace

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """The plan, or its counts, and what only the store has."""
        lines = super().lines(result, check)
        if result["unnamed"]:
            names = ", ".join(f"InstanceGroup/{name}" for name in result["unnamed"])
            remedy = f"to remove what is not in the manifests, set {named('prune')}"
            lines.append(Line(f"Only in the state store, and kept: {names}; {remedy}"))
        return lines
