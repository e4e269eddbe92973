# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of all servers: who asks is known by its address."""

from __future__ import annotations

import base64
import http.server
import json
import threading
from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import network


def address_of(server: Mapping[str, Any]) -> str:
    """The first address of a server; "" while it has none."""
    for addresses in server.get("addresses", {}).values():
        for each in addresses:
            if each.get("OS-EXT-IPS:type") == "fixed":
                return str(each["addr"])
    return ""


class Metadata:
    """What the service says. servers: address -> what Nova says to an administrator."""

    def __init__(self) -> None:
        self.servers: dict[str, dict[str, Any]] = {}

    def answer(self, caller: str, path: str) -> bytes | None:
        """What a server gets; None if there is nothing."""
        server = self.servers.get(caller)
        if server is None:
            return None
        if path == "/openstack/latest/meta_data.json":
            return json.dumps(_described(server)).encode()
        if path == "/openstack/latest/user_data":
            return base64.b64decode(server.get("OS-EXT-SRV-ATTR:user_data") or "") or None
        if path == "/latest/meta-data/local-ipv4":
            return caller.encode()
        return None

    def serve(self) -> None:
        """Serve in a thread, as long as the process lives."""
        known = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers one request."""

            def do_GET(self) -> None:
                """As Nova's: no more than is known."""
                found = known.answer(self.client_address[0], self.path)
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Length", str(len(found or b"")))
                self.end_headers()
                self.wfile.write(found or b"")

            def log_message(self, format: str, *values: object) -> None:
                """Nothing."""

        server = http.server.ThreadingHTTPServer((network.BRIDGE.gateway, network.METADATA_PORT), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()


def _described(server: Mapping[str, Any]) -> dict[str, Any]:
    key = hosts.key_pair().with_suffix(".pub").read_text().strip() if server.get("key_name") else ""
    return {
        "uuid": server["id"],
        "name": server["name"],
        "hostname": server["name"],
        "availability_zone": server["OS-EXT-AZ:availability_zone"],
        "project_id": server["tenant_id"],
        "meta": server["metadata"],
        "public_keys": {server["key_name"]: key} if key else {},
    }
