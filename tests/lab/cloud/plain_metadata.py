# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A metadata service that answers each server with texts of its own: who asks is known by its address."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.lab.cloud import network


class Metadata:
    """What the service says. servers: address -> path -> text."""

    def __init__(self) -> None:
        self.servers: dict[str, Mapping[str, str]] = {}

    def serve(self) -> None:
        """Serve in a thread, as long as the process lives."""
        known = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers one request."""

            def do_GET(self) -> None:
                """No more than is known of whoever asks."""
                found = known.servers.get(self.client_address[0], {}).get(self.path)
                text = (found or "").encode()
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *values: object) -> None:
                """Nothing."""

        server = http.server.ThreadingHTTPServer((network.BRIDGE.gateway, network.METADATA_PORT), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
