# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins whose modules run in the controller's own process, where that is where they run anyway.

Ansible packs a module with everything that it imports, and starts a Python for it. With hundreds of files
this takes longer than most modules do. A task on the controller with the controller's Python needs none of it: Ansible
gives each task a process of its own anyway, and loads action plugins, with all that they import, before that.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType
from typing import Any

from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.common.text.converters import jsonify
from ansible.plugins.action import ActionBase
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, given, result_of

LOCAL_TRANSPORTS = ("local", "ansible.builtin.local")
_INTERPRETER = "ansible_python_interpreter"


class LocalActionModule(ActionBase):
    """Runs a module: here if it would run on the controller with this Python, elsewhere as Ansible does.

    module: the module, with its ARGUMENTS, run() and, where there are such, RULES.
    """

    TRANSFERS_FILES = False
    module: ModuleType

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        result.update(self.run_module(dict(self._task.args), task_vars or {}))
        return result

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        if not self.is_here(task_vars):
            executed: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
            return executed
        environment: dict[str, str] = {}
        self._compute_environment_string(environment)
        os.environ.update({name: str(value) for name, value in environment.items()})
        return run_here(self.module, arguments, check=bool(self._task.check_mode))

    def is_here(self, task_vars: dict[str, Any]) -> bool:
        """Whether the module would run with this Python, on this machine, as this user."""
        if self._connection.transport not in LOCAL_TRANSPORTS or self._task.async_val or self._task.delegate_to:
            return False
        if self._play_context.become:
            return False
        return bool(self._templar.template(task_vars.get(_INTERPRETER, "")) == sys.executable)


def run_here(module: ModuleType, arguments: dict[str, Any], *, check: bool) -> dict[str, Any]:
    """The result of a module of this collection, as Ansible would have it from a process of its own."""
    rules: dict[str, Any] = getattr(module, "RULES", {})
    checked = ModuleArgumentSpecValidator(module.ARGUMENTS, **rules).validate(given(module.ARGUMENTS, arguments))
    if checked.error_messages:
        return {"failed": True, "msg": "; ".join(checked.error_messages)}
    call = Call(module.ARGUMENTS, checked.validated_parameters, check=check)
    hidden = remove_values(result_of(call, module.run), checked._no_log_values)
    # Plain values only, as from another process: variables of Ansible hold nothing else.
    plain: dict[str, Any] = json.loads(jsonify(hidden))
    return plain
