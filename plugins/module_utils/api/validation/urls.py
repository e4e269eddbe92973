# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""URLs, as far as rules look into them."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def parse_url(text: str) -> SplitResult | None:
    """The parts of a URL; None when text cannot be one (control characters, a port that is no number, ...)."""
    if any(ord(character) < 0x20 or ord(character) == 0x7F for character in text):
        return None
    try:
        parts = urlsplit(text)
        int(parts.port or 0)  # raises ValueError for what is no port
    except ValueError:
        return None
    return None if " " in parts.netloc else parts
