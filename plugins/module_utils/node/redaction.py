# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes secrets from messages and logs."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "(hidden)"
# Shorter parts are common words. A secret that is a single word may be shorter.
_SHORTEST, _SHORTEST_WHOLE = 12, 4
# Parts of files with secrets that are not secret: YAML keys, PEM headers, URLs without a password.
_HARMLESS = re.compile(r".*:|-+.*|.*-----|[a-z]+://[^@]*")


class Redactor:
    """Replaces all parts of secrets that are long enough to be recognizable."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        wholes = [secret.decode(errors="ignore").strip() for secret in secrets]
        pieces = {piece.strip("\"',") for whole in wholes for piece in whole.split()}
        hidden = {piece for piece in pieces if len(piece) >= _SHORTEST and not _HARMLESS.fullmatch(piece)}
        hidden |= {whole for whole in wholes if len(whole) >= _SHORTEST_WHOLE}
        longest_first = sorted(hidden, key=lambda piece: (-len(piece), piece))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if hidden else None

    def redact(self, text: str) -> str:
        """The text without secrets."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text
