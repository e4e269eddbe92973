# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that a bootstrap server must refuse, made by chance from good ones: the same ones each time."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import ssl
from collections.abc import Iterator

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Request
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.signing import Credentials
from ansible_collections.kubeops.kops.tests.support.bootstrapping import BootstrapServer, Worker, new_keys

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"[" * 60000,
    b'{"a":' * 10000,
    b'{"apiVersion": "bootstrap.kops.k8s.io/v1alpha1", "certs": {"kubelet": 1}, "includeNodeConfig": true}',
    b'{"apiVersion": "bootstrap.kops.k8s.io/v1alpha1", "certs": [], "nodeConfigHash": {}}',
    b"\xff" * 1000,
)
_PATHS = (b"/", b"/bootstrap", b"/program/" + b"0" * 64, b"/program/" + b"../" * 20, b"/%00", b"/" + b"a" * 5000)


def bad_requests(server: BootstrapServer, worker: Worker, count: int, seed: int = 1) -> Iterator[tuple[str, bytes]]:
    """Addresses to send from, and what to send after the handshake."""
    chance = random.Random(seed)
    body = Request(new_keys()[1], server.hashes["nodes-a"]).text()
    good = _request(body, server.proof(worker, body).encode())
    for number in range(count):
        source = f"127.0.{1 + number % 200}.{1 + number // 200 % 250}"
        kind = number % 6
        if kind == 0:
            yield source, chance.randbytes(chance.randrange(1, 3000))
        elif kind == 1:
            # Bytes of the head or the body are others. The method stays, or it could be good again.
            mutated = bytearray(good)
            for _count in range(chance.randrange(1, 20)):
                mutated[chance.randrange(20, len(mutated))] = chance.randrange(256)
            yield source, bytes(mutated) if bytes(mutated) != good else b"x"
        elif kind == 2:
            yield source, good[: chance.randrange(1, len(good) - 1)]
        elif kind == 3:
            yield source, _request(chance.choice(_BODIES), b"x-aws-sts " + chance.randbytes(60).hex().encode())
        elif kind == 4:
            # Signed by nobody: it goes as far as STS.
            unknown = Worker(worker.instance, worker.address, _nobody(chance))
            yield source, _request(body, server.proof(unknown, body).encode())
        else:
            line = chance.choice((b"GET ", b"POST ", b"PUT ", b"CONNECT ")) + chance.choice(_PATHS) + b" HTTP/1.1\r\n"
            length = chance.choice((b"-1", b"1e9", b"99999999999", b"5", b"1"))
            yield source, line + b"Content-Length: " + length + b"\r\n\r\nx"


def send(server: BootstrapServer, source: str, request: bytes) -> int:
    """The status of the answer; 0 for none. Every thirteenth is sent without TLS."""
    try:
        if sum(request) % 13 == 0:
            with socket.create_connection(("127.0.0.1", server.port), 15, (source, 0)) as plain:
                plain.sendall(request)
                plain.shutdown(socket.SHUT_WR)
                return _status(plain)
        with server.connected(source, timeout=15) as secured:
            secured.sendall(request)
            with contextlib.suppress(OSError):
                # The end of what we say: otherwise the server waits for more of it.
                socket.socket.shutdown(secured, socket.SHUT_WR)
            return _status(secured)
    except (OSError, ssl.SSLError):
        return 0


def _status(connection: socket.socket) -> int:
    found = _STATUS.match(connection.recv(4096))
    return int(found[1]) if found else 0


def _request(body: bytes, proof: bytes) -> bytes:
    head = b"POST /bootstrap HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n"
    return head % (proof, len(body)) + body


def _nobody(chance: random.Random) -> Credentials:
    name = "".join(chance.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _count in range(16))
    return Credentials(f"ASIA{name}", "s" * 40, "t" * 300)
