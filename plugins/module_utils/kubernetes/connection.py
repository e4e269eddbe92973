# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to an API server: credentials, TLS, keep-alive, retries."""

from __future__ import annotations

import base64
import binascii
import http.client
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..base.errors import KopsError

# Too many requests; and errors of a load balancer, or of an API server that is starting or stopping.
_BUSY = 429
_TRANSIENT = (500, 502, 503, 504)
# What the API server answers with 500 if a webhook, which may be away for long, does not answer.
_WEBHOOK = b"failed calling webhook"
# What server-side apply answers, with 500, to an object with a wrong type in it. The schema of a kind that has just
# changed may not be known yet.
_MALFORMED = (b"failed to create typed patch object", b"to proper version: unable to convert unstructured object")
_SCHEMA = b"field not declared in schema"
_CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
_PORTS = {"https": 443, "http": 80}
_AGENT = "kops-node"
# In a kubeconfig with one cluster and one user, each of these fields is there once, on a line of its own.
_FIELD = re.compile(r"""^[\s-]*["']?([\w-]+)["']?\s*:\s*["']?([^\s"',]+)["']?,?\s*$""", re.MULTILINE)


@dataclass(frozen=True)
class Credentials:
    """The CA of the API server and our client certificate, as PEM. Without a certificate, requests are anonymous."""

    authority: str = field(repr=False)
    certificate: str = field(default="", repr=False)
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class RetryPolicy:
    """How temporary failures are retried, in seconds. deadline: of all attempts at one request together."""

    deadline: float = 60
    pause: float = 0.1
    longest_pause: float = 2
    timeout: float = 30


def read_kubeconfig(path: str) -> tuple[str, Credentials]:
    """Server and credentials of a kubeconfig with one cluster and one user. Raises KopsError."""
    try:
        with open(path, encoding="utf-8") as stream:
            fields = dict(_FIELD.findall(stream.read()))
    except OSError as error:
        raise KopsError(f"{path} cannot be read: {error.strerror}") from error
    if "server" not in fields:
        raise KopsError(f"{path} names no server")
    try:
        parts = {
            name: base64.b64decode(fields[f"{key}-data"], validate=True).decode()
            for name, key in (
                ("authority", "certificate-authority"),
                ("certificate", "client-certificate"),
                ("key", "client-key"),
            )
        }
    except KeyError as error:
        raise KopsError(f"{path} has no field {error.args[0]}") from error
    except (binascii.Error, UnicodeDecodeError) as error:
        raise KopsError(f"{path} has a field that is not base64 of text") from error
    return fields["server"], Credentials(**parts)


class Transport:
    """HTTP requests to a server ("https://api.internal.demo"). Plain http is for tests and sends no credentials.

    address: connect to this address; the certificate must still match the server's name. admit: is called before each
    attempt, and raises what prevents it.
    """

    def __init__(
        self,
        server: str,
        credentials: Credentials,
        retry: RetryPolicy,
        address: str = "",
        admit: Callable[[], None] | None = None,
    ) -> None:
        self.server = server if not address else f"{server} at {address}"
        self.retry = retry
        self._admit = admit
        parts = urlsplit(server)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise KopsError(f"{server} is not the URL of an API server; expected a URL such as https://10.0.0.1")
        self._host, self._port = parts.hostname, parts.port or _PORTS[parts.scheme]
        self._address = address or self._host
        self._tls = tls_context(credentials) if parts.scheme == "https" else None
        self._own = threading.local()

    def request(
        self,
        method: str,
        target: str,
        body: bytes | None,
        content_type: str,
        *,
        retried: bool = True,
        webhooks: bool = True,
    ) -> tuple[int, bytes]:
        """Status and body of the answer. Temporary failures are retried until the deadline. Raises KopsError.

        retried: also retry 429, which the API server may return for reasons that last (PodDisruptionBudgets).
        webhooks: also retry while a webhook does not answer.
        """
        end = time.monotonic() + self.retry.deadline
        pause = self.retry.pause
        while True:
            if self._admit is not None:
                self._admit()
            try:
                status, answer, wait = self._attempt(method, target, body, content_type)
                if status not in _TRANSIENT and not (status == _BUSY and retried):
                    return status, answer
                if is_malformed(answer) or (not webhooks and _WEBHOOK in answer):
                    return status, answer
                pause = max(pause, wait)
                if time.monotonic() + pause > end:
                    return status, answer
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if _is_permanent(error) or time.monotonic() + pause > end:
                    raise KopsError(f"the API server {self.server} cannot be reached: {_reason(error)}") from error
            time.sleep(pause)
            pause = min(pause * 2, self.retry.longest_pause)

    @contextmanager
    def opened(self, target: str, headers: Mapping[str, str]) -> Iterator[http.client.HTTPResponse]:
        """The answer to a GET, to be read piece by piece in the block. It is sent once. Raises KopsError."""
        try:
            response = self._sent("GET", target, None, {"User-Agent": _AGENT, **headers})
            try:
                yield response
            finally:
                if not response.isclosed():
                    # What was not read would be taken for the next answer.
                    self.close()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise KopsError(f"the API server {self.server} does not answer: {_reason(error)}") from error

    def close(self) -> None:
        """Close the connection of the calling thread."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
            self._own.connection = None

    def _attempt(self, method: str, target: str, body: bytes | None, content_type: str) -> tuple[int, bytes, float]:
        headers = {"Accept": "application/json", "User-Agent": _AGENT}
        if body is not None:
            headers["Content-Type"] = content_type
        response = self._sent(method, target, body, headers)
        answer = response.read()
        wait = response.headers.get("Retry-After", "")
        return response.status, answer, float(wait) if wait.isdigit() else 0.0

    def _sent(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        """The answer to a request, of which only the head is read."""
        connection, kept = self._connection()
        try:
            connection.request(method, target, body, dict(headers))
            return connection.getresponse()
        except _CLOSED:
            if not kept:
                raise
            # The other end may have closed a connection that was kept open: this does not count as a failure.
            self.close()
            connection, _kept = self._connection()
            connection.request(method, target, body, dict(headers))
            return connection.getresponse()

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        """The connection of this thread, and whether it was already open."""
        connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is not None and connection.sock is not None:
            return connection, True
        plain = socket.create_connection((self._address, self._port), self.retry.timeout)
        # Requests are small: send each one at once (TCP_NODELAY).
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = http.client.HTTPConnection(self._host, self._port)
        try:
            connection.sock = plain if self._tls is None else self._tls.wrap_socket(plain, server_hostname=self._host)
        except OSError:
            plain.close()
            raise
        self._own.connection = connection
        return connection, False


def is_malformed(answer: bytes) -> bool:
    """Whether an answer says that an object has a wrong type in it, which no other attempt changes."""
    return any(text in answer for text in _MALFORMED) and _SCHEMA not in answer


def tls_context(credentials: Credentials) -> ssl.SSLContext:
    """A TLS context that trusts only the given CA, and presents the client certificate if there is one."""
    context = ssl.create_default_context(cadata=credentials.authority)
    if credentials.certificate:
        # The ssl library reads keys only from files; this one is in memory and private to the process.
        descriptor = os.memfd_create("client")
        try:
            os.write(descriptor, f"{credentials.certificate}\n{credentials.key}".encode())
            context.load_cert_chain(f"/proc/self/fd/{descriptor}")
        finally:
            os.close(descriptor)
    return context


def _is_permanent(error: Exception) -> bool:
    """Whether a retry cannot help: the certificate is not signed by the CA, or the name does not exist."""
    return isinstance(error, (ssl.SSLCertVerificationError, socket.gaierror))


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {error.verify_message}"
    return str(getattr(error, "strerror", None) or error) or type(error).__name__
