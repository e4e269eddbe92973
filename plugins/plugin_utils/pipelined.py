# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins whose module never lies in a file of the host, whatever the user's settings are.

By default, Ansible writes a module with its arguments to a file of the connecting user, runs it as the privileged user,
and removes the file afterwards. So that user could read what the module is given, and if the controller is killed, the
file stays. With pipelining, module and arguments are only sent to the standard input of the privileged process.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action import ActionBase
from ansible.plugins.connection import ConnectionBase

from .parent import ends_with_parent

_OPTION = "pipelining"


class PipelinedActionModule(ActionBase):
    """Runs the module of the same name by pipelining. Fails if that is impossible; it is never run in another way."""

    TRANSFERS_FILES = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        result.update(self.run_module(dict(self._task.args), task_vars or {}))
        return result

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result. Raises AnsibleActionFail."""
        use_pipelining(self._connection, self._task.action)
        try:
            with ends_with_parent():
                result: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
        except AnsibleError as error:
            explain(str(error), self._get_remote_user())
            raise
        if result.get("failed"):
            explain(str(result), self._get_remote_user())
        return result

    def _is_pipelining_enabled(self, module_style: str, wrap_async: bool = False) -> bool:
        """Whatever is configured, also if remote files should be kept. Overrides Ansible's decision."""
        return True


def use_pipelining(connection: ConnectionBase, action: str) -> None:
    """Make sure that a connection has pipelining, for the sake of an action. Raises AnsibleActionFail."""
    obstacle = _obstacle(connection)
    if obstacle:
        raise AnsibleActionFail(
            f"{action} needs pipelining, because what it is given must not be in a file of the host; {obstacle}"
        )
    # Connections that know the option make a terminal without it, which would not pass the input on.
    with contextlib.suppress(AnsibleError, KeyError):
        connection.set_option(_OPTION, True)


def explain(failure: str, user: str) -> None:
    """Raise AnsibleActionFail if sudo wants a terminal for a user."""
    if "must have a tty" in failure:
        raise AnsibleActionFail(
            "sudo runs nothing without a terminal on this host, and pipelining has none; "
            f"remove requiretty from its sudoers file, or add: Defaults:{user} !requiretty"
        )


def _obstacle(connection: ConnectionBase) -> str:
    """Why pipelining is impossible here, and what helps; "" if it is possible."""
    if not connection.has_pipelining:
        return f"the connection plugin {connection.transport} cannot do that, but ssh can"
    become = connection.become
    # Until ansible-core 2.18, plugins for become do not say it themselves, and only su has no pipelining.
    if become and not getattr(become, _OPTION, become.name.rpartition(".")[2] != "su"):
        return f"the become method {become.name} cannot do that, but sudo can"
    asks_for_terminal = getattr(connection, "_is_tty_requested", None)
    if asks_for_terminal and asks_for_terminal():
        return "the options of SSH ask for a terminal (-t or RequestTTY), which makes it impossible"
    return ""
