# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions: what the API has begun and not yet ended. All that wait for some share one reading of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ...engine.task import AnswerLost
from .errors import failed

_SUCCESS, _ERROR = _ENDS = ("success", "error")
# In seconds: for how long a reading is good enough, the pauses between two looks, and when they end.
MOMENT, FIRST_PAUSE, LONGEST_PAUSE, PATIENCE = 0.5, 0.1, 2.0, 300.0
# A page has so many.
_PAGE = 50


def running_in(answer: Mapping[str, Any]) -> list[int]:
    """The ids of actions that an answer names, and that have not ended well."""
    named = [answer.get("action"), *(answer.get("actions") or ()), *(answer.get("next_actions") or ())]
    return [int(each["id"]) for each in named if each and each["status"] != _SUCCESS]


class Actions:
    """The actions of one run. read: gives the actions of these ids as they are now. Safe for threads."""

    def __init__(self, read: Callable[[Sequence[int]], list[dict[str, Any]]]) -> None:
        self._read, self._lock = read, threading.Lock()
        self._read_at = -MOMENT
        self._awaited: set[int] = set()
        self._ended: dict[int, Mapping[str, Any]] = {}

    def are_over(self, identifiers: Collection[int], doing: str) -> bool:
        """Whether all of them have ended well, as of a moment ago. Raises KopsError for one that has failed."""
        found = self._latest(set(identifiers))
        for each in found:
            if each["status"] == _ERROR:
                raise failed(each, doing)
        return len(found) == len(set(identifiers))

    def finish(self, identifiers: Collection[int], doing: str) -> None:
        """Wait until they have ended. Raises KopsError for one that has failed, AnswerLost if it takes too long."""
        end, pause = time.monotonic() + PATIENCE, FIRST_PAUSE
        while not self.are_over(identifiers, doing):
            if time.monotonic() > end:
                raise AnswerLost(f"{doing}: Hetzner Cloud is still at it")
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _latest(self, wanted: set[int]) -> list[Mapping[str, Any]]:
        """Those that have ended."""
        with self._lock:
            self._awaited |= wanted - self._ended.keys()
            if self._awaited & wanted and time.monotonic() - self._read_at > MOMENT:
                for first in range(0, len(self._awaited), _PAGE):
                    asked = sorted(self._awaited)[first : first + _PAGE]
                    found = {int(each["id"]): each for each in self._read(asked)}
                    # What has been over for long is forgotten by the API.
                    states = {each: found.get(each, {"status": _SUCCESS}) for each in asked}
                    self._ended.update({key: each for key, each in states.items() if each["status"] in _ENDS})
                self._read_at = time.monotonic()
                self._awaited -= self._ended.keys()
            return [self._ended[each] for each in sorted(wanted & self._ended.keys())]
