# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registries that ask for tokens, refuse or have no space left, as far as a real one cannot be made to do it."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import json
import pathlib
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.download import DownloadError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.credentials import Credentials
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.registry import (
    Descriptor,
    Registries,
    Registry,
)

BLOB = b"content"
DESCRIPTOR = Descriptor(f"sha256:{hashlib.sha256(BLOB).hexdigest()}", len(BLOB))
LOGIN = f"Basic {base64.b64encode(b'me:hunter2').decode()}"


class Guarded(http.server.BaseHTTPRequestHandler):
    """A registry with a server of tokens. statuses: path's last part -> the status that it answers with."""

    tokens: list[dict[str, list[str]]] = []
    logins: list[str] = []
    valid = "first"
    realm = ""
    statuses: dict[str, int] = {}
    written: list[bytes] = []

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def is_known(self) -> bool:
        if self.headers.get("Authorization") == f"Bearer {self.valid}":
            return True
        realm = self.realm or f"http://{self.headers['Host']}/token"
        challenge = f'Bearer realm="{realm}",service="registry",scope="repository:a/b:pull,push"'
        self.answer(401, WWW_Authenticate=challenge)
        return False

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/token":
            self.tokens.append(parse_qs(parts.query))
            self.logins.append(self.headers.get("Authorization", ""))
            if self.headers.get("Authorization") in (LOGIN, None):
                self.answer(200, json.dumps({"token": self.valid}).encode())
            else:
                self.answer(401)
        elif self.is_known():
            self.answer(200, BLOB)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if self.path == "/token":
            self.tokens.append(parse_qs(body.decode()))
            self.answer(200, json.dumps({"access_token": self.valid}).encode())
        elif self.is_known():
            self.answer(self.statuses.get("POST", 202), _problem("DENIED", "no push"), Location="/v2/upload?state=1")

    def do_PUT(self) -> None:
        self.written.append(self.rfile.read(int(self.headers["Content-Length"])))
        if self.is_known():
            self.answer(self.statuses.get("PUT", 201), _problem("UNKNOWN", "no space left on device"))

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


def _problem(code: str, message: str) -> bytes:
    return json.dumps({"errors": [{"code": code, "message": message}]}).encode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, type[Guarded]]]:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    fresh = {"tokens": [], "logins": [], "statuses": {}, "written": []}
    handler = type("Handler", (Guarded,), fresh)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as started:
        threading.Thread(target=started.serve_forever, args=(0.02,), daemon=True).start()
        yield f"127.0.0.1:{started.server_port}", handler
        started.shutdown()


def registry(host: str, tmp_path: pathlib.Path, **entry: str) -> Registry:
    """A client whose file of logins has this entry for the host."""
    file = tmp_path / "auth.json"
    file.write_text(json.dumps({"auths": {host: entry} if entry else {}}))
    return Registries(Credentials(str(file))).of(host)


def test_a_token_is_asked_with_the_login_and_used_again(
    server: tuple[str, type[Guarded]], tmp_path: pathlib.Path
) -> None:
    host, handler = server
    client = registry(host, tmp_path, auth=LOGIN.removeprefix("Basic "))
    client.upload("a/b", DESCRIPTOR, io.BytesIO(BLOB))
    client.upload("a/b", DESCRIPTOR, io.BytesIO(BLOB))
    assert handler.written == [BLOB, BLOB]
    assert handler.tokens == [{"service": ["registry"], "scope": ["repository:a/b:pull,push"]}]
    assert handler.logins == [LOGIN]
    # It has ended.
    handler.valid = "second"
    client.upload("a/b", DESCRIPTOR, io.BytesIO(BLOB))
    assert len(handler.tokens) == 2


def test_a_token_for_everyone(server: tuple[str, type[Guarded]], tmp_path: pathlib.Path) -> None:
    host, handler = server
    registry(host, tmp_path).download("a/b", DESCRIPTOR, tmp_path / "blob")
    assert (tmp_path / "blob").read_bytes() == BLOB
    assert handler.logins == [""]


def test_an_identity_token(server: tuple[str, type[Guarded]], tmp_path: pathlib.Path) -> None:
    host, handler = server
    assert registry(host, tmp_path, identitytoken="mine").has("a/b", DESCRIPTOR)
    (form,) = handler.tokens
    assert (form["grant_type"], form["refresh_token"]) == (["refresh_token"], ["mine"])


def test_a_login_that_is_refused(server: tuple[str, type[Guarded]], tmp_path: pathlib.Path) -> None:
    host, _handler = server
    client = registry(host, tmp_path, auth=base64.b64encode(b"me:secret").decode())
    with pytest.raises(DownloadError, match=f"{host} gives no token for the login: 401") as caught:
        client.has("a/b", DESCRIPTOR)
    assert "secret" not in str(caught.value)


def test_a_login_is_not_sent_where_a_registry_with_tls_names_a_server_without(
    server: tuple[str, type[Guarded]], tmp_path: pathlib.Path
) -> None:
    host, handler = server
    handler.realm = "ftp://tokens.example.com/"
    with pytest.raises(KopsError, match="which is not HTTPS: no login is sent"):
        registry(host, tmp_path, auth=LOGIN.removeprefix("Basic ")).has("a/b", DESCRIPTOR)


@pytest.mark.parametrize(
    ("method", "status", "expected"),
    [("POST", 403, "403 Forbidden (DENIED: no push)"), ("PUT", 500, "(UNKNOWN: no space left on device)")],
)
def test_a_push_that_is_refused(
    server: tuple[str, type[Guarded]], tmp_path: pathlib.Path, method: str, status: int, expected: str
) -> None:
    host, handler = server
    handler.statuses[method] = status
    client = registry(host, tmp_path)
    with pytest.raises(DownloadError) as caught:
        client.upload("a/b", DESCRIPTOR, io.BytesIO(BLOB))
    assert expected in str(caught.value)
    # What may pass is tried again, from the beginning.
    assert handler.written == ([BLOB] * 5 if method == "PUT" else [])
