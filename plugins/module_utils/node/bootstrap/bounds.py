# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds for what callers can ask of a server: rates, and how much is written about them."""

from __future__ import annotations

import sys
import threading
import time
from collections import OrderedDict
from typing import Callable

_MOST_CALLERS = 4096


class Rate:
    """So many events a second on average, and a burst of them at once. Threads may share it. clock: for tests."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second, self.burst, self.clock = per_second, burst, clock
        self._left, self._seen = burst, clock()
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Whether one more is within the bounds. It counts only then."""
        with self._lock:
            now = self.clock()
            self._left = min(self.burst, self._left + (now - self._seen) * self.per_second)
            self._seen = now
            if self._left < 1:
                return False
            self._left -= 1
            return True


class Rates:
    """A rate for each caller. Those that were not seen for longest are forgotten when there are too many."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._bounds = (per_second, burst, clock)
        self._rates: OrderedDict[str, Rate] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, caller: str) -> bool:
        """Whether one more of this caller is within the bounds."""
        with self._lock:
            rate = self._rates.pop(caller, None) or Rate(*self._bounds)
            self._rates[caller] = rate
            if len(self._rates) > _MOST_CALLERS:
                self._rates.popitem(last=False)
        return rate.take()


class Slots:
    """At most so many of one caller at once."""

    def __init__(self, of_one: int) -> None:
        self.of_one = of_one
        self._held: dict[str, int] = {}
        self._lock = threading.Lock()

    def take(self, caller: str) -> bool:
        """Whether there is room for one more; give() returns it."""
        with self._lock:
            held = self._held.get(caller, 0)
            if held >= self.of_one:
                return False
            self._held[caller] = held + 1
            return True

    def give(self, caller: str) -> None:
        """Return a slot."""
        with self._lock:
            self._held[caller] -= 1
            if not self._held[caller]:
                del self._held[caller]


class Journal:
    """Lines of a log. Of more than its rate, only the number is written. stream: standard error, for systemd."""

    def __init__(self, write: Callable[[str], object] = sys.stderr.write, rate: Rate | None = None) -> None:
        self._write, self._rate = write, rate or Rate(20, 200)
        self._skipped = 0
        self._lock = threading.Lock()

    def say(self, text: str) -> None:
        """Write a line; characters that could be mistaken for the end of it, or steer a terminal, are escaped."""
        line = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text[:500])
        with self._lock:
            if not self._rate.take():
                self._skipped += 1
                return
            if self._skipped:
                self._write(f"{self._skipped} lines like these were left out\n")
                self._skipped = 0
            self._write(line + "\n")
