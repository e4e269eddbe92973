# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Others' code and ours agree on Cloud Storage.

The stand-in of tests is driven by Google's own client library, and our stores write to the fake-gcs-server of others.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import pathlib
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.gs import GSStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease, LeaseHeld
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import gs
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import WriteConflict
from ansible_collections.kubeops.kops.tests.support import storage_server
from ansible_collections.kubeops.kops.tests.support.lab_programs import lab_program
from ansible_collections.kubeops.kops.tests.support.node_store_contract import CONTRACT, Place, a_tag_is_of_the_content
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.statestore import test_vfs
from google.api_core.exceptions import NotFound, PreconditionFailed
from google.auth.credentials import AnonymousCredentials
from google.cloud.storage import Client

EMULATOR = "STORAGE_EMULATOR_HOST"


@contextlib.contextmanager
def fake_gcs_server() -> Iterator[str]:
    """The address of the server of others."""
    program = lab_program("fake-gcs-server", "fake-gcs-server")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    options = [
        "-scheme",
        "http",
        "-host",
        "127.0.0.1",
        "-port",
        str(port),
        "-backend",
        "memory",
        "-public-host",
        address,
    ]
    with subprocess.Popen([str(program), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 30
            while True:
                try:
                    with urllib.request.urlopen(f"http://{address}/storage/v1/b?project=p", timeout=5):
                        break
                except OSError:
                    assert time.monotonic() < deadline, "it does not answer"
                    time.sleep(0.05)
            yield f"http://{address}"
        finally:
            process.terminate()


def client_of(url: str) -> Client:
    """Google's own client."""
    return Client("project", AnonymousCredentials(), client_options={"api_endpoint": url})


@pytest.fixture(scope="module")
def stand_in() -> Iterator[tuple[str, storage_server.Service]]:
    with storage_server.running() as found:
        yield found


@pytest.fixture(scope="module", params=["stand-in", pytest.param("fake-gcs-server", marks=pytest.mark.lab_programs)])
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of each of the two in turn."""
    if request.param == "stand-in":
        yield request.getfixturevalue("stand_in")[0]
        return
    with fake_gcs_server() as url:
        yield url


@pytest.fixture
def url(server: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a new, empty bucket, which Google's client has made."""
    name = "".join(each if each.isalnum() else "-" for each in request.node.name.lower())[-60:].strip("-")
    client_of(server).create_bucket(name)
    monkeypatch.setenv(EMULATOR, server)
    monkeypatch.setenv("no_proxy", "*")
    return f"gs://{name}"


@pytest.fixture
def bucket(url: str, server: str) -> Any:
    """The same, for Google's client."""
    return client_of(server).bucket(url.removeprefix("gs://"))


def test_what_googles_client_writes_and_we_read_and_the_other_way_around(url: str, bucket: Any) -> None:
    root, name = open_path(url), "demo.example.com/a b+c"
    bucket.blob(name).upload_from_string(b"theirs")
    assert root.join(name).read() == b"theirs"
    root.join(name).write(b"ours")
    blob = bucket.get_blob(name)
    assert (blob.download_as_bytes(checksum="md5"), blob.size) == (b"ours", 4)
    assert [(each.name, each.md5_hash) for each in bucket.list_blobs(prefix="demo.example.com/")] == [
        (name, "".join(blob.md5_hash))
    ]
    bucket.delete_blob(name)
    with pytest.raises(FileNotFoundError):
        root.join(name).read()
    with pytest.raises(NotFound):
        bucket.blob(name).download_as_bytes()


def test_both_mean_the_same_by_generations(url: str, bucket: Any) -> None:
    path = open_path(url).join("lease")
    etag = path.write(b"ours", if_none_match=True)
    blob = bucket.blob("lease")
    with pytest.raises(PreconditionFailed):
        blob.upload_from_string(b"theirs", if_generation_match=0)
    before = bucket.get_blob("lease").generation
    path.write(b"again", if_match=etag)
    with pytest.raises(PreconditionFailed):
        blob.upload_from_string(b"theirs", if_generation_match=before)
    blob.upload_from_string(b"theirs", if_generation_match=bucket.get_blob("lease").generation)
    with pytest.raises(WriteConflict):
        path.write(b"ours", if_match=etag)
    assert path.read() == b"theirs"


def test_files_of_several_parts(url: str, bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gs, "PART", 1 << 20)
    content = bytes(range(256)) * (10 << 10)
    open_path(url).join("ours").upload(io.BytesIO(content))
    assert bucket.blob("ours").download_as_bytes(checksum="md5") == content
    theirs = bucket.blob("theirs", chunk_size=1 << 20)
    theirs.upload_from_file(io.BytesIO(content), size=len(content))
    received = io.BytesIO()
    open_path(url).join("theirs").download(received)
    assert received.getvalue() == content


# What every store of the controller does, from its own tests.
SHARED = [
    check
    for name, check in inspect.getmembers(test_vfs, inspect.isfunction)
    if name.startswith("test_") and [*inspect.signature(check).parameters] == ["root"]
]


@pytest.mark.parametrize("check", SHARED)
def test_our_store_does_what_every_store_does(url: str, check: Callable[..., None]) -> None:
    check(open_path(url).join("prefix"))


class Account:
    """An instance whose token counts for nothing."""

    def token(self) -> tuple[str, float]:
        return "token", 2e9


@pytest.mark.parametrize("check", CONTRACT)
def test_nodes_store_keeps_the_contract(url: str, check: Callable[[Place], None], tmp_path: pathlib.Path) -> None:
    place = Place(GSStore(Account()), f"{url}/backups", tmp_path)
    if check is a_tag_is_of_the_content and "stand-in" not in url:
        # The fake-gcs-server does not know this condition of a read, and sends what has not changed, too.
        with pytest.raises(AssertionError):
            check(place)
        return
    check(place)


def test_one_of_two_writers_holds_a_lease(url: str) -> None:
    path = open_path(url).join("igconfig/lease.json")
    with Lease(path, "one", wait=0), pytest.raises(LeaseHeld, match="'one'"), Lease(path, "two", wait=0):
        pass
    with Lease(path, "two", wait=0) as lease:
        lease.ensure()
