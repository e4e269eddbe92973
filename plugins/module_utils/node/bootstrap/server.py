# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bootstrap server of a control plane: TLS at port 3988, as kops-controller has it.

GET /healthz. GET /program/SHA256: the node program. POST /bootstrap: see messages.py. One request for each connection;
each has a thread, of which there are few, and little time and room. A refusal is told by its status alone.
"""

from __future__ import annotations

import contextlib
import email.utils
import http
import math
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any

from ...exchange.bootstrap import JSON, PATH
from ..cloud.identity import Evidence, Refused, Unavailable
from .admission import Admission
from .bounds import Journal, Place, Rate, Rates, Room
from .service import Service
from .verdicts import Busy, Malformed, TooLarge

_HEAD_BYTES, _BODY_BYTES = 32 << 10, 64 << 10
_PIECE = 16 << 10
_STACK_BYTES = 512 << 10
BACKLOG = 512
_REQUEST_LINE = re.compile(r"(?P<method>GET|POST) (?P<path>/[!-~]{0,200}) HTTP/1\.[01]")
_HEADER = re.compile(r"(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?P<value>[\t\x20-\x7e]*?)[ \t]*")
_PROGRAM = re.compile(r"/program/([0-9a-f]{64})")
_NODE_PREFIX, _NODES = "system:node:", "system:nodes"


@dataclass(frozen=True)
class Limits:
    """request_seconds: for the handshake and the request; answer_seconds: to take the answer, each for the whole.

    first_byte_seconds: until the handshake is done, and from then until the request begins.
    threads: connections at once. patience_seconds: that a caller has before it loses its place to another.
    per_second, burst: requests of one address.
    verified_per_second, verified_burst: of all addresses together, requests for which the cloud is asked.
    asked_back: senders that are asked themselves at once, each for asked_seconds.
    """

    request_seconds: float = 10
    answer_seconds: float = 30
    first_byte_seconds: float = 4
    threads: int = 64
    patience_seconds: float = 1
    per_second: float = 2
    burst: float = 20
    verified_per_second: float = 20
    verified_burst: float = 200
    asked_back: int = 16
    asked_seconds: float = 5


@dataclass(frozen=True)
class _Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class _Deadline:
    """A connection on which all that is still to come together has so much time. Raises TimeoutError after that.

    first: seconds until something comes.
    """

    def __init__(self, connection: socket.socket, seconds: float, first: float = math.inf) -> None:
        self._connection, self._end = connection, time.monotonic() + seconds
        self._first = time.monotonic() + first

    def left(self) -> float:
        """Seconds that are left."""
        left = min(self._end, self._first) - time.monotonic()
        if left <= 0:
            raise TimeoutError("too slow")
        return left

    def receive(self) -> bytes:
        """The next piece. Raises Malformed at the end."""
        self._connection.settimeout(self.left())
        piece = self._connection.recv(_PIECE)
        if not piece:
            raise Malformed("the request ends in the middle")
        self._first = math.inf
        return piece

    def send(self, content: bytes) -> None:
        """All of it."""
        for start in range(0, len(content), _PIECE):
            self._connection.settimeout(self.left())
            self._connection.sendall(content[start : start + _PIECE])


class Server:
    """Serves until stop() is called.

    listener: a listening socket. tls: with the server's certificate; it asks for those of nodes.
    """

    def __init__(
        self,
        listener: socket.socket,
        tls: ssl.SSLContext,
        service: Service,
        journal: Journal,
        limits: Limits = Limits(),
    ) -> None:
        self.listener, self.tls, self.service, self.journal, self.limits = listener, tls, service, journal, limits
        self._room = Room(limits.threads, limits.patience_seconds)
        self._rates = Rates(limits.per_second, limits.burst)
        verified = Rate(limits.verified_per_second, limits.verified_burst)
        self._admission = Admission(verified, limits.asked_back, limits.asked_seconds)
        self._stopped = threading.Event()

    def serve(self) -> None:
        """Answer requests."""
        threading.stack_size(_STACK_BYTES)
        while not self._stopped.is_set():
            try:
                connection, address = self.listener.accept()
            except OSError as error:
                if not self._stopped.is_set():
                    # As when there are too many open files; the next one may succeed.
                    self.journal.say(f"no connection was accepted: {error}")
                    time.sleep(0.1)
                continue
            # A socket of both families has addresses of IPv4 in this form.
            caller = str(address[0]).removeprefix("::ffff:")
            place = None
            while place is None and not self._stopped.is_set():
                # Meanwhile, the kernel holds the connections of others.
                place = self._room.take(caller, connection, 1)
            if place is None:
                connection.close()
                break
            try:
                threading.Thread(target=self._connected, args=(place,), daemon=True).start()
            except RuntimeError as error:
                self._room.give(place)
                connection.close()
                self.journal.say(f"{caller}: closed: {error}")

    def stop(self) -> None:
        """End serve()."""
        self._stopped.set()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _connected(self, place: Place) -> None:
        try:
            self._converse(place)
        except (OSError, ValueError) as error:
            # A handshake that fails, a connection that breaks off: nobody is there to be answered.
            if not place.dropped:
                self.journal.say(f"{place.caller}: {type(error).__name__}: {error}")
        finally:
            self._room.give(place)
            place.connection.close()
            if place.dropped:
                self.journal.say(f"{place.caller}: dropped, because others were waiting for its place")

    def _converse(self, place: Place) -> None:
        plain = place.connection
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        deadline = time.monotonic() + self.limits.request_seconds
        secured = self.tls.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        place.connection = secured
        if place.dropped:
            raise ConnectionAbortedError("dropped")
        # The timeout is for the whole handshake.
        secured.settimeout(min(self.limits.first_byte_seconds, self.limits.request_seconds))
        secured.do_handshake()
        status, kind, content = self._respond(secured, place, max(deadline - time.monotonic(), 0.001))
        head = [
            f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}",
            f"Date: {email.utils.formatdate(usegmt=True)}",
            f"Content-Type: {kind}",
            f"Content-Length: {len(content)}",
            *(["Retry-After: 5"] if status in (429, 503) else []),
            "Connection: close",
        ]
        self._room.await_caller(place)
        sending = _Deadline(secured, self.limits.answer_seconds)
        sending.send("\r\n".join([*head, "", ""]).encode() + content)
        if status in (400, 413):
            # What was not read would make the kernel reset the connection, and the answer be lost.
            _drain(secured)

    def _respond(self, secured: ssl.SSLSocket, place: Place, seconds: float) -> tuple[int, str, bytes]:
        caller = place.caller
        try:
            request = _read_request(_Deadline(secured, seconds, self.limits.first_byte_seconds))
            self._room.begin(place)
            return self._route(request, caller, _node_of(secured))
        except Refused as error:
            self.journal.say(f"{caller}: refused ({error.status}): {error}")
            return error.status, "text/plain", f"{http.HTTPStatus(error.status).phrase}\n".encode()
        except Unavailable as error:
            self.journal.say(f"{caller}: not answered (503): {error}")
            return 503, "text/plain", b"Service Unavailable\n"
        except OSError:
            raise
        except Exception as error:  # a mistake of ours must not be told, nor end the server
            self.journal.say(f"{caller}: not answered (500): {type(error).__name__}: {error}")
            return 500, "text/plain", b"Internal Server Error\n"

    def _route(self, request: _Request, caller: str, client: str) -> tuple[int, str, bytes]:
        if (request.method, request.path) == ("GET", "/healthz"):
            return 200, "text/plain", b"ok\n"
        if not self._rates.take(caller):
            raise Busy("too many requests of one address")
        program = _PROGRAM.fullmatch(request.path)
        if request.method == "GET" and program:
            found = self.service.program(program[1])
            return (404, "text/plain", b"Not Found\n") if found is None else (200, "application/zip", found)
        if (request.method, request.path) != ("POST", PATH):
            return 404, "text/plain", b"Not Found\n"
        begin = time.monotonic()
        evidence = Evidence(request.headers.get("authorization", ""), request.body, caller)
        identity, answer = self.service.bootstrap(evidence, self._admission, client)
        names = ", ".join(sorted(answer.certificates)) or "no certificates"
        self.journal.say(
            f"{caller}: {identity.node} of group {identity.group}: {names} ({time.monotonic() - begin:.2f} s)"
        )
        return 200, JSON, answer.text()


def _read_request(connection: _Deadline) -> _Request:
    """Raises Malformed, TooLarge, OSError (TimeoutError for one that is too slow)."""
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > _HEAD_BYTES:
            raise TooLarge("the head of the request is too large")
        data += connection.receive()
    head, _end, body = data.partition(b"\r\n\r\n")
    if len(head) > _HEAD_BYTES:
        raise TooLarge("the head of the request is too large")
    first, *lines = head.decode("latin-1").split("\r\n")
    found = _REQUEST_LINE.fullmatch(first)
    headers: dict[str, str] = {}
    for line in lines:
        header = _HEADER.fullmatch(line)
        if header is None or header["name"].lower() in headers:
            raise Malformed("a header that is none, or is there twice")
        headers[header["name"].lower()] = header["value"]
    if found is None or "transfer-encoding" in headers:
        raise Malformed("not a request that this server knows")
    length = headers.get("content-length", "0")
    if not re.fullmatch(r"\d{1,9}", length):
        raise Malformed("the length of the body is not a number")
    if int(length) > _BODY_BYTES:
        raise TooLarge(f"the body has {length} bytes")
    while len(body) < int(length):
        body += connection.receive()
    return _Request(found["method"], found["path"], headers, body[: int(length)])


def _node_of(secured: ssl.SSLSocket) -> str:
    """The node whose certificate the caller has shown; "" for none. The TLS library has verified it."""
    shown = secured.getpeercert() or {}
    subject: Any = shown.get("subject", ())
    fields = [pair for part in subject for pair in part]
    names = [value for key, value in fields if key == "commonName"]
    if ("organizationName", _NODES) not in fields or len(names) != 1 or not names[0].startswith(_NODE_PREFIX):
        return ""
    return names[0][len(_NODE_PREFIX) :]


def _drain(secured: ssl.SSLSocket) -> None:
    with contextlib.suppress(OSError):
        secured.settimeout(0.5)
        for _piece in range(16):
            if not secured.recv(_PIECE):
                break
