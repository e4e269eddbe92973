# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of vCenter, and waiting for their ends. All who wait share what is read of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...engine.task import AnswerLost

# Seconds between two readings, at first and at most; and so long a task is waited for.
_FIRST_PAUSE, _LONGEST_PAUSE, PATIENCE = 0.05, 2.0, 1800.0
# For so long, what was read is good enough.
_MOMENT = 0.05
SUCCESS, ERROR = "success", "error"
# Of a task. The whole of it names the operation, which the library need not know.
PROPERTIES = ("info.state", "info.error", "info.result")


@dataclass(frozen=True)
class Ended:
    """A task that is over. error: the fault that it has ended with; None for none."""

    result: Any = None
    error: Any = None


class Waiting:
    """Those that are waited for. Safe for threads.

    read: what vCenter says of tasks, by id; those that it has forgotten are missing. Raises KopsError.
    """

    def __init__(self, read: Callable[[Sequence[str]], Mapping[str, Mapping[str, Any]]]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._awaited: set[str] = set()
        self._ended: dict[str, Ended] = {}
        self._read_at = -_MOMENT

    def finish(self, identifier: str, doing: str, patience: float = PATIENCE) -> Ended:
        """Wait until a task is over. Raises AnswerLost if that cannot be said."""
        pause, end = _FIRST_PAUSE, time.monotonic() + patience
        while True:
            time.sleep(pause)
            ended = self._latest(identifier, doing)
            if ended is not None:
                return ended
            if time.monotonic() > end:
                raise AnswerLost(f"{doing}: vCenter is still at it")
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def _latest(self, identifier: str, doing: str) -> Ended | None:
        with self._lock:
            self._awaited.add(identifier)
            if identifier not in self._ended and time.monotonic() - self._read_at > _MOMENT:
                asked = sorted(self._awaited)
                found = self._read(asked)
                self._read_at = time.monotonic()
                for each in asked:
                    said = found.get(each)
                    if said is None:
                        self._ended[each] = Ended(error=AnswerLost(f"{doing}: vCenter has forgotten the task"))
                    elif said["info.state"] in (SUCCESS, ERROR):
                        self._ended[each] = Ended(said.get("info.result"), said.get("info.error"))
                self._awaited -= self._ended.keys()
            return self._ended.pop(identifier, None)
