# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as they were a moment ago: whoever waits for one of a kind shares the reading of all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

KindT = TypeVar("KindT", bound=Hashable)
_MOMENT = 0.8


class Latest:
    """The last readings, by kind. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: dict[Hashable, tuple[float, Mapping[str, Mapping[str, Any]]]] = {}

    def of(
        self, kind: KindT, identifier: str, read: Callable[[KindT], Mapping[str, Mapping[str, Any]]]
    ) -> Mapping[str, Any] | None:
        """An object; None if it was not there. read: all of a kind now, by their ids."""
        with self._lock:
            read_at, found = self._read.get(kind, (-_MOMENT, {}))
            # What is not in it may have been made since.
            if identifier not in found or time.monotonic() - read_at > _MOMENT:
                read_at, found = time.monotonic(), read(kind)
                self._read[kind] = read_at, found
        return found.get(identifier)
