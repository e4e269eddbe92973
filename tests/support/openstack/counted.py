# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second region of an OpenStack, with the same services behind gates that count what users ask.

What services ask each other goes to the first region, and is not counted.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from ansible_collections.kubeops.kops.tests.support.openstack.cloud import OpenStack
from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST

REGION = "Counted"
_SECONDS_TO_ANSWER = 300
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "COPY", "OPTIONS")
# Headers that are about one connection, and not about what is said.
_OF_A_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_ID = re.compile(r"(AUTH_)?([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})")


@dataclass(frozen=True)
class Call:
    """A request of a user. path: with ids as {id}, and without its query. reads: nothing is changed by it."""

    service: str
    method: str
    path: str
    reads: bool


class Counted:
    """The region, for as long as the block runs."""

    def __init__(self, cloud: OpenStack) -> None:
        self._lock, self._calls = threading.Lock(), Counter[Call]()
        self._gates: dict[str, ThreadingHTTPServer] = {}
        identity = cloud.admin.identity
        names = {each.id: each.name for each in identity.services()}
        identity.create_region(id=REGION)
        # Services look for each other's internal ones, and some of them in any region.
        for endpoint in list(identity.endpoints(interface="public")):
            url = self._through(names[endpoint.service_id], endpoint.url)
            identity.create_endpoint(service_id=endpoint.service_id, interface="public", url=url, region_id=REGION)
        self._auth_url = self._through("keystone", cloud.keystone.url)

    def __enter__(self) -> Counted:
        return self

    def __exit__(self, *_error: object) -> None:
        for each in self._gates.values():
            each.shutdown()
            each.server_close()

    def login(self, login: dict[str, str]) -> dict[str, str]:
        """The environment of a user who uses this region. login: that of one who uses the first one."""
        return {**login, "OS_REGION_NAME": REGION, "OS_AUTH_URL": self._auth_url}

    @contextlib.contextmanager
    def recorded(self) -> Iterator[Counter[Call]]:
        """What is asked while the block runs."""
        with self._lock:
            calls = self._calls = Counter()
        yield calls

    def _through(self, service: str, url: str) -> str:
        """The same URL at the gate of a service."""
        origin = "http://" + urlsplit(url).netloc
        if origin not in self._gates:
            gate = ThreadingHTTPServer((HOST, 0), _handler(service, origin, self._note))
            threading.Thread(target=gate.serve_forever, daemon=True).start()
            self._gates[origin] = gate
        return url.replace(origin, f"http://{HOST}:{self._gates[origin].server_address[1]}")

    def _note(self, call: Call) -> None:
        with self._lock:
            self._calls[call] += 1


def _handler(service: str, origin: str, note: Any) -> type[BaseHTTPRequestHandler]:
    """What passes requests on to a service. origin: where it is. note: is told of each call."""

    class Gate(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # One packet for each answer, which is sent at once.
        wbufsize, disable_nagle_algorithm = -1, True

        def _pass_on(self) -> None:
            body = self._body()
            path = _ID.sub("{id}", urlsplit(self.path).path)
            note(Call(service, self.command, path, _reads(service, self.command, path, body)))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _OF_A_CONNECTION}
            if body or self.command in ("POST", "PUT", "PATCH"):
                headers["Content-Length"] = str(len(body))
            # The name of the host is kept: services make links of it.
            connection = http.client.HTTPConnection(urlsplit(origin).netloc, timeout=_SECONDS_TO_ANSWER)
            with contextlib.closing(connection):
                connection.request(self.command, self.path, body or None, headers)
                answer = connection.getresponse()
                # Octavia's links do not depend on it.
                own = f"http://{HOST}:{self.connection.getsockname()[1]}".encode()
                content = answer.read().replace(origin.encode(), own)
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.getheaders():
                if name.lower() not in _OF_A_CONNECTION:
                    self.send_header(name, value)
            if self.command == "HEAD":
                self.send_header("Content-Length", answer.getheader("Content-Length") or "0")
            elif answer.status != http.client.NO_CONTENT:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            content = b""
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return content

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    for method in _METHODS:
        setattr(Gate, f"do_{method}", Gate._pass_on)
    return Gate


def _reads(service: str, method: str, path: str, body: bytes) -> bool:
    if method in ("GET", "HEAD", "OPTIONS"):
        return True
    # A login, and the question what a console says.
    return (service == "keystone" and path.endswith("/auth/tokens")) or b"os-getConsoleOutput" in body[:100]
