# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' rules for names in clouds: names that are too long are cut and get a hash, dots are replaced.

Source: pkg/truncate of kops, and gce.SafeClusterName.
"""

from __future__ import annotations

import base64

HASH_LENGTH = 6

# Base32hex from base32: the two alphabets have the same order.
_TO_BASE32HEX = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789abcdefghijklmnopqrstuv")


def fnv1a_32(text: str) -> int:
    """FNV-1a of the UTF-8 text."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def with_hash(text: str, longest: int) -> str:
    """The text, cut to the length with a hash of all of it (lower-case base32hex, six characters) at its end."""
    digest = base64.b32encode(fnv1a_32(text).to_bytes(4, "big")).decode().translate(_TO_BASE32HEX)[:HASH_LENGTH]
    return f"{text[: longest - len(digest) - 1]}-{digest}"


def truncate(text: str, length: int, always_hash: bool = False) -> str:
    """At most length characters: a longer text (with always_hash: any text) is cut and gets a hash of all of it."""
    if not always_hash and len(text) <= length:
        return text
    return with_hash(text, length)


def safe_cluster_name(cluster_name: str) -> str:
    """The cluster's name with dashes instead of dots."""
    return cluster_name.replace(".", "-")
