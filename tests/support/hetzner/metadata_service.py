# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of a server of Hetzner Cloud, on loopback."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator, Mapping

NETWORKS = """- ip: 10.1.0.9
  alias_ips: []
  interface_num: 2
  mac_address: 86:00:00:2a:7d:e1
  network_id: 4712
  network_name: other
  network: 10.1.0.0/16
  subnet: 10.1.0.0/24
  gateway: 10.1.0.1
- ip: 10.0.0.7
  alias_ips: [10.0.0.8]
  interface_num: 1
  mac_address: 86:00:00:2a:7d:e0
  network_id: 4711
  network_name: demo.example.com
  network: 10.0.0.0/16
  subnet: 10.0.0.0/16
  gateway: 10.0.0.1
"""


@contextlib.contextmanager
def serving(said: Mapping[str, str]) -> Iterator[str]:
    """Its endpoint. said: path below it -> what it says."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = said.get(self.path.removeprefix("/hetzner/v1/metadata/"))
            self.send_response(404 if text is None else 200)
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, *_arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/hetzner/v1/metadata"
        finally:
            server.shutdown()
