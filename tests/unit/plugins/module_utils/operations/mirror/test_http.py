# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads from servers that break off, lie, are busy or refuse."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import json
import pathlib
import threading
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.download import DownloadError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.http import Refused, answer, fetch_to

CONTENT = bytes(range(256)) * 4096
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.BaseHTTPRequestHandler):
    """Sends CONTENT. cut: after how many bytes the next answers break off. understands_ranges: else it sends all."""

    cut: list[int] = []
    statuses: list[int] = []
    ranges: list[str] = []
    seen: list[str] = []
    understands_ranges = True
    body = b""

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization", ""))
        asked = self.headers.get("Range", "")
        self.ranges.append(asked)
        if self.path.startswith("/elsewhere/"):
            self.send_response(302)
            self.send_header("Location", "http://localhost:" + self.path.removeprefix("/elsewhere/"))
            self.end_headers()
            return
        if self.statuses:
            self.send_response(self.statuses.pop(0))
            self.send_header("Content-Length", str(len(self.body)))
            self.end_headers()
            self.wfile.write(self.body)
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.understands_ranges else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start : start + self.cut.pop(0)] if self.cut else CONTENT[start:])

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, type[Server]]]:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with running() as started:
        yield started


@contextlib.contextmanager
def running() -> Iterator[tuple[str, type[Server]]]:
    handler = type("Handler", (Server,), {"cut": [], "statuses": [], "ranges": [], "seen": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as started:
        threading.Thread(target=started.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{started.server_port}/", handler
        finally:
            started.shutdown()


@pytest.mark.parametrize("understands_ranges", [True, False])
def test_a_server_that_breaks_off(
    server: tuple[str, type[Server]], tmp_path: pathlib.Path, understands_ranges: bool
) -> None:
    url, handler = server
    handler.cut[:], handler.understands_ranges = [1000, 500], understands_ranges
    assert fetch_to(url, tmp_path / "file", sha256=SHA256) == SHA256
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert handler.ranges == ["", "bytes=1000-", f"bytes={1500 if understands_ranges else 500}-"]


def test_a_server_that_always_breaks_off(server: tuple[str, type[Server]], tmp_path: pathlib.Path) -> None:
    url, handler = server
    handler.cut[:] = [10] * 9
    with pytest.raises(DownloadError, match=r"the server broke off after 10 of \d+ bytes"):
        fetch_to(url, tmp_path / "file", sha256=SHA256)
    handler.cut.clear()
    # A later run goes on.
    assert fetch_to(url, tmp_path / "file", sha256=SHA256) == SHA256
    assert handler.ranges[-1] == "bytes=50-"


def test_a_wrong_checksum(server: tuple[str, type[Server]], tmp_path: pathlib.Path) -> None:
    url, handler = server
    with pytest.raises(DownloadError, match=f"its SHA-256 is {SHA256} .* but {'0' * 64} is expected"):
        fetch_to(url, tmp_path / "file", sha256="0" * 64)
    assert not (tmp_path / "file").exists()
    assert len(handler.ranges) == 1


def test_the_beginning_of_another_file_is_not_kept(server: tuple[str, type[Server]], tmp_path: pathlib.Path) -> None:
    url, handler = server
    (tmp_path / "file").write_bytes(b"something else")
    assert fetch_to(url, tmp_path / "file", sha256=SHA256) == SHA256
    assert handler.ranges == ["bytes=14-", ""]


def test_a_busy_server_is_asked_again(server: tuple[str, type[Server]], tmp_path: pathlib.Path) -> None:
    url, handler = server
    handler.statuses[:] = [503, 429]
    assert fetch_to(url, tmp_path / "file") == SHA256
    assert len(handler.ranges) == 3


def test_a_refusal_says_what_the_server_says(server: tuple[str, type[Server]]) -> None:
    url, handler = server
    handler.statuses[:] = [403]
    handler.body = json.dumps({"errors": [{"code": "DENIED", "message": "not yours"}]}).encode()
    with pytest.raises(Refused, match=r"403 Forbidden \(DENIED: not yours\)") as caught, answer(url):
        pass
    assert caught.value.status == 403
    assert not caught.value.may_pass


def test_a_login_does_not_follow_to_another_server(server: tuple[str, type[Server]]) -> None:
    url, handler = server
    with running() as (other, theirs):
        port = other.rsplit(":", 1)[1]
        with answer(f"{url}elsewhere/{port}", authorization="Basic secret") as opened:
            assert opened.read() == CONTENT
        assert handler.seen == ["Basic secret"]
        assert theirs.seen == [""]
