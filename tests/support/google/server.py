# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Google's APIs on loopback: routes and schemas of Google's own documents, semantics of ours, and faults on request."""

from __future__ import annotations

import http.server
import json
import pathlib
import socket
import sys
import threading
import urllib.parse
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from .cloud_dns import CloudDNS
from .compute import Compute
from .documents import APIS, Method, Refusal, check, method_of
from .identity import Identity
from .objects import Objects

TOKEN = "test"
# Methods that only read; some are a POST.
_READING = (
    "aggregatedList",
    "get",
    "getHealth",
    "getIamPolicy",
    "getSerialPortOutput",
    "list",
    "listErrors",
    "listManagedInstances",
    "testIamPermissions",
    "wait",
)


@dataclass(frozen=True)
class Call:
    """A request. method: "compute.networks.insert"."""

    method: str
    path: str
    body: Any

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return self.method.rpartition(".")[2] not in _READING


# What becomes of a request instead of what would: an HTTP status, "reset" before it is carried out, "lost" after it.
Fault = Callable[[Call], "int | str | None"]


class GoogleServer(AbstractContextManager["GoogleServer"]):
    """The APIs of all projects. calls: all requests. fault: is asked for each request.

    accepts: whether a token is good. token: the one that is given to whoever has the key of credentials().
    """

    def __init__(self, address: str = "127.0.0.1", port: int = 0) -> None:
        self.objects, self.identity, self.dns = Objects(), Identity(), CloudDNS()
        self.compute = Compute(self.objects)
        self.calls: list[Call] = []
        self.fault: Fault = lambda call: None
        self.accepts: Callable[[str], bool] = bool
        self.token = TOKEN
        self._lock = threading.RLock()
        handler = type("Handler", (_Handler,), {"server_of_tests": self})
        self._server = _Server((address, port), handler)
        self.url = f"http://{address}:{self._server.server_address[1]}"

    def __enter__(self) -> GoogleServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def environment(self) -> dict[str, str]:
        """gcloud's variables that name these endpoints."""
        return environment_of(self.url)

    def credentials(self, directory: pathlib.Path) -> pathlib.Path:
        """A file with the key of a service account, whose tokens are this server's."""
        file = directory / "google-credentials.json"
        write_credentials(self.url, file)
        return file

    def session(self) -> requests.Session:
        """A session with a token."""
        made = requests.Session()
        made.headers["Authorization"] = f"Bearer {TOKEN}"
        return made

    def writes(self) -> list[Call]:
        """The requests that change something."""
        return [each for each in self.calls if each.writes]

    def bucket_policy(self, method: str, bucket: str, body: Any) -> Any:
        """The answer to a request for the policy of a bucket, whose objects are another server's. Raises Refusal."""
        called, named = method_of(method, f"/storage/v1/b/{bucket}/iam")
        self.calls.append(Call(f"storage.{called.collection}.{called.verb}", f"b/{bucket}/iam", body))
        return self.carry_out(called, named, {}, body)

    def carry_out(self, method: Method, named: dict[str, str], query: dict[str, str], body: Any) -> Any:
        """The answer to a request. Raises Refusal."""
        if method.request and body is not None and method.api == "compute":
            check(method.api, method.request, body, f"{method.api}.{method.collection}.{method.verb}")
        if method.api == "compute":
            return self.compute.answer(method, named, query, body)
        with self._lock:
            answers = self.dns if method.api == "dns" else self.identity
            return answers.answer(method, named, query, body or {})


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # Several tasks ask at once.
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever is killed breaks the connection off; that is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def variable(api: str) -> str:
    """gcloud's variable that names the endpoint of an API."""
    return f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}"


def environment_of(url: str) -> dict[str, str]:
    """gcloud's variables that name the endpoints of a server."""
    of_apis = {"dns": "/dns/v1/", "iam": "/iam/v1/", "cloudresourcemanager": "/crm/v1/"}
    return {variable(api): f"{url}{of_apis.get(api, prefix)}" for api, (_name, prefix) in APIS.items()}


def write_credentials(url: str, file: pathlib.Path) -> None:
    """Write the key of a service account, whose tokens are those of a server."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    described = {
        "type": "service_account",
        "project_id": "my-project",
        "private_key_id": "1",
        "private_key": private.decode(),
        "client_email": "admin@my-project.iam.gserviceaccount.com",
        "token_uri": f"{url}/token",
    }
    file.write_text(json.dumps(described))


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_tests: GoogleServer

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""

    def _respond(self) -> None:
        place = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(place.query))
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        server = self.server_of_tests
        fault: int | str | None = None
        try:
            if place.path == "/token":
                self._send(200, {"access_token": server.token, "expires_in": 3600, "token_type": "Bearer"})
                return
            scheme, _space, token = self.headers.get("Authorization", "").partition(" ")
            if scheme != "Bearer" or not server.accepts(token):
                raise Refusal(401, "required", "Request is missing required authentication credential.")
            body = json.loads(raw) if raw else None
            method, named = method_of(self.command, urllib.parse.unquote(place.path))
            call = Call(f"{method.api}.{method.collection}.{method.verb}", place.path, body)
            server.calls.append(call)
            fault = server.fault(call)
            if fault == "reset":
                self._reset()
                return
            if isinstance(fault, int):
                raise Refusal(fault, "rateLimitExceeded" if fault == 429 else "backendError", f"fault {fault}")
            status, answer = 200, server.carry_out(method, named, query, body)
        except Refusal as error:
            reason = [{"message": str(error), "domain": "global", "reason": error.reason}]
            status, answer = error.status, {"error": {"code": error.status, "message": str(error), "errors": reason}}
        if fault == "lost":
            self._reset()
            return
        self._send(status, answer)

    def _send(self, status: int, answer: Any) -> None:
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _respond
