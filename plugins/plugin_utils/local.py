# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins that run their module in Ansible's own process, if it would run on the controller anyway.

Ansible packs a module with everything that it imports, and starts a Python process for it. With hundreds of files this
takes longer than most modules run. On the controller this is not necessary: Ansible forks a process for each task, and
loads action plugins with all their imports before.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import sys
from types import ModuleType
from typing import Any

from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.common.text.converters import jsonify
from ansible.plugins.action import ActionBase
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, given, result_of
from ansible_collections.kubeops.kops.plugins.module_utils.base.files import Files

from .failures import for_readers, is_caught, is_refused, readable
from .parent import ends_with_parent

LOCAL_TRANSPORTS = ("local", "ansible.builtin.local")
_INTERPRETER = "ansible_python_interpreter"
# Variable of playbooks -> environment variable of modules, for which it stands.
_ENVIRONMENT = {"kops_feature_flags": "KOPS_FEATURE_FLAGS"}
# Objects that may be made before Python looks for garbage; its own number is 700. An update of a few groups makes about
# a million. With 300 groups this number takes no more memory than a tenth of it.
_OBJECTS_UNTIL_COLLECTION = 1_000_000


class LocalActionModule(ActionBase):
    """Runs a module: in this process if it would run on the controller with this Python, else as Ansible does.

    module: the module, with its ARGUMENTS, run() and optionally RULES.
    """

    TRANSFERS_FILES = False
    module: ModuleType

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        self._add_to_environment(task_vars or {})
        with ends_with_parent():
            returned = readable(self.run_module(dict(self._task.args), task_vars or {}))
        if is_refused(returned) and not is_caught(self._task):
            returned = for_readers(returned)
        result.update(returned)
        return result

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        if not self.is_here(task_vars):
            executed: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
            return executed
        self.set_environment()
        _collect_less_garbage()
        return run_here(self.module, arguments, check=bool(self._task.check_mode))

    def _add_to_environment(self, task_vars: dict[str, Any]) -> None:
        """Give the task what variables say in place of environment variables, wherever its module runs."""
        given = {variable: self._templar.template(task_vars.get(name, "")) for name, variable in _ENVIRONMENT.items()}
        added = {variable: str(value) for variable, value in given.items() if value}
        self._task.environment = [*(self._task.environment or []), added]

    def set_environment(self) -> None:
        """Give this process the task's environment."""
        environment: dict[str, str] = {}
        self._compute_environment_string(environment)
        os.environ.update({name: str(value) for name, value in environment.items()})

    def is_here(self, task_vars: dict[str, Any]) -> bool:
        """Whether the module would run with this Python, on this machine, as this user."""
        if self._connection.transport not in LOCAL_TRANSPORTS or self._task.async_val or self._task.delegate_to:
            return False
        if self._play_context.become:
            return False
        return bool(self._templar.template(task_vars.get(_INTERPRETER, "")) == sys.executable)


def _collect_less_garbage() -> None:
    """What Ansible has loaded stays as long as this process, and so does nearly all that an operation reads.

    Looking for garbage among it, again and again, takes a tenth of the CPU time of a run.
    """
    if multiprocessing.parent_process() is not None:
        gc.freeze()
        gc.set_threshold(_OBJECTS_UNTIL_COLLECTION)


def run_here(
    module: ModuleType, arguments: dict[str, Any], *, check: bool, files: Files | None = None
) -> dict[str, Any]:
    """Run a module of this collection. Returns the same result as Ansible's own way to run it.

    files: where the module's large files are; None for this machine.
    """
    rules: dict[str, Any] = getattr(module, "RULES", {})
    received = given(module.ARGUMENTS, {name: plain(value) for name, value in arguments.items()})
    checked = ModuleArgumentSpecValidator(module.ARGUMENTS, **rules).validate(received)
    if checked.error_messages:
        return {"failed": True, "msg": "; ".join(checked.error_messages)}
    call = Call(module.ARGUMENTS, checked.validated_parameters, check=check, files=files)
    hidden = remove_values(result_of(call, module.run), checked._no_log_values)
    # Plain values only, as a separate process would get: Ansible's variables contain values of its own types.
    returned: dict[str, Any] = json.loads(jsonify(hidden))
    return returned


def plain(value: Any) -> Any:
    """An argument without the types of texts that Ansible has, as a separate process would get it.

    Up to ansible-core 2.18 all that comes from a result is such a text, which LibYAML refuses to read.
    """
    if isinstance(value, dict):
        return {plain(name): plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    # Not str(value): Ansible's types stay what they are then.
    return str.__str__(value) if isinstance(value, str) else value
