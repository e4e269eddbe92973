# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a bucket of Cloud Storage is, and who gets the token."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.gs_bucket import Bucket

from .conftest import Account


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("", "", "https://storage.googleapis.com"),
        ("STORAGE_EMULATOR_HOST", "127.0.0.1:80", "http://127.0.0.1:80"),
        ("STORAGE_EMULATOR_HOST", "http://127.0.0.1:80/", "http://127.0.0.1:80"),
        (
            "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE",
            "https://s.p.googleapis.com/storage/v1/",
            "https://s.p.googleapis.com",
        ),
    ],
)
def test_the_endpoint(variable: str, value: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STORAGE_EMULATOR_HOST", "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, value)
    url = Bucket("store", Account(set())).url("demo.example.com/a b", alt="media")
    assert url == f"{expected}/storage/v1/b/store/o/demo.example.com%2Fa%20b?alt=media"


class _Redirecting(BaseHTTPRequestHandler):
    """It sends everybody to another path of its own. seen: path and token of each request."""

    seen: list[tuple[str, str | None]] = []

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization")))
        self.send_response(200 if self.path == "/elsewhere" else 307)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


def test_the_token_does_not_follow_a_redirection(monkeypatch: pytest.MonkeyPatch) -> None:
    with HTTPServer(("127.0.0.1", 0), _Redirecting) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("no_proxy", "*")
        Bucket("store", Account(set())).read("a")
        server.shutdown()
    assert _Redirecting.seen == [("/storage/v1/b/store/o/a?alt=media", "Bearer token-0"), ("/elsewhere", None)]
