# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials that a controller gives to a control plane over SSH, and how the server proves that it is the one.

The document is JSON: ``{"token": ..., "store": {"accessKey": ..., "secretKey": ...}}``, the token of the cloud's API
and a key of the state store. The server keeps it in CREDENTIALS_FILE, whole or not at all, for root only.

The proof is by a nonce that user data tells this server alone, in NONCE_VARIABLE: a hash, keyed by the nonce, of the
server's public host key. Who stands in between has another host key, and does not know the nonce.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
from typing import Any

CREDENTIALS_FILE = "/etc/kubeops/credentials.json"
# Everybody may read it: it says nothing but that the nonce is known.
PROOF_FILE = "/run/kubeops-proof"
HOST_KEY_TYPE, HOST_KEY_FILE = "ssh-ed25519", "/etc/ssh/ssh_host_ed25519_key.pub"
# In the environment of boot.json; in hexadecimal. The user data of a group has the placeholder instead.
NONCE_VARIABLE, NONCE_PLACEHOLDER = "KUBEOPS_SERVER_NONCE", "NONCE-OF-THIS-SERVER"


def for_server(user_data: str, nonce: bytes) -> str:
    """The user data of a group, as one server gets it."""
    return user_data.replace(NONCE_PLACEHOLDER, nonce.hex())


def proof_of(nonce: bytes, host_key: str) -> str:
    """What a server says that has this host key. host_key: a line of a file of public keys, type and base64 first."""
    return hmac.new(nonce, " ".join(host_key.split()[:2]).encode(), hashlib.sha256).hexdigest()


def credentials_document(token: str, access_key: str, secret_key: str) -> bytes:
    """The document; the same for the same credentials."""
    store = {"accessKey": access_key, "secretKey": secret_key}
    return f"{json.dumps({'store': store, 'token': token}, sort_keys=True)}\n".encode()


def read_credentials(document: bytes) -> dict[str, Any]:
    """The content of a document. Raises ValueError, which shows nothing of it."""
    texts: tuple[Any, ...] = ("",)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        found = json.loads(document)
        texts = (found["token"], found["store"]["accessKey"], found["store"]["secretKey"])
    if not all(isinstance(each, str) and each for each in texts):
        raise ValueError("no JSON with the texts token, store.accessKey and store.secretKey")
    return dict(found)
