# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to the bootstrap servers of a cluster: they are found by address, and known by name.

boot.json says of them: ``addresses``: names or addresses, a text may have several, separated by commas; ``port``;
``name``, which is in their certificates; ``ca``, the PEM of all authorities that may have signed these.
"""

from __future__ import annotations

import http.client
import random
import socket
import ssl
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

# An answer holds no more than a program and a NodeConfig.
_LARGEST = 16 << 20
_CONNECT_SECONDS = 15
_TRIED_ELSEWHERE = 500


class Response(NamedTuple):
    """date: when the server made it, by its own clock."""

    status: int
    content: bytes
    date: str


class _Connection(http.client.HTTPSConnection):
    """To an address, whose server must prove that it has the name."""

    def __init__(self, address: str, servers: Mapping[str, Any], seconds: float, tls: ssl.SSLContext) -> None:
        super().__init__(servers["name"], servers["port"], timeout=seconds, context=tls)
        self._address, self._tls = address, tls

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), min(_CONNECT_SECONDS, self.timeout or 0))
        plain.settimeout(self.timeout)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)


def tls_context(servers: Mapping[str, Any]) -> ssl.SSLContext:
    """It trusts the authorities of the servers, and nobody else."""
    # Not ssl.create_default_context(): newer Pythons are strict then, which older authorities do not stand.
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.load_verify_locations(cadata=servers["ca"])
    return tls


def ask(
    servers: Mapping[str, Any],
    method: str,
    path: str,
    body: Optional[bytes] = None,
    headers: Optional[Mapping[str, str]] = None,
    seconds: float = 30,
    tls: Optional[ssl.SSLContext] = None,
) -> Response:
    """The first answer that is not 5xx. Raises OSError that names what each server said.

    tls: what tls_context() gives, with a certificate to show.
    Servers are asked in random order: those of many nodes have equal shares.
    """
    reasons: list[str] = []
    for address in addresses(servers, reasons):
        connection = _Connection(address, servers, seconds, tls or tls_context(servers))
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            content = answer.read(_LARGEST)
        except (OSError, http.client.HTTPException) as error:
            reasons.append(f"{address}: {error or type(error).__name__}")
        else:
            if answer.status < _TRIED_ELSEWHERE:
                return Response(answer.status, content, answer.headers.get("Date", ""))
            reasons.append(f"{address}: the answer is {answer.status} {answer.reason}")
        finally:
            connection.close()
    raise OSError(f"no bootstrap server at port {servers['port']} ({'; '.join(reasons)})")


def addresses(servers: Mapping[str, Any], reasons: list[str]) -> list[str]:
    """Of all names, in random order. reasons: takes those for which there is none."""
    found: dict[str, None] = {}
    for host in ",".join(servers["addresses"]).split(","):
        try:
            answers = socket.getaddrinfo(host, servers["port"], type=socket.SOCK_STREAM)
            found.update(dict.fromkeys(str(answer[4][0]) for answer in answers))
        except OSError as error:
            reasons.append(f"{host}: {error.strerror or error}")
    return random.sample(list(found), len(found))
