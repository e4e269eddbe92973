# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations in separate processes, which can be killed. They are forked from one that has imported everything."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)

from .known_keys import take_keys_from_pool

take_keys_from_pool()
_FORKS = multiprocessing.get_context("forkserver")
_WARM = (f"{__package__}.{name}" for name in ("warm_sdk", "warm_collection"))
_FORKS.set_forkserver_preload([__name__, *_WARM, "cryptography.x509"])

# Each takes a module's arguments and says whether it changed anything.
Operation = Callable[[dict[str, Any]], bool]
OPERATIONS: dict[str, Operation] = {
    "create": lambda arguments: bool(create_cluster(arguments, check_mode=False).changed),
    "update": lambda arguments: update_cluster(UpdateOptions(**arguments)).changed,
    "delete": lambda arguments: delete_cluster(DeleteOptions(**arguments)).changed,
}


class Killed(Exception):
    """The process was killed before its operation was done."""


class Killable:
    """An operation in a separate process, which waits for go(). operation: its name, or a function like those above."""

    def __init__(self, operation: str | Operation, arguments: Mapping[str, Any]) -> None:
        self._ours, theirs = _FORKS.Pipe()
        given = (operation, dict(arguments), dict(os.environ), theirs)
        self._process = _FORKS.Process(target=_work, args=given, daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def go(self) -> None:
        self._ours.send(None)

    def changed(self) -> bool:
        """What the operation says when it is done. Raises Killed; AssertionError with the trace of its own error."""
        try:
            changed, trace = self._ours.recv()
        except EOFError:
            raise Killed from None
        finally:
            self._process.join(timeout=60)
            self._ours.close()
        assert not trace, trace
        return bool(changed)

    def was_killed(self) -> bool:
        """Let it work; whether it was killed before it was done. Raises as changed() does."""
        self.go()
        try:
            self.changed()
        except Killed:
            return True
        return False


def _work(
    operation: str | Operation, arguments: dict[str, Any], environment: dict[str, str], connection: Connection
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    connection.recv()
    try:
        run = OPERATIONS[operation] if isinstance(operation, str) else operation
        connection.send((run(arguments), ""))
    except Exception:
        connection.send((False, traceback.format_exc()))
