# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a server proves that a request is its own: it answers at its own address, on a port that only its host can open.

A request carries a key that was made for it. The bootstrap server then connects to the address that the cloud says the
server has, and asks for what only the sender can say: a hash by that key, of a number of its own and of the request.
Clouds without documents of identity know their servers so; each has a scheme of its own (of the header Authorization).
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import hmac
import json
import secrets
import socket
import threading
from collections.abc import Iterator

# kops' port for what bootstrap servers ask of nodes (pkg/wellknownports).
PORT = 3987
_KEY_BYTES, _NUMBER_BYTES = 32, 32
_LONGEST = 256
# How long an answer may be waited for, in seconds, and how many askers at once are heard.
_OPEN_SECONDS, _ASKED_SECONDS, _BACKLOG = 60.0, 5.0, 8


def header(scheme: str, server: str, key: bytes) -> str:
    """The header ``Authorization`` of a request. server: the sender, as its cloud calls it."""
    said = json.dumps({"server": server, "key": base64.b64encode(key).decode()}).encode()
    return f"{scheme} {base64.b64encode(said).decode()}"


def read_header(scheme: str, proof: str) -> tuple[str, bytes] | None:
    """Server and key; None if it is no header of this scheme."""
    given, _space, encoded = proof.partition(" ")
    if given != scheme or len(encoded) > _LONGEST:
        return None
    try:
        said = json.loads(base64.b64decode(encoded, validate=True))
        server, key = said["server"], base64.b64decode(said["key"], validate=True)
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
        return None
    return (server, key) if isinstance(server, str) and len(key) == _KEY_BYTES else None


def answer_of(key: bytes, number: bytes, body: bytes) -> str:
    """What the sender of a body says to a number."""
    return hmac.new(key, number + hashlib.sha256(body).digest(), hashlib.sha256).hexdigest()


# -- the node's side --------------------------------------------------------------------------------------------------


class Listener:
    """Answers for the last request of this process, for a minute. address: the one that the cloud says it has."""

    def __init__(self, scheme: str, address: str, port: int = PORT) -> None:
        self._scheme = scheme
        self._place = (address, port)
        self._lock = threading.Lock()
        self._asked: tuple[bytes, bytes] = (b"", b"")
        self._thread: threading.Thread | None = None

    def proof(self, server: str, body: bytes) -> str:
        """The header for a request. Raises OSError if the port cannot be opened."""
        key = secrets.token_bytes(_KEY_BYTES)
        with self._lock:
            self._asked = key, body
            if self._thread is None or not self._thread.is_alive():
                listening = socket.create_server(self._place, backlog=_BACKLOG)
                listening.settimeout(_OPEN_SECONDS)
                self._thread = threading.Thread(target=self._answer, args=(listening,), daemon=True)
                self._thread.start()
        return header(self._scheme, server, key)

    def _answer(self, listening: socket.socket) -> None:
        with listening:
            for connection in _connections(listening):
                with connection, contextlib.suppress(OSError, ValueError):
                    connection.settimeout(_ASKED_SECONDS)
                    number = bytes.fromhex(_line(connection))
                    if len(number) == _NUMBER_BYTES:
                        with self._lock:
                            key, body = self._asked
                        connection.sendall(f"{answer_of(key, number, body)}\n".encode())


def _connections(listening: socket.socket) -> Iterator[socket.socket]:
    """Until nobody has come for a while."""
    while True:
        try:
            yield listening.accept()[0]
        except socket.timeout:
            return


# -- the bootstrap server's side --------------------------------------------------------------------------------------


def is_answered(address: str, key: bytes, body: bytes, seconds: float, port: int = PORT) -> bool:
    """Whether the sender of a body is at an address. Raises OSError if nothing answers there."""
    number = secrets.token_bytes(_NUMBER_BYTES)
    with socket.create_connection((address, port), timeout=seconds) as connection:
        connection.sendall(f"{number.hex()}\n".encode())
        said = _line(connection)
    return hmac.compare_digest(said.encode(), answer_of(key, number, body).encode())


def _line(connection: socket.socket) -> str:
    """One short line; "" if it is longer or none. Raises OSError."""
    found = b""
    while b"\n" not in found and len(found) < _LONGEST:
        more = connection.recv(_LONGEST)
        if not more:
            return ""
        found += more
    return found.partition(b"\n")[0].decode("ascii", "replace")
