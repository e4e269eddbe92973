# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Streams without secrets. Texts of any size go through in blocks of whole lines, so that no secret is cut in two."""

from __future__ import annotations

from collections import Counter
from typing import IO

from . import patterns
from .known import HIDDEN, Known

_BLOCK = 1 << 20
# A longer line is no text, and is left out.
LONGEST_LINE = 4 << 20
# A private key of 8192 bits has 100 lines; journals put up to 60 characters before each.
_LONGEST_KEY = 32 << 10


class Redaction:
    """Takes secrets out. known: values that are searched for besides what looks like a secret."""

    def __init__(self, known: Known | None = None) -> None:
        self.known = known or Known()

    def hide(self, text: bytes, removed: Counter[str]) -> bytes:
        """A text of whole lines without its secrets. What is known is counted by its name."""
        return patterns.hide(self.known.hide(text, removed), removed)

    def text(self, text: str) -> str:
        """A short text without its secrets, which are not counted."""
        return self.hide(text.encode(errors="replace"), Counter()).decode(errors="replace")

    def copy(self, source: IO[bytes], target: IO[bytes]) -> Counter[str]:
        """Copy from the place where source is, without secrets. Returns what was removed, and how often."""
        removed: Counter[str] = Counter()
        rest, first = b"", True
        while block := source.read(_BLOCK):
            rest += block
            whole = _end_of_lines(rest)
            if whole:
                text, rest = rest[:whole], rest[whole:]
                target.write(self.hide(_without_end_of_key(text, removed) if first else text, removed))
                first = False
            if len(rest) > LONGEST_LINE and b"\n" not in rest:
                rest = _skip_line(source)
                target.write(b"(a line of more than %d bytes is left out)\n" % LONGEST_LINE)
                removed["too long line"] += 1
        target.write(self.hide(_without_end_of_key(rest, removed) if first else rest, removed))
        return removed


def _end_of_lines(text: bytes) -> int:
    """Where a block may be cut: after its last line, or before a private key that has not ended, and not between the
    name of a secret variable and its value.
    """
    end = text.rfind(b"\n") + 1
    last = text.rfind(b"\n", 0, max(0, end - 1)) + 1
    if patterns.VARIABLE_AT_END.search(text[last:end]):
        end = last
    begins = [match.start() for match in patterns.BEGIN.finditer(text, max(0, end - _LONGEST_KEY), end)]
    if begins and not patterns.END.search(text, begins[-1], end):
        # At least the line before it, so that a whole block of it cannot grow for ever.
        return text.rfind(b"\n", 0, begins[-1]) + 1
    return end


def _without_end_of_key(text: bytes, removed: Counter[str]) -> bytes:
    """The begin of a text, which may be the second half of a log that was cut in the middle of a private key."""
    end = patterns.END.search(text)
    if end is None or patterns.BEGIN.search(text, 0, end.start()) or end.start() > _LONGEST_KEY:
        return text
    removed["private key"] += 1
    return HIDDEN + text[end.end() :]


def _skip_line(source: IO[bytes]) -> bytes:
    """Read on to the end of the line; what comes after it."""
    while block := source.read(_BLOCK):
        _line, end, after = block.partition(b"\n")
        if end:
            return after
    return b""
