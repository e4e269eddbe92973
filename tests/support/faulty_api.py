# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server between clients and a real API server, which counts requests and spoils some of them."""

from __future__ import annotations

import contextlib
import http.client
import json
import pathlib
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import (
    RetryPolicy,
    read_kubeconfig,
    tls_context,
)
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, kubeconfig

# The request is lost with its connection, before the API server gets it; or only the answer is.
LOST, UNANSWERED = -1, -2


@dataclass
class Request:
    """One request. sent, received: bytes of the bodies."""

    method: str
    target: str
    sent: int = 0
    received: int = 0

    @property
    def is_write(self) -> bool:
        return self.method != "GET" and "dryRun=All" not in self.target


@dataclass
class FaultyAPI:
    """What was asked, and what goes wrong.

    spoil: what happens to a request: 0 nothing, an HTTP status that it is answered with instead, LOST or UNANSWERED.
    """

    kubeconfig: str = ""
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    spoil: Callable[[Request], int] = lambda request: 0

    def client(self, check: bool = False, deadline: float = 20) -> KubernetesClient:
        return KubernetesClient.from_kubeconfig(self.kubeconfig, check=check, retry=RetryPolicy(deadline=deadline))

    def writes(self) -> list[Request]:
        return [request for request in self.requests if request.is_write]


@contextlib.contextmanager
def faulty_api(running: ControlPlane, directory: pathlib.Path) -> Iterator[FaultyAPI]:
    """The server, on loopback; directory: for its files."""
    _server, credentials = read_kubeconfig(running.kubeconfig)
    upstream, api, lock, own = tls_context(credentials), FaultyAPI(), threading.Lock(), threading.local()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Small answers are sent at once.
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            with lock:
                api.connections += 1

        def handle_one_request(self) -> None:
            with contextlib.suppress(OSError, ssl.SSLError):
                super().handle_one_request()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(self.command, self.path, len(body))
            with lock:
                api.requests.append(request)
                fault = api.spoil(request)
            if fault == LOST:
                self.close_connection = True
                return
            if fault > 0:
                refusal = {"kind": "Status", "message": "the test says so", "code": fault}
                self._send(fault, json.dumps(refusal).encode())
                return
            status, answer = self._forward(body)
            request.received = len(answer)
            if fault == UNANSWERED:
                self.close_connection = True
                return
            self._send(status, answer)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer

        def _forward(self, body: bytes) -> tuple[int, bytes]:
            if not hasattr(own, "connection"):
                own.connection = http.client.HTTPSConnection("127.0.0.1", running.port, context=upstream)
            headers = {name: self.headers[name] for name in ("Accept", "Content-Type") if name in self.headers}
            own.connection.request(self.command, self.path, body or None, headers)
            response = own.connection.getresponse()
            return response.status, response.read()

        def _send(self, status: int, answer: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_arguments: object) -> None:
            pass

    certificate, key = running.authority.issue("proxy")
    (directory / "proxy.pem").write_text(certificate + key)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(directory / "proxy.pem")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    admin = running.authority.issue("admin", "system:masters")
    url = f"https://127.0.0.1:{server.server_port}"
    (directory / "proxy.kubeconfig").write_text(kubeconfig(url, running.authority.pem, *admin))
    api.kubeconfig = str(directory / "proxy.kubeconfig")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
