# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of an inventory that are directories here: Ansible runs our modules for them as on real ones.

Their Python is a script that lets the modules see the directory as the whole machine, with the commands of FakeHost.
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Mapping
from typing import Any
from unittest import mock

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.items import Download
from ansible_collections.kubeops.kops.plugins.module_utils.node import observe
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply import checks, downloads
from ansible_collections.kubeops.kops.plugins.module_utils.node.context import Context
from ansible_collections.kubeops.kops.plugins.module_utils.node.converge import Options, converge
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import fetch, machine, servers
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.local_machine import LocalMachine

_PYTHON = """#!{python}
import sys
sys.path.insert(0, {collections!r})
from ansible_collections.kubeops.kops.tests.support import local_machine
local_machine.be({root!r}, {address!r})
exec(compile(sys.stdin.read(), "<stdin>", "exec"), {{"__name__": "__main__"}})
"""
_SETTINGS = ("vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops")


class LocalHost:
    """A machine below a directory that is not there yet."""

    def __init__(self, root: pathlib.Path, address: str) -> None:
        LocalMachine.make(root)
        for path, text in {
            "proc/meminfo": "MemTotal: 8000000 kB\n",
            "sys/fs/cgroup/cgroup.controllers": "cpu\n",
            **{f"proc/sys/{name}": "0\n" for name in _SETTINGS},
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        self.root, self.address, self._host = root, address, LocalMachine(root, address)
        self._python = root.with_name(f"{root.name}.python")
        self._python.write_text(
            _PYTHON.format(
                python=sys.executable, collections=str(ROOT / ".venv" / "collections"), root=str(root), address=address
            )
        )
        self._python.chmod(0o755)

    def variables(self, **more: Any) -> dict[str, Any]:
        """Its variables in an inventory."""
        return {
            "ansible_connection": "local",
            "ansible_python_interpreter": str(self._python),
            "ansible_pipelining": True,
            "ansible_user": "root",
            "kops_address": self.address,
            **more,
        }

    def observed(self) -> dict[str, Any]:
        """What node_info says of it."""
        return observe.observe(machine.find_machine(str(self.root), self._host))

    def converge(self, planned: Mapping[str, Any]) -> None:
        """Make it a node; but what it downloads are empty files. planned: its entry of the plan of all hosts."""
        with (
            mock.patch.object(fetch, "fetch_all", _fetch),
            mock.patch.object(fetch, "missing_bytes", return_value=0),
            mock.patch.object(downloads, "_place", _place),
            mock.patch.object(checks, "wait"),
            mock.patch.object(servers, "await_tls"),
        ):
            converge(
                planned["config"],
                planned["secrets"],
                planned["facts"],
                Options(root=str(self.root), host=self._host),
            )

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Everything that is written down of it: path -> content, and time of the last change."""
        kept = [path for path in self.root.rglob("*") if path.is_file()]
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in [*kept, self._host.file]}


def _fetch(fetches: Any, directory: str, _retry: Any) -> dict[str, str]:
    """Files that are empty."""
    found = {each.sha256: os.path.join(directory, each.sha256) for each in fetches}
    for path in found.values():
        pathlib.Path(path).touch()
    return found


def _place(context: Context, download: Download, known: dict[str, Any] | None) -> None:
    files = {}
    for path in downloads._destinations(download, known):
        real = pathlib.Path(context.path(path))
        real.parent.mkdir(parents=True, exist_ok=True)
        real.touch(0o755)
        files[path] = {"sha256": download.sha256, "seen": downloads._seen(str(real))}
    context.next.downloads[download.name] = downloads._entry(download, files)
