# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server of files on loopback, in the place of publishers and file repositories."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Callable, Iterator


class FileServer(http.server.BaseHTTPRequestHandler):
    """Files by their path; every request is kept. statuses: of the next answers. before: called before each answer."""

    files: dict[str, str] = {}
    asked: list[str] = []
    statuses: list[int] = []
    before: Callable[[], object] = staticmethod(lambda: None)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.before()
        found = 200 if self.path in self.files else 404
        self.send_response(self.statuses.pop(0) if self.statuses else found)
        self.end_headers()
        self.wfile.write(self.files.get(self.path, "").encode())

    def log_message(self, *_arguments: object) -> None:
        """Nothing: requests are looked at in tests."""


@contextlib.contextmanager
def running() -> Iterator[tuple[str, type[FileServer]]]:
    """Its URL, and what it serves."""
    handler = type("Handler", (FileServer,), {"files": {}, "asked": [], "statuses": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", handler
        server.shutdown()
