# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small HTTP server on loopback for fakes of clouds' APIs in JSON: it counts requests, and spoils some of them."""

from __future__ import annotations

import http.server
import json
import socket
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

# What becomes of a request instead of what would: its connection is closed before it is carried out, or after that.
RESET, LOST = "reset", "lost"


@dataclass(frozen=True)
class Call:
    """A request. query: pairs in their order, since some names come more than once. body: read from JSON."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return self.method not in ("GET", "HEAD")

    @property
    def token(self) -> str:
        """The bearer token."""
        return self.headers.get("Authorization", "").partition("Bearer ")[2]

    def values(self, name: str) -> list[str]:
        """All values of a parameter."""
        return [value for key, value in self.query if key == name]

    def value(self, name: str, default: str = "") -> str:
        """The value of a parameter."""
        return next(iter(self.values(name)), default)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Reply:
    """An answer. body: written as JSON; None for nothing."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """A request that the API refuses. reply: how it says so."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status} {reply.body}")
        self.reply = reply


class API(Protocol):
    """The semantics behind a server. Requests come from many threads; the server asks one after the other."""

    def answer(self, call: Call) -> Reply:
        """Carry out a request. Raises Refusal."""

    def spoiled(self, status: int) -> Reply:
        """How the API words that it does not carry out a request, with this status."""

    def headers(self) -> Mapping[str, str]:
        """What each answer has beside its own headers."""


Fault = Callable[[Call], "int | str | None"]


def no_fault(_call: Call) -> None:
    """Every request is carried out."""


@dataclass
class Allowance:
    """How many requests an account has left: most at once, and so many come back each second."""

    most: int
    a_second: float
    left: float = 0.0
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.left = float(self.most)

    def take(self) -> bool:
        """Take one, if there is one."""
        now = time.monotonic()
        self.left = min(self.left + (now - self.at) * self.a_second, float(self.most))
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True

    @property
    def full_at(self) -> float:
        """When all are back, in seconds since 1970."""
        return time.time() + (self.most - self.left) / self.a_second


class RestServer(AbstractContextManager["RestServer"]):
    """An API on loopback. calls: all requests. fault: is asked for each; an HTTP status, RESET or LOST spoils it.

    lock: held while a request is carried out.
    prefix: the path that the API begins at.
    """

    def __init__(self, api: API, prefix: str = "", address: str = "127.0.0.1", port: int = 0) -> None:
        self.api, self.prefix = api, prefix
        self.calls: list[Call] = []
        self.fault: Fault = no_fault
        self.lock = threading.RLock()
        self._server = _Server((address, port), type("Handler", (_Handler,), {"server_of_tests": self}))
        self.url = f"http://{address}:{self._server.server_address[1]}{prefix}"

    def __enter__(self) -> RestServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def writes(self) -> list[Call]:
        """The requests that change something."""
        return [each for each in self.calls if each.writes]

    def spoil(self, number: int, what: int | str, of: Callable[[Call], bool] = lambda call: call.writes) -> None:
        """Spoil one request from now on: the number-th, from 1, of those that `of` chooses; no other."""
        seen = 0

        def fault(call: Call) -> int | str | None:
            nonlocal seen
            seen += 1 if of(call) else 0
            return what if of(call) and seen == number else None

        self.fault = fault

    def carry_out(self, call: Call) -> Reply | None:
        """The answer to a request; None if there is none."""
        with self.lock:
            self.calls.append(call)
            fault = self.fault(call)
            if fault == RESET:
                return None
            if isinstance(fault, int):
                reply = self.api.spoiled(fault)
            else:
                try:
                    reply = self.api.answer(call)
                except Refusal as refusal:
                    reply = refusal.reply
            if fault == LOST:
                return None
            return Reply(reply.status, reply.body, {**self.api.headers(), **reply.headers})


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # Several tasks ask at once.
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever is killed breaks the connection off; that is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer is two writes, which would wait for each other.
    disable_nagle_algorithm = True
    server_of_tests: RestServer

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""

    def _respond(self) -> None:
        server, place = self.server_of_tests, urllib.parse.urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urllib.parse.unquote(place.path).removeprefix(server.prefix)
        query = tuple(urllib.parse.parse_qsl(place.query, keep_blank_values=True))
        headers = dict(self.headers.items())
        reply = server.carry_out(Call(self.command, path, query, json.loads(raw) if raw else None, headers))
        if reply is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        text = b"" if reply.body is None else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for key, value in reply.headers.items():
            self.send_header(key, value)
        if text:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _respond
