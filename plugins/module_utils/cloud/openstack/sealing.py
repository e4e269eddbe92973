# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives a control plane its credential, and the key of a state store in S3: for the key that it says on its console.

They are in its metadata, encrypted.
Only the server itself can write to its console, and only it has the key. node/openstack/sealed.py is the other side.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...base.errors import KopsError
from ...engine.task import TryAgainLater
from ...exchange.openstack_sealing import CREDENTIAL, KEY_BITS, STORE_KEY, key_in, pieces_of, sealed_in
from ..pools.made_from import parts_of, was_told
from . import names
from .cloud import Described, OpenStackCloud
from .kinds import SERVER
from .states import console_of

# Lines of a console: it says the key every ten seconds, as long as it waits.
_LINES = 200
# Bytes of what can be encrypted: OAEP takes two hashes of SHA-256, and two more.
LONGEST = KEY_BITS // 8 - 2 * 32 - 2


def is_sealed(server: Described) -> bool:
    """Whether a server has been given its credential, and the key if it is one of those that need it."""
    wanted = (CREDENTIAL, STORE_KEY) if needs_store_key(server) else (CREDENTIAL,)
    return all(sealed_in(server.get("metadata") or {}, what) is not None for what in wanted)


def needs_store_key(server: Described) -> bool:
    """Whether it was made to read a state store in S3, as its mark says."""
    return names.STORE_KEY in parts_of((server.get("metadata") or {}).get(names.MADE_FROM, ""))


def awaits(server: Described) -> bool:
    """Whether a control plane awaits them. Those of kops have a login in their user data, and say no key."""
    made_from = (server.get("metadata") or {}).get(names.MADE_FROM, "")
    return was_told(made_from) and not is_sealed(server)


def seal(cloud: OpenStackCloud, server: Described, messages: Mapping[str, Mapping[str, str]]) -> None:
    """Give it all of them at once. Raises TryAgainLater as long as it has not said its key.

    messages: CREDENTIAL or STORE_KEY (exchange/openstack_sealing.py) -> id and secret.
    """
    name = str(server["name"])
    key = key_in(console_of(cloud, server, _LINES))
    if key is None:
        raise TryAgainLater(f"server {name} has not said on its console for which key it wants its credential")
    told: dict[str, dict[str, str]] = {"metadata": {}}
    for what, message in messages.items():
        told["metadata"].update(pieces_of(encrypted(key, text_of(message)), what))
    cloud.ask("POST", SERVER, f"/{server['id']}/metadata", told, f"give server {name} its credential")


def text_of(message: Mapping[str, str]) -> bytes:
    """What is encrypted. message: id and secret."""
    return f"{message['id']}\0{message['secret']}".encode()


def encrypted(key: bytes, content: bytes) -> bytes:
    """By RSA-OAEP. key: in DER. Raises KopsError for what is no such key, or too small."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    try:
        public = serialization.load_der_public_key(key)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KopsError("a server has said a key on its console that cannot be read") from error
    if not isinstance(public, rsa.RSAPublicKey) or public.key_size < KEY_BITS:
        raise KopsError(f"a server has said a key on its console that is no RSA key of {KEY_BITS} bits")
    # As exchange/openstack_sealing.py says it for openssl.
    digest = hashes.SHA256()
    try:
        return public.encrypt(content, padding.OAEP(padding.MGF1(digest), digest, None))
    except ValueError as error:
        raise KopsError("the application credential is too long: its secret may have 200 characters") from error
