# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line that says where a run is."""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.status_line import (
    LOG_EVERY,
    LogLine,
    TerminalLine,
    duration,
)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal of 30 columns: the reader's and the run's."""
    ends = os.openpty()
    fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    attributes = termios.tcgetattr(ends[1])
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(ends[1], termios.TCSANOW, attributes)
    yield ends
    for end in ends:
        os.close(end)


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.9, "0 s"), (59, "59 s"), (125, "2 min 5 s"), (3600, "1 h 0 min"), (7199, "1 h 59 min")]
)
def test_durations(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def _read(reader: int, expected: bytes) -> bool:
    """Whether a terminal shows this; it may take a moment."""
    found = b""
    while len(found) < len(expected):
        found += os.read(reader, 1000)
    return found == expected


def test_a_line_of_a_terminal_is_replaced_and_nothing_is_left_of_it(terminal: tuple[int, int]) -> None:
    reader, own = terminal
    clock = Clock()
    line = TerminalLine(own, clock)
    line.say("  [1/2] created A")
    clock.now += 5
    line.say("  [2/2] created B")
    with line.hidden():
        os.write(own, b"stays\n")
    line.close()
    line.say("too late")
    clear = b"\r\x1b[K"
    expected = [b"  [1/2] created A  0 s", b"  [2/2] created B  5 s", b"stays\n", b"  [2/2] created B  5 s", b""]
    # What stays is above it.
    assert _read(reader, clear + clear.join(expected))


def test_it_is_never_wider_than_the_terminal(terminal: tuple[int, int]) -> None:
    reader, own = terminal
    line = TerminalLine(own, Clock())
    line.say("a line that is long:\n    and another one")
    shown = os.read(reader, 1000).decode().removeprefix("\r\x1b[K")
    assert shown == "  a line that is long...  0 s"[: len(shown)] and len(shown) < 30
    line.close()


def test_a_terminal_that_is_gone_is_no_error(terminal: tuple[int, int]) -> None:
    line = TerminalLine(os.open(os.devnull, os.O_RDONLY), Clock())
    line.say("nobody reads it")
    line.close()


def test_a_log_gets_a_line_now_and_then() -> None:
    clock, lines = Clock(), []
    line = LogLine(lines.append, clock)
    for number in range(100):
        line.say(f"  [{number}/100] created A")
        clock.now += 1
    with line.hidden():
        lines.append("stays")
    line.close()
    every = int(LOG_EVERY)
    assert lines == [
        *(f"  [{each}/100] created A  ({duration(each)})" for each in (every, 2 * every, 3 * every)),
        "stays",
    ]
