# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata server of an instance of Google Cloud on loopback."""

from __future__ import annotations

import contextlib
import http.server
import json
import secrets
import threading
import urllib.parse
from collections.abc import Iterator, Mapping

PROJECT, REGION, ZONE, INSTANCE, CLUSTER = "project-1", "us-test1", "us-test1-a", "nodes-a-x1y2", "demo.example.com"
TOKEN = "instance/service-accounts/default/token"
_ROOT = "/computeMetadata/v1/"


class MetadataServer(http.server.BaseHTTPRequestHandler):
    """paths: path below computeMetadata/v1/ -> text. tokens: those that are valid. asked: paths of all requests.

    statuses: of the next answers, whatever is asked for. seconds: that a token is good for. flavor: in answers.
    """

    protocol_version = "HTTP/1.1"
    paths: dict[str, str] = {}
    tokens: set[str] = set()
    asked: list[str] = []
    statuses: list[int] = []
    seconds = 3599
    flavor = "Google"

    def do_GET(self) -> None:
        path = urllib.parse.urlsplit(self.path).path.removeprefix(_ROOT)
        self.asked.append(path)
        if not path.strip("/"):
            self.answer(200)
        elif self.headers.get("Metadata-Flavor") != "Google":
            self.answer(403, "Missing required header: Metadata-Flavor")
        elif self.statuses:
            self.answer(self.statuses.pop(0))
        elif path == TOKEN:
            given = {"access_token": self.token(), "expires_in": self.seconds, "token_type": "Bearer"}
            self.answer(200, json.dumps(given))
        elif path in self.paths:
            self.answer(200, self.paths[path])
        else:
            self.answer(404, "not found")

    def token(self) -> str:
        """One that is valid."""
        token = f"ya29.{secrets.token_urlsafe(16)}"
        self.tokens.add(token)
        return token

    def answer(self, status: int, text: str = "") -> None:
        self.send_response(status)
        headers = {"Content-Length": str(len(text.encode())), "Metadata-Flavor": self.flavor}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments: object) -> None:
        """Nothing: requests are looked at in tests."""


def paths_of_an_instance(
    instance: str = INSTANCE, address: str = "10.0.0.7", zone: str = ZONE, cluster: str = CLUSTER
) -> dict[str, str]:
    """What the server of an instance says."""
    return {
        "project/project-id": PROJECT,
        "instance/name": instance,
        "instance/hostname": f"{instance}.{zone}.c.{PROJECT}.internal",
        "instance/zone": f"projects/123456789012/zones/{zone}",
        "instance/network-interfaces/0/ip": address,
        "instance/attributes/cluster-name": cluster,
    }


@contextlib.contextmanager
def running(paths: Mapping[str, str]) -> Iterator[tuple[str, type[MetadataServer]]]:
    """HOST:PORT (for GCE_METADATA_HOST), and what it says."""
    own = {"paths": dict(paths), "tokens": set(), "asked": [], "statuses": []}
    handler = type("Handler", (MetadataServer,), own)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}", handler
        finally:
            server.shutdown()
