# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the clock of the machine with the controller's, which only the controller can."""

from __future__ import annotations

import time
from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """kubeops.kops.node_info"""

    TRANSFERS_FILES = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        asked = time.time()
        result.update(self._execute_module(module_args=self._task.args, task_vars=task_vars))
        ready = result.get("ready")
        if ready:
            ready["clockSkew"] = _outside(ready["time"], asked, time.time())
        return result


def _outside(moment: float, begin: float, end: float) -> float:
    """By how much a moment, which was in between, is after the end; less than 0 if it is before the begin."""
    return max(moment - end, 0.0) or min(moment - begin, 0.0)
