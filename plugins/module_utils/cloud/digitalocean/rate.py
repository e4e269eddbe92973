# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean's limits: 5,000 requests an hour and 250 a minute. Whoever exceeds them waits."""

from __future__ import annotations

import email.utils
import threading
import time
from collections.abc import Callable, Mapping

RETRY_AFTER, RESET = "retry-after", "ratelimit-reset"
# Seconds, if an answer does not say it; the longest that is waited for at once; and the shortest.
_UNSAID, _LONGEST, _LEAST = 15.0, 3600.0, 0.5


class RateLimit:
    """When the next request may be sent, for all threads of a client.

    tell: is told once of each time that all wait. sleep: waits for so many seconds.
    """

    def __init__(self, tell: Callable[[str], None], sleep: Callable[[float], None] = time.sleep) -> None:
        self._tell, self._sleep = tell, sleep
        self._lock = threading.Lock()
        self._until = 0.0

    def wait(self) -> None:
        """Until a request may be sent."""
        while True:
            left = self._until - time.monotonic()
            if left <= 0:
                return
            self._sleep(left)

    def exceeded(self, headers: Mapping[str, str]) -> None:
        """Take note of an answer that refuses a request for its rate."""
        seconds = pause_of(headers)
        with self._lock:
            until = time.monotonic() + seconds
            is_new = self._until <= time.monotonic()
            self._until = max(self._until, until)
        if is_new:
            self._tell(f"waiting: DigitalOcean limits the rate of requests, and takes the next one in {seconds:.0f} s")


def pause_of(headers: Mapping[str, str]) -> float:
    """Seconds until it takes the next request: as it says them, else from its own time to that of the reset."""
    after = headers.get(RETRY_AFTER, "")
    if after.isdecimal():
        return min(max(float(after), _LEAST), _LONGEST)
    reset = headers.get(RESET, "")
    if not reset.isdecimal():
        return _UNSAID
    try:
        now = email.utils.parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (TypeError, ValueError):
        now = time.time()
    return min(max(float(reset) - now, _LEAST), _LONGEST)
