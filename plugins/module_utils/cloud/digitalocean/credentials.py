# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials that control planes are given: the token of the account, and the key of the state store.

They are those of the environment, by which the controller itself works.
"""

from __future__ import annotations

import os

from ...base.errors import KopsError
from ...exchange.server_credentials import credentials_document
from .errors import TOKEN_VARIABLE

ACCESS_KEY, SECRET_KEY = "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"


def missing() -> list[str]:
    """The variables that the environment lacks."""
    return [name for name in (TOKEN_VARIABLE, ACCESS_KEY, SECRET_KEY) if not os.environ.get(name, "").strip()]


def document() -> bytes:
    """What is written on control planes. Raises KopsError if the environment lacks a part of it."""
    if lacking := missing():
        raise KopsError(
            f"control planes are given the credentials of the environment, which lacks {', '.join(lacking)}: the token"
            " of the account, and a key for the bucket of the state store"
        )
    token, access_key, secret_key = (os.environ[name].strip() for name in (TOKEN_VARIABLE, ACCESS_KEY, SECRET_KEY))
    return credentials_document(token, access_key, secret_key)
