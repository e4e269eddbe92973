# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds for what callers can ask of a server: rates, and how much is written about them."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Callable, Optional

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


@dataclass(eq=False)
class Place:
    """One connection. since: when the caller's turn began, to send its request or take its answer; None: it is ours."""

    caller: str
    connection: socket.socket
    since: Optional[float]
    dropped: bool = False


class Room:
    """So many connections at once. When all places are taken, a newcomer gets that of the slowest caller.

    The slowest is the oldest of those whose turn it is, of the address that has most places: a quick caller keeps its
    place also where a load balancer gives all of them one address. Nobody loses a place within patience seconds.
    """

    def __init__(self, size: int, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._size, self._patience, self._clock = size, patience, clock
        self._places: list[Place] = []
        self._changed = threading.Condition()

    def take(self, caller: str, connection: socket.socket, seconds: float) -> Optional[Place]:
        """A place; None if there is none within this time."""
        with self._changed:
            end = self._clock() + seconds
            while len(self._places) >= self._size:
                now = self._clock()
                if now >= end:
                    return None
                self._changed.wait(min(end - now, self._drop(now)))
            place = Place(caller, connection, self._clock())
            self._places.append(place)
            return place

    def _drop(self, now: float) -> float:
        """Drop the slowest. Seconds until it is worth to look again."""
        waited_for = [place for place in self._places if place.since is not None]
        if not waited_for or any(place.dropped for place in self._places):
            return self._patience
        held = Counter(place.caller for place in self._places)
        oldest = min(waited_for, key=lambda place: (-held[place.caller], place.since))
        left = (oldest.since or now) + self._patience - now
        if left > 0:
            return left
        oldest.dropped = True
        with contextlib.suppress(OSError):
            # Not that of a TLS connection, which its own thread is using. It wakes that thread up.
            socket.socket.shutdown(oldest.connection, socket.SHUT_RDWR)
        return self._patience

    def begin(self, place: Place) -> None:
        """Now we work; a connection that has kept us waiting until now is safe."""
        self._turn(place, None)

    def await_caller(self, place: Place) -> None:
        """Now it is the caller's turn."""
        self._turn(place, self._clock())

    def _turn(self, place: Place, since: Optional[float]) -> None:
        with self._changed:
            place.since = since
            self._changed.notify_all()

    def give(self, place: Place) -> None:
        """Return a place. Its connection may be closed after this."""
        with self._changed:
            self._places.remove(place)
            self._changed.notify_all()


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
