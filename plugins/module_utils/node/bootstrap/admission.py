# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a server asks of others, of its cloud and of the callers themselves, before it knows who calls."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from .bounds import Rate
from .verdicts import Busy


class Admission:
    """See node/cloud/identity.py. Threads share it.

    rate: of requests for which the cloud is asked. places: callers that are asked at once, each for so many seconds.
    """

    def __init__(self, rate: Rate, places: int, seconds: float) -> None:
        self._rate, self._places, self._seconds = rate, threading.BoundedSemaphore(places), seconds

    def ask_cloud(self) -> None:
        """Raises Busy."""
        if not self._rate.take():
            raise Busy("too many requests of all addresses together")

    @contextlib.contextmanager
    def ask_caller(self) -> Iterator[float]:
        """Raises Busy; nobody waits for a place, as that would take a place of the server's."""
        if not self._places.acquire(blocking=False):
            raise Busy("too many callers are being asked who they are")
        try:
            yield self._seconds
        finally:
            self._places.release()
