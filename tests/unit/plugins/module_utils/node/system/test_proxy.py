# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests of nodes go through the proxy."""

from __future__ import annotations

import urllib.error
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.fetch import RetryPolicy, fetch_text
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.proxy import opener, proxy_for

EXCLUDES = "10.0.0.0/8, fd00::/8,*.example.com,.internal,mirror"


@pytest.fixture(name="proxied")
def make_proxied(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The environment of a node with a proxy where nobody answers."""
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://user:p4ss@127.0.0.1:9")
    monkeypatch.setenv("no_proxy", EXCLUDES)
    return monkeypatch


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://10.1.2.3/x", ""),
        ("http://10.1.2.3:8080/x", ""),
        ("http://[fd00::1]:80/x", ""),
        ("http://a.example.com/x", ""),
        ("http://b.internal/x", ""),
        ("http://mirror/x", ""),
        ("http://11.1.2.3/x", "127.0.0.1:9"),
        ("http://example.org/x", "127.0.0.1:9"),
        ("http://example.com/x", "127.0.0.1:9"),
        ("https://example.org/x", ""),
    ],
)
@pytest.mark.usefixtures("proxied")
def test_networks_and_patterns_are_reached_directly(url: str, proxy: str) -> None:
    assert proxy_for(url) == proxy


class _Mirror(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


def test_a_network_is_not_asked_of_the_proxy(proxied: pytest.MonkeyPatch) -> None:
    server = HTTPServer(("127.0.0.1", 0), _Mirror)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/x"
    with pytest.raises(urllib.error.URLError):
        opener().open(url, timeout=5)
    proxied.setenv("no_proxy", "127.0.0.0/8")
    with opener().open(url, timeout=5) as answer:
        assert answer.read() == b"hello"
    server.shutdown()
    server.server_close()


@pytest.mark.usefixtures("proxied")
def test_the_message_names_the_proxy_without_its_password() -> None:
    with pytest.raises(KopsError, match=r"through the egress proxy 127.0.0.1:9") as told:
        fetch_text("file:/x", "http://example.org/x", RetryPolicy(attempts=1, timeout=2))
    assert "p4ss" not in str(told.value)
