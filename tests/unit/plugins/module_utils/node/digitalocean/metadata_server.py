# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A droplet's metadata service on loopback."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def answering(told: dict[str, Any]) -> Iterator[str]:
    """Its place. told: what it says of the droplet, which may change."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = json.dumps(told).encode() if self.path == "/metadata/v1.json" else b""
            self.send_response(200 if content else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(5)


def droplet(identifier: int = 4711, name: str = "nodes-0a1b2c3d", address: str = "10.20.0.7") -> dict[str, Any]:
    """What is said of a droplet with a private address; "" for none."""
    private = [{"ipv4": {"ip_address": address, "netmask": "255.255.0.0"}, "type": "private"}] if address else []
    public = [{"ipv4": {"ip_address": "198.18.0.7", "netmask": "255.255.0.0"}, "type": "public"}]
    interfaces = {"public": public, **({"private": private} if private else {})}
    return {"droplet_id": identifier, "hostname": name, "region": "tor1", "interfaces": interfaces}
