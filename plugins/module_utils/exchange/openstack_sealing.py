# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How secrets of a control plane in OpenStack get to it: a line on its console, and its server's metadata.

The line is ``kubeops-key: BASE64`` with the key in DER (SubjectPublicKeyInfo). The metadata has each ciphertext in
pieces, as Nova takes 255 characters for each: ``kubeops-sealed-1`` and so on for the application credential, and
``kubeops-store-key-1`` and so on for the key of a state store in S3. They are of ``ID NUL SECRET``, by RSA-OAEP.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping

KEY_BITS, PADDING, HASH = 3072, "oaep", "sha256"
_LINE = re.compile(r"kubeops-key: ([A-Za-z0-9+/]{500,800}={0,2})(?![A-Za-z0-9+/=])")
_LENGTH = 255
# What is sealed, as the keys of its pieces begin.
CREDENTIAL, STORE_KEY = "kubeops-sealed", "kubeops-store-key"


def line_of(public_key: bytes) -> str:
    """The line by which a server says its key."""
    return f"kubeops-key: {base64.b64encode(public_key).decode()}"


def key_in(console: str) -> bytes | None:
    """The key that a console has said last; None if it has said none."""
    found = _LINE.findall(console)
    try:
        return base64.b64decode(found[-1], validate=True) if found else None
    except binascii.Error:
        return None


def pieces_of(sealed: bytes, what: str = CREDENTIAL) -> dict[str, str]:
    """The metadata. what: CREDENTIAL or STORE_KEY."""
    text = base64.b64encode(sealed).decode()
    pieces = [text[start : start + _LENGTH] for start in range(0, len(text), _LENGTH)]
    return {f"{what}-{number}": piece for number, piece in enumerate(pieces, start=1)}


def sealed_in(metadata: Mapping[str, str], what: str = CREDENTIAL) -> bytes | None:
    """What is sealed for a server; None if that is not. what: as of pieces_of."""
    text, number = "", 1
    while f"{what}-{number}" in metadata:
        text += metadata[f"{what}-{number}"]
        number += 1
    try:
        return base64.b64decode(text, validate=True) or None
    except binascii.Error:
        return None
