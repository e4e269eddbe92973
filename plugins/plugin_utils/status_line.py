# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Status of a run: the last line of a terminal, written again and again, or now and then a line of a log."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

# A log gets a line of progress so often.
LOG_EVERY = 30.0
_TICK = 1.0
_CLEAR = "\r\x1b[K"


def duration(seconds: float) -> str:
    """Time that has passed: 7 s, 2 min 5 s, 1 h 3 min."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class StatusLine(ABC):
    """Where a run is. Several threads may use it, of the process that has made it."""

    @abstractmethod
    def say(self, text: str) -> None:
        """Show the status. text: one line or several."""

    @abstractmethod
    def hidden(self) -> AbstractContextManager[None]:
        """While the block writes lines that stay."""

    @abstractmethod
    def close(self) -> None:
        """The run has ended."""


class TerminalLine(StatusLine):
    """The last line of a terminal, with the time since the run began."""

    def __init__(self, descriptor: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._descriptor = descriptor
        self._clock = clock
        self._start = clock()
        self._text = ""
        self._drawn = False
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._ticker: threading.Thread | None = None

    def say(self, text: str) -> None:
        """Shown at once, and with the time that goes on."""
        with self._lock:
            self._text = "; ".join(filter(None, (each.strip() for each in text.splitlines())))
            self._draw()
            if self._ticker is None:
                self._ticker = threading.Thread(target=self._tick, name="status line", daemon=True)
                self._ticker.start()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """The line is not there while the block runs, and below its lines afterwards."""
        with self._lock:
            self._erase()
            try:
                yield
            finally:
                self._draw()

    def close(self) -> None:
        """Remove the status line."""
        self._closed.set()
        with self._lock:
            self._text = ""
            self._erase()

    def _tick(self) -> None:
        while not self._closed.wait(_TICK):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        if not self._text or self._closed.is_set():
            return
        passed = duration(self._clock() - self._start)
        room = self._columns() - len(passed) - 5
        text = self._text if len(self._text) <= room else f"{self._text[: max(room - 3, 0)]}..."
        self._write(f"{_CLEAR}  {text}  {passed}")
        self._drawn = True

    def _erase(self) -> None:
        if self._drawn:
            self._write(_CLEAR)
            self._drawn = False

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._descriptor).columns or 80
        except OSError:
            return 80

    def _write(self, text: str) -> None:
        # Not through Python's stream: tasks are forks, and one of them would wait for ever for the stream's lock.
        with contextlib.suppress(OSError):
            os.write(self._descriptor, text.encode("utf-8", "replace"))


class LogLine(StatusLine):
    """Lines of a pipe or a file: one now and then, so that a log shows that a run goes on, and where it is."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._start = clock()
        self._next = self._start + LOG_EVERY
        self._lock = threading.Lock()

    def say(self, text: str) -> None:
        """Written, unless a line was a short while ago."""
        with self._lock:
            now = self._clock()
            if now < self._next:
                return
            self._next = now + LOG_EVERY
        self._write(f"{text.rstrip()}  ({duration(now - self._start)})")

    def hidden(self) -> AbstractContextManager[None]:
        """Its lines stay where they are."""
        return contextlib.nullcontext()

    def close(self) -> None:
        """Do nothing: lines of a log stay."""
