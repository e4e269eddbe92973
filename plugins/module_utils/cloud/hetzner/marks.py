# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels by which this collection knows more of a server than kops does: its number, its origin, its credentials.

A label's value has at most 63 letters, digits, hyphens, dots and underscores, the first and the last of them no sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..pools.made_from import parts_of

_DOMAIN = "kubeops.kops/"
# Of the group, from 1; and that it leaves its group, which has that size.
NUMBER, LEAVING = f"{_DOMAIN}number", f"{_DOMAIN}leaving"
# What it was made from: a label for each part (pools/made_from.py).
MADE_FROM = f"{_DOMAIN}made-from-"
# The state store of its cluster, in pieces: user data cannot be read back.
STORE = f"{_DOMAIN}store-"
# By which its nonce is known, and which credentials it has been given (pools/over_ssh.py).
BIRTH, CREDENTIALS, HOST_KEY = f"{_DOMAIN}birth", f"{_DOMAIN}credentials", f"{_DOMAIN}host-key"

_SIGN = re.compile(r"[^A-Za-z0-9.-]")
_ESCAPED = re.compile(r"_([0-9a-f]{2})")
# Each piece of a text is between two of these, so that it begins and ends as it must.
_BORDER, _PIECE = "x", 61


def number_of(labels: Mapping[str, str]) -> int | None:
    """The number that a server says it has; None if it says none."""
    number = labels.get(NUMBER, "")
    return int(number) if number.isdecimal() and int(number) > 0 else None


def of_store(url: str) -> dict[str, str]:
    """The labels that name a state store; none for none."""
    text = _SIGN.sub(lambda sign: "".join(f"_{byte:02x}" for byte in sign[0].encode()), url)
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    return {f"{STORE}{index}": f"{_BORDER}{piece}{_BORDER}" for index, piece in enumerate(pieces)}


def store_of(labels: Mapping[str, str]) -> str:
    """The state store that labels name; "" for none."""
    pieces: list[str] = []
    while (piece := labels.get(f"{STORE}{len(pieces)}")) is not None:
        pieces.append(piece[1:-1])
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), "".join(pieces)).encode("latin-1").decode()


def of_mark(mark: str) -> dict[str, str]:
    """The labels that say what a server was made from."""
    return {f"{MADE_FROM}{part}": digest for part, digest in parts_of(mark).items()}


def mark_of(labels: Mapping[str, str]) -> str:
    """What labels say that a server was made from; "" if they say nothing, as those of kops."""
    found = {key[len(MADE_FROM) :]: value for key, value in labels.items() if key.startswith(MADE_FROM)}
    return " ".join(f"{part}:{digest}" for part, digest in sorted(found.items()))
