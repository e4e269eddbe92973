# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The application credential of a control plane, and what else is sealed for it: only this server can open it.

The server makes a key, and says its public half on its console, where nobody else can write. Whoever makes servers
encrypts the credential for it (cloud/openstack/sealing.py), and keeps that in the server's metadata: neither user data
nor metadata, which all pods can read, hold a secret.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from ...exchange.openstack_sealing import CREDENTIAL, HASH, KEY_BITS, PADDING, line_of, sealed_in
from .metadata import described

DIRECTORY = "/etc/kubeops/openstack"
_KEY_FILE, _CREDENTIAL_FILE = "key.pem", "credential.json"
_OPENSSL_SECONDS = 60


def credential() -> dict[str, str]:
    """Id and secret. Raises OSError as unsealed()."""
    return unsealed(CREDENTIAL, _CREDENTIAL_FILE, "the credential")


def unsealed(message: str, file: str, what: str) -> dict[str, str]:
    """Id and secret of a message (exchange/openstack_sealing.py), which are kept in a file. what: in words.

    Raises OSError as long as nobody has sealed them for this server, after it has said its key.
    """
    place = os.path.join(DIRECTORY, file)
    if os.path.exists(place):
        with open(place, encoding="utf-8") as stream:
            return dict(json.load(stream))
    key = _said_key()
    sealed = sealed_in(described().get("meta") or {}, message)
    found = _opened(key, sealed) if sealed else None
    if found is None:
        raise OSError(f"{what} of this control plane is not there yet: update_cluster gives it to new servers")
    _keep(place, json.dumps(found).encode())
    return found


def _said_key() -> str:
    """The path of the server's key. Its public half is said on the console, each time."""
    os.makedirs(DIRECTORY, mode=0o700, exist_ok=True)
    place = os.path.join(DIRECTORY, _KEY_FILE)
    if not os.path.exists(place):
        made = _openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{KEY_BITS}")
        _keep(place, made)
    public = _openssl("pkey", "-in", place, "-pubout", "-outform", "DER")
    sys.stdout.write(f"{line_of(public)}\n")
    sys.stdout.flush()
    return place


def _opened(key: str, sealed: bytes) -> dict[str, str] | None:
    """None if it is not for this key: the server was made again from its image."""
    options = (f"rsa_padding_mode:{PADDING}", f"rsa_oaep_md:{HASH}", f"rsa_mgf1_md:{HASH}")
    given = [each for option in options for each in ("-pkeyopt", option)]
    try:
        identifier, _nul, secret = _openssl("pkeyutl", "-decrypt", "-inkey", key, *given, stdin=sealed).partition(b"\0")
    except OSError:
        return None
    return {"id": identifier.decode(), "secret": secret.decode()}


def _keep(place: str, content: bytes) -> None:
    """Whole or not at all; for root only."""
    descriptor = os.open(f"{place}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        os.fsync(stream.fileno())
    os.replace(f"{place}.new", place)


def _openssl(*arguments: str, stdin: bytes = b"") -> bytes:
    """Raises OSError; what openssl prints of errors is left out, as it could name parts of a key."""
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are ours
            ["openssl", *arguments],  # noqa: S607 - the image's own
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_OPENSSL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"'openssl {arguments[0]}' did not end within {_OPENSSL_SECONDS} s") from None
    if done.returncode:
        raise OSError(f"'openssl {arguments[0]}' ended with exit code {done.returncode}")
    return done.stdout
