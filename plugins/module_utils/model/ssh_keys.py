# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clouds name key pairs by."""

from __future__ import annotations

import base64
import binascii
import hashlib

from ..base.errors import KopsError


def fingerprint(public_key: str) -> str:
    """The MD5 fingerprint of an OpenSSH public key line, as colon-separated hex; raises KopsError when it is no key."""
    fields = public_key.split()
    try:
        blob = base64.b64decode(fields[1], validate=True)
    except (IndexError, binascii.Error) as error:
        raise KopsError('the SSH public key is not in OpenSSH form ("ssh-ed25519 AAAA... comment")') from error
    digest = hashlib.md5(blob, usedforsecurity=False).hexdigest()
    return ":".join(digest[index : index + 2] for index in range(0, len(digest), 2))
