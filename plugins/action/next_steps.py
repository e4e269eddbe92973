# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what comes next."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.modules import next_steps
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import LocalActionModule, run_here
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import show_next


class ActionModule(LocalActionModule):
    """kubeops.kops.next_steps"""

    module = next_steps

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result; nothing of it needs the host."""
        result = run_here(next_steps, arguments, check=True)
        show_next(result)
        return result
