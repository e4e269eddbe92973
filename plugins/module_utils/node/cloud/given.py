# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials of a control plane in a cloud whose servers have no identity: the controller brings them over SSH.

The server first says its proof (exchange/server_credentials.py), which whoever brings them looks at.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from ...exchange.server_credentials import (
    CREDENTIALS_FILE,
    HOST_KEY_FILE,
    NONCE_VARIABLE,
    PROOF_FILE,
    proof_of,
    read_credentials,
)

_AWAITED = "the credentials of this control plane are not there yet: update_cluster gives them to new servers"


def given_credentials() -> dict[str, Any]:
    """token, and store with accessKey and secretKey, as the file has them now. Raises OSError without it."""
    if not os.path.exists(CREDENTIALS_FILE):
        _say_proof()
        raise OSError(_AWAITED)
    with contextlib.suppress(OSError):
        # For whoever brings others: they are taken even if it cannot be said.
        _say_proof()
    with open(CREDENTIALS_FILE, "rb") as stream:
        document = stream.read()
    try:
        return read_credentials(document)
    except ValueError as error:
        raise OSError(f"{CREDENTIALS_FILE} is not valid: {error}") from None


def given_store_key() -> dict[str, str]:
    """Id and secret of the state store's key, as node/stores/given_credentials.py asks for them. Raises OSError."""
    store = given_credentials()["store"]
    return {"id": store["accessKey"], "secret": store["secretKey"]}


def _say_proof() -> None:
    """Raises OSError if the server has no host key, or was told no nonce."""
    try:
        nonce = bytes.fromhex(os.environ.get(NONCE_VARIABLE) or "")
    except ValueError:
        nonce = b""
    if not nonce:
        raise OSError(f"user data has told this server no nonce: {NONCE_VARIABLE} of the environment is none")
    with open(HOST_KEY_FILE, encoding="utf-8") as stream:
        proof = proof_of(nonce, stream.read())
    with contextlib.suppress(OSError), open(PROOF_FILE, encoding="utf-8") as stream:
        if stream.read() == proof:
            return
    with open(f"{PROOF_FILE}.new", "w", encoding="utf-8") as stream:
        stream.write(proof)
    os.chmod(f"{PROOF_FILE}.new", 0o644)
    os.replace(f"{PROOF_FILE}.new", PROOF_FILE)
