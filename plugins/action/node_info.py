# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What only the controller knows of a machine: whether its clock agrees, and why the module could not run there.

It runs by pipelining, as node_converge does, so that a host where that is impossible is found before any change.
"""

from __future__ import annotations

import time
from typing import Any

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure, AnsibleError
from ansible_collections.kubeops.kops.plugins.plugin_utils.pipelined import PipelinedActionModule

# What of a module's output Ansible returns if it is no result: the module has not been run.
_OUTPUTS = ("module_stderr", "module_stdout")


class ActionModule(PipelinedActionModule):
    """kubeops.kops.node_info"""

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result. Raises AnsibleActionFail."""
        asked = time.time()
        result = self._asked(arguments, task_vars)
        ready = result.get("ready")
        if ready:
            ready["clockSkew"] = _outside(ready["time"], asked, time.time())
        return result

    def _asked(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result. If the machine refuses to run it as root, the result says so."""
        try:
            result = super().run_module(arguments, task_vars)
        except (AnsibleActionFail, AnsibleConnectionFailure):
            raise
        except AnsibleError as error:
            return {"failed": True, "msg": self._refused(str(error))}
        said = next((result[name] for name in _OUTPUTS if str(result.get(name, "")).strip()), "")
        if result.get("failed") and said:
            result["msg"] = self._refused(said)
        return result

    def _refused(self, said: str) -> str:
        """A sentence about what the shell, the become plugin or Python said last."""
        become = self._connection.become
        how = f"as {become.get_option('become_user')} with {become.name.rpartition('.')[2]}" if become else "there"
        return f"Python cannot be run {how}: {said.strip().splitlines()[-1].strip()}"


def _outside(moment: float, begin: float, end: float) -> float:
    """By how much a moment, which was in between, is after the end; less than 0 if it is before the begin."""
    return max(moment - end, 0.0) or min(moment - begin, 0.0)
