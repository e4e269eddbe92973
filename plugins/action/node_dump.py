# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of this name on the host, and fetches its archive through a process of root, in pieces."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.modules import node_dump
from ansible_collections.kubeops.kops.plugins.plugin_utils.host_files import HostFilesActionModule
from ansible_collections.kubeops.kops.plugins.plugin_utils.pipelined import use_pipelining


class ActionModule(HostFilesActionModule):
    """kubeops.kops.node_dump"""

    module = node_dump

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result, with the file on the controller."""
        use_pipelining(self._connection, self._task.action)
        result: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
        path = str(result.get("file") or "")
        if not path or result.get("failed"):
            return result
        destination = str(arguments["destination"])
        try:
            os.makedirs(os.path.dirname(destination) or ".", mode=0o700, exist_ok=True)
            descriptor = os.open(destination, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "wb") as target, self.reading(path) as source:
                shutil.copyfileobj(source, target, 1 << 20)
        except (OSError, KopsError) as error:
            return {**result, "failed": True, "msg": f"the archive cannot be fetched: {error}", "file": ""}
        finally:
            self._run(f"rm -rf {shlex.quote(os.path.dirname(path))}", b"\n", f"{path} cannot be removed")
        return {**result, "file": destination}

    def _is_pipelining_enabled(self, module_style: str, wrap_async: bool = False) -> bool:
        """Whatever is configured. Overrides Ansible's decision."""
        return True
