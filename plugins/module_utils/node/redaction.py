# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps secrets out of what people read: messages of commands, lines of logs."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "(hidden)"
# What is shorter is a word like others. A secret that is one word altogether may be shorter still.
_SHORTEST, _SHORTEST_WHOLE = 12, 4
# Of a file with a secret in it, what is none: keys of YAML, frames of PEM, addresses without a password.
_HARMLESS = re.compile(r".*:|-+.*|.*-----|[a-z]+://[^@]*")


class Redactor:
    """Replaces every piece of every secret that is long enough to mean anything."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        wholes = [secret.decode(errors="ignore").strip() for secret in secrets]
        pieces = {piece.strip("\"',") for whole in wholes for piece in whole.split()}
        hidden = {piece for piece in pieces if len(piece) >= _SHORTEST and not _HARMLESS.fullmatch(piece)}
        hidden |= {whole for whole in wholes if len(whole) >= _SHORTEST_WHOLE}
        longest_first = sorted(hidden, key=lambda piece: (-len(piece), piece))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if hidden else None

    def redact(self, text: str) -> str:
        """A text without the secrets."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text
