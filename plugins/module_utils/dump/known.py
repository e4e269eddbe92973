# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets whose values are known, found in any text: as they are, cut off, wrapped into lines, or encoded.

A long value in base64, such as a private key, is found by each piece of it of 24 characters or more, so that it does
not matter where lines or blocks begin. Whatever else looks like base64 is decoded, and searched again.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

HIDDEN = b"(hidden)"
# A shorter value is a common word: to remove it would remove everything.
SHORTEST = 4
# Shorter encodings of parts of a value would be found by chance.
_SHORTEST_ENCODED = 8
# Pieces that are compared, and at every which character of a text: so common pieces of 23 characters are found.
_WINDOW, _STRIDE = 16, 8
_TOKEN = re.compile(rb"[A-Za-z0-9+/_-]{24,}")
_PEM = re.compile(rb"-----BEGIN [^-]+-----(.*?)-----END [^-]+-----", re.DOTALL)
_PRIVATE = b"PRIVATE KEY-----"
# The alphabet of URLs as the usual one.
_USUAL = bytes.maketrans(b"-_", b"+/")
# Base64 in base64 in base64: a kubeconfig in a Secret in a user's manifest.
_DEEPEST = 3


@dataclass(frozen=True)
class Secret:
    """A value that may be nowhere. name: what it is, for the index; never a part of the value."""

    name: str
    value: bytes = field(repr=False)


class Known:
    """All known secrets. too_short: names of those that cannot be searched for."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self.count = 0
        self.too_short: list[str] = []
        self._windows: dict[bytes, str] = {}
        exact: dict[bytes, str] = {}
        for secret in secrets:
            self.count += 1
            pieces = list(_pieces(secret.value))
            if not pieces:
                self.too_short.append(secret.name)
            for piece in pieces:
                joined = piece.translate(_USUAL)
                if _TOKEN.fullmatch(piece.rstrip(b"=")):
                    starts = range(len(joined) - _WINDOW + 1)
                    self._windows.update((joined[start : start + _WINDOW], secret.name) for start in starts)
                # A key has hundreds of them, and its windows are enough.
                if len(piece) <= 4 * _WINDOW * _WINDOW and b"\n" not in piece and not _is_long_key(secret.value):
                    exact.update(dict.fromkeys(_forms(piece), secret.name))
        self._exact = sorted(exact.items(), key=lambda each: -len(each[0]))

    def hide(self, text: bytes, removed: Counter[str]) -> bytes:
        """The text without secrets, which are counted by their names."""
        for form, name in self._exact:
            if form in text:
                removed[name] += text.count(form)
                text = text.replace(form, HIDDEN)

        def one(match: re.Match[bytes]) -> bytes:
            name = self._of_token(match[0], 0)
            if not name:
                return match[0]
            removed[name] += 1
            return HIDDEN

        return _TOKEN.sub(one, text)

    def find(self, text: bytes) -> str:
        """The name of a secret that is in a text; "" if none is."""
        return self._within(text, 0)

    def _within(self, text: bytes, depth: int) -> str:
        for form, name in self._exact:
            if form in text:
                return name
        return next(filter(None, (self._of_token(match[0], depth) for match in _TOKEN.finditer(text))), "")

    def _of_token(self, token: bytes, depth: int) -> str:
        """The name of a secret that is a part of a token, or that it encodes."""
        # Names, paths, hashes: no long base64 is without capitals.
        if token.islower():
            return ""
        joined = token.translate(_USUAL)
        last = len(joined) - _WINDOW
        for start in (*range(0, last, _STRIDE), last):
            if name := self._windows.get(joined[start : start + _WINDOW]):
                return name
        if depth == _DEEPEST:
            return ""
        # Where the encoding began is not known if it was cut off before.
        for skipped in range(4):
            decoded = base64.b64decode(joined[skipped : skipped + (len(joined) - skipped) // 4 * 4])
            if _PRIVATE in decoded:
                return "private key in base64"
            if name := self._within(decoded, depth + 1):
                return name
        return ""


def _is_long_key(value: bytes) -> bool:
    return _PEM.search(value) is not None


def _pieces(value: bytes) -> Iterator[bytes]:
    """What is searched for: the content of PEM without its line ends, else each line; no common words."""
    for block in _PEM.findall(value):
        # Keys with a passphrase have headers.
        yield b"".join(line for line in block.split() if b":" not in line)
    for line in _PEM.sub(b"", value).splitlines():
        if len(line.strip()) >= SHORTEST:
            yield line.strip()


def _forms(value: bytes) -> Iterator[bytes]:
    """A value as it may be written."""
    yield value
    text = value.decode(errors="surrogateescape")
    yield json.dumps(text)[1:-1].encode(errors="surrogateescape")
    yield json.dumps(text, ensure_ascii=False)[1:-1].encode(errors="surrogateescape")
    yield quote(value, safe="").encode()
    yield quote(value).encode()
    if len(value) >= _SHORTEST_ENCODED:
        yield value.hex().encode()
        yield value.hex().upper().encode()
    yield base64.b64encode(value)
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + value)
        # Without the characters that also depend on what is before and after.
        whole = encoded[(before * 8 + 5) // 6 : (before + len(value)) * 8 // 6]
        if len(whole) >= _SHORTEST_ENCODED:
            yield whole
            yield whole.translate(bytes.maketrans(b"+/", b"-_"))
