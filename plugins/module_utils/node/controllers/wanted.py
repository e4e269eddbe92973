# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What update_cluster wants of the controllers: its file in the state store, read again from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...base.errors import KopsError
from ...exchange.controllers import LOCATION, Wanted
from ..system.waiting import say

_FRESH = 60.0


class WantedFile:
    """The file as it was read last. store: URL of the cluster's directory. read: gives a file, None without one."""

    def __init__(
        self, store: str, read: Callable[[str], bytes | None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url, self._read, self._clock = f"{store.rstrip('/')}/{LOCATION}", read, clock
        self._known: Wanted | None = None
        self._until, self._told = 0.0, ""

    def get(self) -> Wanted:
        """The content, at most a minute old while the store answers. Raises KopsError, OSError without any."""
        if self._known is None or self._clock() >= self._until:
            try:
                content = self._read(self._url)
                # A cluster of an older update has none: its nodes have the labels of their tags.
                self._known, self._told = Wanted() if content is None else Wanted.read(content), ""
            except (KopsError, OSError) as error:
                if self._known is None:
                    raise
                if str(error) != self._told:
                    say(f"what was read last stays in force: {error}")
                self._told = str(error)
            self._until = self._clock() + _FRESH
        return self._known
