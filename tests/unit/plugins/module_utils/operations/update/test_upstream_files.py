# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of upstream releases: fetched once, checked, and kept in the state store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.upstream import LOCK, UpstreamFile, lock_text, parse
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AssetsSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import upstream_files
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.upstream_files import UpstreamFiles
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import Tree

from tests.support import file_server
from tests.support.file_server import FileServer

DEFINITION = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec: {}
"""
CRDS = f"{DEFINITION}---\nkind: Namespace\n"
SHA256 = hashlib.sha256(CRDS.encode()).hexdigest()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.fixture(name="server")
def start_server() -> Iterator[tuple[str, type[FileServer]]]:
    with file_server.running() as found:
        found[1].files["/v1/crds.yaml"] = CRDS
        yield found


def reader(store: Path, assets: AssetsSpec | None = None, **pinned: str) -> UpstreamFiles:
    directory = open_path(f"file://{store}")
    return UpstreamFiles(directory, Tree.of(directory), assets, pinned)


def keep(store: Path, file: UpstreamFile, data: bytes | None = None) -> None:
    """What an update writes."""
    for name, content in ((file.location, file.data if data is None else data), (LOCK, lock_text([file]).encode())):
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_bytes(content)


def test_a_file_is_fetched_once_and_then_read_from_the_store(server, tmp_path: Path) -> None:
    url = f"{server[0]}/v1/crds.yaml"
    (file,) = reader(tmp_path).read([url, url]).values()
    assert (file.url, file.sha256) == (url, SHA256)
    assert [each["metadata"]["name"] for each in file.objects] == ["things.example.com"]
    assert list(tmp_path.iterdir()) == [], "reading writes nothing"
    keep(tmp_path, file)
    server[1].files.clear()
    assert reader(tmp_path).read([url]) == {url: file}
    assert server[1].asked == ["/v1/crds.yaml"]


def test_a_file_is_read_once_however_often_it_is_asked_for(server, tmp_path: Path) -> None:
    """A plan for hosts asks for it when it plans the store, and for the hosts."""
    url, files = f"{server[0]}/v1/crds.yaml", reader(tmp_path)
    assert files.read([url]) == files.read([url, url])
    assert len(server[1].asked) == 1


def test_a_file_comes_from_the_file_repository(server, tmp_path: Path) -> None:
    server[1].files["/mirror/org/v1/crds.yaml"] = CRDS
    url = "https://example.com/org/v1/crds.yaml"
    (file,) = reader(tmp_path, AssetsSpec(file_repository=f"{server[0]}/mirror")).read([url]).values()
    assert (file.url, file.sha256) == (url, SHA256), "the store remembers the publisher's name"


@pytest.mark.parametrize("kept", [b"", b"something else"])
def test_content_that_the_store_has_lost_must_be_the_same_again(server, tmp_path: Path, kept: bytes) -> None:
    url = f"{server[0]}/v1/crds.yaml"
    keep(tmp_path, parse(url, CRDS.encode()), kept)
    assert reader(tmp_path).read([url])[url].sha256 == SHA256
    server[1].files["/v1/crds.yaml"] = CRDS.replace("things", "other")
    with pytest.raises(KopsError, match=f"but {SHA256} is expected"):
        reader(tmp_path).read([url])


def test_a_checksum_that_is_given_counts(server, tmp_path: Path) -> None:
    url = f"{server[0]}/v1/crds.yaml"
    keep(tmp_path, parse(url, DEFINITION.encode()))
    assert reader(tmp_path, **{url: SHA256}).read([url])[url].data == CRDS.encode()
    with pytest.raises(KopsError, match=f"but {'0' * 64} is expected"):
        reader(tmp_path, **{url: "0" * 64}).read([url])


def test_every_file_that_cannot_be_used_is_named_with_its_reason(server, tmp_path: Path) -> None:
    files = {
        "/html": "<!DOCTYPE html><html>Sign in</html>",
        "/broken": "kind: [",
        "/text": "Moved.",
        "/none": "kind: Namespace",
        "/half": "kind: CustomResourceDefinition",
        "/aliases": "a: &a [x]\nb: &b [" + "*a," * 9 + "]\n",
    }
    server[1].files.update(files)
    reasons = {
        "/html": "an HTML page instead of YAML",
        "/broken": "this is not YAML",
        "/text": "contains no CustomResourceDefinition",
        "/none": "contains no CustomResourceDefinition",
        "/half": "contains no CustomResourceDefinition",
        "/missing": "404",
        "/aliases": "contains no CustomResourceDefinition",
    }
    unreachable = "http://127.0.0.1:1/crds.yaml"
    with pytest.raises(KopsError) as caught:
        reader(tmp_path).read([*(f"{server[0]}{path}" for path in reasons), unreachable])
    lines = str(caught.value).splitlines()
    for path, reason in reasons.items():
        assert [line for line in lines if f"{server[0]}{path}" in line and reason in line], path
    assert any(unreachable in line and "refused" in line for line in lines)
    assert "nothing is changed" in lines[0]


def test_a_server_that_is_busy_is_asked_again(server, tmp_path: Path) -> None:
    server[1].statuses += [429, 503]
    url = f"{server[0]}/v1/crds.yaml"
    assert reader(tmp_path).read([url])[url].sha256 == SHA256
    assert len(server[1].asked) == 3


def test_a_file_without_an_end_is_not_read_to_its_end(server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream_files, "_LONGEST", 10)
    with pytest.raises(KopsError, match="larger than"):
        reader(tmp_path).read([f"{server[0]}/v1/crds.yaml"])


@pytest.mark.parametrize("lock", ["files: [1]", "x", "files: {a: [b]}", ""])
def test_a_lock_that_is_none(server, tmp_path: Path, lock: str) -> None:
    (tmp_path / LOCK).parent.mkdir()
    (tmp_path / LOCK).write_text(lock)
    with pytest.raises(KopsError, match=r"lock\.yaml: must contain files"):
        reader(tmp_path).read([f"{server[0]}/v1/crds.yaml"])
