# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file repository of a test: the lab's files, and more that the test can change and take away."""

from __future__ import annotations

import contextlib
import functools
import http.server
import pathlib
import threading
from collections.abc import Iterator
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import network, servers

# Beside those of the lab.
_PORT = 5002


class FileRepository:
    """files: path -> content of those that the lab does not have. asked: the paths of them that were asked for.

    stopped: whether it answers no request for them any more.
    """

    def __init__(self) -> None:
        self.url = ""
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.stopped = False


class _Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments: Any, repository: FileRepository, directory: pathlib.Path) -> None:
        self.repository = repository
        super().__init__(*arguments, directory=str(directory))

    def do_GET(self) -> None:
        path = self.path.lstrip("/")
        if path not in self.repository.files:
            return super().do_GET()
        self.repository.asked.append(path)
        if self.repository.stopped:
            self.close_connection = True
            return None
        content = self.repository.files[path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return None

    def log_message(self, *_arguments: object) -> None:
        """Nothing: what matters is in asked."""


@contextlib.contextmanager
def running() -> Iterator[FileRepository]:
    """It runs, at its url, until the end."""
    repository = FileRepository()
    handler = functools.partial(_Handler, repository=repository, directory=servers.directory())
    with http.server.ThreadingHTTPServer((network.GATEWAY, _PORT), handler) as server:
        repository.url = f"http://{network.GATEWAY}:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield repository
        finally:
            server.shutdown()
