# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checksums that are not known here: what publishers say, and a file repository of its own builds."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AssetsSpec, Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.files.assets import FileAsset
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.file_checksums import with_checksums

from tests.support import file_server
from tests.support.file_server import FileServer

OURS = "https://dl.k8s.io/release/v1.34.4-ours/bin/linux/amd64/kubelet"
DIGEST, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture(name="repository")
def start_repository() -> Iterator[tuple[str, type[FileServer]]]:
    with file_server.running() as (url, served):
        yield f"{url}/mirror", served


def cluster(file_repository: str | None) -> Cluster:
    made = Cluster()
    made.spec.assets = AssetsSpec(file_repository=file_repository)
    return made


def kubelet(sha256: str = "", architecture: str = "amd64", checksum_url: str = "") -> FileAsset:
    return FileAsset("kubelet", architecture, OURS.replace("amd64", architecture), sha256, checksum_url)


@pytest.mark.parametrize("ending", [".sha256", ".sha256sum"])
def test_an_unknown_build_is_asked_for_once(repository, ending: str) -> None:
    url, files = repository
    path = f"/mirror/release/v1.34.4-ours/bin/linux/amd64/kubelet{ending}"
    files.files[path] = f"{DIGEST.upper()}  kubelet\n"
    found = with_checksums(cluster(url), [kubelet(), kubelet(OTHER), kubelet()])
    assert [file.sha256 for file in found] == [DIGEST, OTHER, DIGEST]
    assert files.asked.count(path) == 1


def test_several_are_asked_for_at_the_same_time(repository) -> None:
    url, files = repository
    together = threading.Barrier(2, timeout=20)
    files.before = staticmethod(together.wait)
    for architecture, digest in (("amd64", DIGEST), ("arm64", OTHER)):
        files.files[f"/mirror/release/v1.34.4-ours/bin/linux/{architecture}/kubelet.sha256"] = digest
    found = with_checksums(cluster(url), [kubelet(), kubelet(architecture="arm64")])
    assert [file.sha256 for file in found] == [DIGEST, OTHER]


def test_what_is_known_is_not_asked_for(repository) -> None:
    url, files = repository
    assert with_checksums(cluster(url), [kubelet(DIGEST)]) == [kubelet(DIGEST)]
    assert files.asked == []


@pytest.mark.parametrize("content", [None, "", "<html>", f"{DIGEST}  other\n{DIGEST}  others\n"])
def test_no_checksum_is_an_error(repository, content: str | None) -> None:
    url, files = repository
    if content is not None:
        files.files["/mirror/release/v1.34.4-ours/bin/linux/amd64/kubelet.sha256"] = content
    said = "404" if content is None else "has no SHA-256 of it"
    with pytest.raises(KopsError, match=f"kubelet: its checksum is not known, and the file repository.*{said}"):
        with_checksums(cluster(url), [kubelet()])


@pytest.mark.parametrize("content", [DIGEST, f"{OTHER}  kubelets\n{DIGEST} *bin/kubelet\n"])
def test_without_a_repository_the_publisher_is_asked(repository, content: str) -> None:
    url, files = repository
    files.files["/mirror/SHA256SUMS"] = content
    (found,) = with_checksums(cluster(None), [kubelet(checksum_url=f"{url}/SHA256SUMS")])
    assert (found.sha256, files.asked) == (DIGEST, ["/mirror/SHA256SUMS"])


def test_a_publisher_that_does_not_answer_is_named() -> None:
    with pytest.raises(KopsError, match=r"kubelet: its checksum is not known, and its publisher .*kubelet\.sha256: "):
        with_checksums(cluster(None), [kubelet(checksum_url="http://127.0.0.1:9/kubelet.sha256")])
