# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to Cloud Storage: where they go, with which credentials, what is tried again, and errors as sentences."""

from __future__ import annotations

import json
import pathlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import google.auth.exceptions
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import gs_bucket
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.google import CREDENTIALS_VARIABLE
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.gs_bucket import (
    ATTEMPTS,
    EMULATOR,
    OVERRIDE,
    Bucket,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import StoreError
from ansible_collections.kubeops.kops.tests.support.storage_server import Fault, Service
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


@pytest.mark.parametrize(
    ("environment", "expected", "anonymous"),
    [
        ({}, "https://storage.googleapis.com", False),
        ({EMULATOR: "127.0.0.1:80"}, "http://127.0.0.1:80", True),
        ({EMULATOR: "https://localhost:4443/"}, "https://localhost:4443", True),
        ({OVERRIDE: "https://storage-x.p.googleapis.com/storage/v1/"}, "https://storage-x.p.googleapis.com", False),
        ({OVERRIDE: "https://storage-x.p.googleapis.com", EMULATOR: ""}, "https://storage-x.p.googleapis.com", False),
    ],
)
def test_the_endpoint(
    environment: dict[str, str], expected: str, anonymous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (EMULATOR, OVERRIDE):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    bucket = Bucket("b")
    assert (bucket.endpoint, bucket.is_anonymous) == (expected, anonymous)
    assert bucket.object_url("a/b c") == f"{expected}/storage/v1/b/b/o/a%2Fb%20c"


def test_what_is_busy_or_breaks_is_asked_again(service: Service, gs_bucket_name: str) -> None:
    path = open_path(f"gs://{gs_bucket_name}/config")
    service.faults = [Fault("POST", 503), Fault("POST"), Fault("POST", 429), Fault("POST", 408)]
    path.write(b"x" * 1000)
    service.faults = [Fault("GET", 500), Fault("GET", act=True, after=500), Fault("GET", 504)]
    assert path.read() == b"x" * 1000
    service.faults = [Fault("DELETE", act=True)]
    path.remove()
    assert not service.buckets[gs_bucket_name].objects
    assert not service.faults


def test_what_stays_busy_is_an_error(service: Service, gs_bucket_name: str) -> None:
    service.faults = [Fault("GET", 503) for _attempt in range(100)]
    with pytest.raises(StoreError, match=f"cannot list gs://{gs_bucket_name}: HTTP 503"):
        open_path(f"gs://{gs_bucket_name}").list_tree()
    assert len(service.asked) == ATTEMPTS


def test_a_missing_bucket_is_named(service: Service) -> None:
    path = open_path("gs://no-such-bucket/demo")
    for use in (path.read, path.list_tree, path.remove, path.advice, lambda: path.write(b"x", if_none_match=True)):
        with pytest.raises(StoreError, match="gs://no-such-bucket: the bucket no-such-bucket does not exist"):
            use()


def test_whether_there_is_the_bucket_is_asked_once(service: Service, gs_bucket_name: str) -> None:
    for _time in range(3):
        with pytest.raises(FileNotFoundError, match="gs://.*/none"):
            open_path(f"gs://{gs_bucket_name}/none").read()
    assert len(service.asked) == 4


def test_missing_permissions_are_said_in_the_words_of_google(service: Service, gs_bucket_name: str) -> None:
    path = open_path(f"gs://{gs_bucket_name}/config")
    service.buckets[gs_bucket_name].denied = {"get", "create", "list", "delete"}
    for use, permission in (
        (path.read, "get"),
        (lambda: path.write(b"x"), "create"),
        (path.list_tree, "list"),
        (path.remove, "delete"),
    ):
        with pytest.raises(
            StoreError,
            match=rf"cannot \w+ gs://.*the credentials lack a permission \(.*storage.objects.{permission} access",
        ):
            use()


def test_a_bucket_that_asks_its_readers_to_pay(service: Service, gs_bucket_name: str) -> None:
    said = b'{"error": {"message": "Bucket is a requester pays bucket but no user project provided."}}'
    service.faults = [Fault("GET", status=400, content=said)]
    with pytest.raises(StoreError, match="paid by its owner: gcloud storage buckets update .* --no-requester-pays"):
        open_path(f"gs://{gs_bucket_name}").list_tree()


def test_an_unreachable_store(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    monkeypatch.setenv(EMULATOR, address)
    with pytest.raises(StoreError, match="cannot read gs://bucket: .*; check the network, proxies, STORAGE_"):
        open_path("gs://bucket/config").read()


class _TokenService(BaseHTTPRequestHandler):
    """Where a service account gets tokens for what it has signed."""

    given: list[str] = []
    refuses = False

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        token = f"token-{len(self.given)}"
        answer = {"error": "invalid_grant"} if self.refuses else {"access_token": token, "expires_in": 3600}
        if not self.refuses:
            self.given.append(token)
        content = json.dumps(answer).encode()
        self.send_response(400 if self.refuses else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def tokens(
    service: Service, storage: tuple[str, Service], monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> Iterator[type[_TokenService]]:
    """A service account, and a Cloud Storage that is asked with its tokens."""
    with HTTPServer(("127.0.0.1", 0), type("Handler", (_TokenService,), {"given": []})) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        file = tmp_path / "account.json"
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        known = {"type": "service_account", "client_email": "robot@example.com", "private_key": pem}
        file.write_text(json.dumps({**known, "token_uri": f"http://127.0.0.1:{server.server_port}"}))
        monkeypatch.setenv(CREDENTIALS_VARIABLE, str(file))
        monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "project")
        monkeypatch.delenv(EMULATOR)
        monkeypatch.setenv(OVERRIDE, storage[0])
        handler: type[_TokenService] = server.RequestHandlerClass  # type: ignore[assignment]
        yield handler
        server.shutdown()


def test_requests_carry_the_credentials(
    service: Service, tokens: type[_TokenService], gs_bucket_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.tokens = {"token-0"}
    path = open_path(f"gs://{gs_bucket_name}/config")
    path.write(b"x")
    assert path.read() == b"x"
    # One that is not taken any more is replaced.
    service.tokens = {"token-1"}
    assert path.read() == b"x"
    assert tokens.given == ["token-0", "token-1"]


def test_credentials_that_google_does_not_accept(
    service: Service, tokens: type[_TokenService], gs_bucket_name: str
) -> None:
    tokens.refuses = True
    with pytest.raises(StoreError, match="does not accept the credentials.*gcloud auth application-default login"):
        open_path(f"gs://{gs_bucket_name}/config").read()
    tokens.refuses, service.tokens = False, set()
    with pytest.raises(StoreError, match=r"Google does not accept the credentials \(Invalid Credentials\)") as caught:
        open_path(f"gs://{gs_bucket_name}/config").read()
    assert not any(secret in f"{caught.value!r}" for secret in ("PRIVATE KEY", "token-0"))


def test_whoever_gives_tokens_is_unreachable(
    service: Service, tokens: type[_TokenService], gs_bucket_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_more: object) -> None:
        raise google.auth.exceptions.TransportError("nobody answers")

    monkeypatch.setattr("google.oauth2.service_account.Credentials.refresh", refuse)
    with pytest.raises(StoreError, match=f"cannot read gs://{gs_bucket_name}: nobody answers; check the network"):
        open_path(f"gs://{gs_bucket_name}/config").read()


def test_no_credentials(service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.delenv(EMULATOR)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    with pytest.raises(StoreError, match="cannot list gs://bucket: no credentials for Google Cloud were found"):
        open_path("gs://bucket").list_tree()
    monkeypatch.setenv(CREDENTIALS_VARIABLE, str(tmp_path / "none.json"))
    with pytest.raises(StoreError, match=f"the Google credentials that {CREDENTIALS_VARIABLE} names cannot be used"):
        open_path("gs://bucket").list_tree()


def test_buckets_of_an_account_are_asked_by_one_client(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gs_bucket.bucket_named("a") is gs_bucket.bucket_named("a")
    before = gs_bucket.bucket_named("a")
    monkeypatch.setenv(CREDENTIALS_VARIABLE, "/another.json")
    assert gs_bucket.bucket_named("a") is not before
