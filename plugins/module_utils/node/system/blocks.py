# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A block of our lines in a text file of another owner, between two comment lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """The block whose comment lines contain the word."""

    word: str

    @property
    def _begin(self) -> bytes:
        return f"# Begin of {self.word}, kept by kops\n".encode()

    @property
    def _end(self) -> bytes:
        return f"# End of {self.word}, kept by kops\n".encode()

    def put(self, text: bytes, content: bytes) -> bytes:
        """The text with the block: at its old place, or at the end."""
        if content and not content.endswith(b"\n"):
            content += b"\n"
        before, after = self._around(text)
        return before + self._begin + content + self._end + after

    def take(self, text: bytes, *, unended: bool = False) -> bytes:
        """The text without the block. unended: it had no newline at its end before the block came."""
        before, after = self._around(text)
        return before[:-1] if unended and not after and before.endswith(b"\n") else before + after

    def is_in(self, text: bytes) -> bool:
        """Whether the text has the block."""
        return self._begin in text

    def _around(self, text: bytes) -> tuple[bytes, bytes]:
        if text and not text.endswith(b"\n"):
            text += b"\n"
        before, begin, rest = text.partition(self._begin)
        if not begin:
            return text, b""
        _content, end, after = rest.partition(self._end)
        return before, after if end else b""
