# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins of modules that run on the controller and read or write large files of the privileged user on a host.

Ansible's fetch and copy put such files into files of the connecting user, or into memory as a whole. Here a file goes
through the standard input and output of privileged processes, in pieces. On the controller it is in a file without a
name, which is gone with the process that has it open.
"""

from __future__ import annotations

import base64
import contextlib
import shlex
from collections.abc import Iterator
from typing import IO, Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.files import temporary_file

from .local import LocalActionModule, run_here
from .pipelined import explain, use_pipelining

_BLOCK = 1 << 20
_BLOCKS = 16


class HostFilesActionModule(LocalActionModule):
    """Runs a module always in the controller's process; its files are on the task's host."""

    def run_module(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """The module's result."""
        self.set_environment()
        return run_here(self.module, arguments, check=bool(self._task.check_mode), files=self)

    @contextlib.contextmanager
    def reading(self, path: str) -> Iterator[IO[bytes]]:
        """See Files. Also raises AnsibleActionFail if pipelining is impossible."""
        use_pipelining(self._connection, self._task.action)
        with temporary_file() as stream:
            skip = 0
            while stream.tell() == skip * _BLOCK:
                command = f"{{ dd bs={_BLOCK} skip={skip} count={_BLOCKS} | base64; }} <{shlex.quote(path)}"
                # With an input there is no terminal.
                stream.write(base64.b64decode(self._run(command, b"\n", f"{path} cannot be read")))
                skip += _BLOCKS
            stream.seek(0)
            yield stream

    @contextlib.contextmanager
    def writing(self, path: str) -> Iterator[IO[bytes]]:
        """See Files. Also raises AnsibleActionFail if pipelining is impossible. The file is replaced piece by piece."""
        use_pipelining(self._connection, self._task.action)
        with temporary_file() as stream:
            yield stream
            stream.seek(0)
            skip = 0
            while piece := stream.read(_BLOCK * _BLOCKS):
                quoted = shlex.quote(path)
                new = "" if skip else f"rm -f {quoted} && "
                # It cuts the file off at the piece's place, so that a piece can be sent again.
                command = f"umask 077 && {new}dd bs={_BLOCK} seek={skip} of={quoted}"
                self._run(command, piece, f"{path} cannot be written")
                skip += _BLOCKS

    def _run(self, command: str, given: bytes, failure: str) -> str:
        """The output of a command on the host, which is shown nowhere. Raises KopsError with failure and its reason."""
        # The connection's is not the action's. With -vvv, the one for SSH shows what a command has written otherwise.
        context = self._connection._play_context
        shown, context.no_log = context.no_log, True
        try:
            done = self._low_level_execute_command(command, in_data=given)
        finally:
            context.no_log = shown
        if done["rc"]:
            said = done["stderr"].strip()
            explain(said, self._get_remote_user())
            raise KopsError(f"{failure}: {said.splitlines()[-1] if said else 'without a message'}")
        output: str = done["stdout"]
        return output
