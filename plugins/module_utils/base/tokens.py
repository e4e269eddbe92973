# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens of service accounts: which key has signed one."""

from __future__ import annotations

import base64
import hashlib
import json


def key_id(public_key: str) -> str:
    """The id that Kubernetes gives to a public key (PEM) in the header of tokens: the hash of its DER form."""
    lines = [line for line in public_key.strip().splitlines() if not line.startswith("-----")]
    digest = hashlib.sha256(base64.b64decode("".join(lines))).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def signer_of(token: str) -> str:
    """The id of the key that has signed a token; "" if the token does not say it."""
    header = token.strip().partition(".")[0]
    try:
        data = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    except ValueError:
        return ""
    return str(data.get("kid", "")) if isinstance(data, dict) else ""
