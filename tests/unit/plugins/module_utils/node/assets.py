# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server of files on the loopback that can be as bad as the real ones."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FAST = {"attempts": 3, "pause": 0.01, "longest_pause": 0.02, "timeout": 5.0}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def archive(members: dict[str, bytes]) -> bytes:
    """A tar.gz, the same for the same members."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


class Assets:
    """files: path -> content. cut: path -> bytes after which the connection ends, once for each entry.

    answers: path -> codes to answer with first. wrong: paths of which the content is not what it should be.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut: dict[str, list[int]] = {}
        self.answers: dict[str, list[int]] = {}
        self.wrong: set[str] = set()
        self.ranges = True
        self.requests: list[tuple[str, str]] = []
        self.url = ""

    def add(self, path: str, content: bytes) -> dict[str, Any]:
        """Serve a file; returns its urls and sha256, as a NodeConfig has them."""
        self.files[path] = content
        return {"urls": [self.url + path], "sha256": sha256(content)}


@contextmanager
def serve() -> Iterator[Assets]:
    assets = Assets()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            assets.requests.append((self.path, asked))
            codes = assets.answers.get(self.path)
            content = assets.files.get(self.path)
            if codes:
                self._end(codes.pop(0))
            elif content is None:
                self._end(404)
            else:
                self._send(content, asked)

        def _end(self, code: int) -> None:
            self.send_response(code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _send(self, content: bytes, asked: str) -> None:
            start = int(asked[len("bytes=") : -1]) if asked and assets.ranges else 0
            if start >= len(content) > 0 and asked and assets.ranges:
                self._end(416)
                return
            if self.path in assets.wrong:
                content = bytes(255 - each for each in content)
            body = content[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            cuts = assets.cut.get(self.path)
            if cuts:
                self.wfile.write(body[: cuts.pop(0)])
                self.close_connection = True
            else:
                self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # A client that was killed in the middle is what this is for.

    server = Server(("127.0.0.1", 0), Handler)
    assets.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield assets
    finally:
        server.shutdown()
        server.server_close()
