# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as they were a moment ago: whoever waits for one of a kind shares the reading of all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

KindT = TypeVar("KindT", bound=Hashable)
_MOMENT = 0.8


@dataclass(frozen=True)
class _Reading:
    """What was read of a kind, by id. began, ended: when."""

    began: float = 0.0
    ended: float = -_MOMENT
    found: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class Latest:
    """The last readings, by kind. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readings: dict[Hashable, _Reading] = {}

    def of(
        self,
        kind: KindT,
        identifier: str,
        read: Callable[[KindT], Mapping[str, Mapping[str, Any]]],
        since: float | None = None,
    ) -> Mapping[str, Any] | None:
        """An object; None if it was not there. read: all of a kind now, by their ids.

        since: a moment of time.monotonic(); what was there before says nothing. Without it, what is not in a reading is
        looked for once more, as it may have been made since.
        """
        with self._lock:
            reading = self._readings.get(kind, _Reading())
            is_missed = identifier not in reading.found if since is None else reading.began < since
            if is_missed or time.monotonic() - reading.ended > _MOMENT:
                began, found = time.monotonic(), read(kind)
                reading = self._readings[kind] = _Reading(began, time.monotonic(), found)
        return reading.found.get(identifier)
