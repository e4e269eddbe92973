# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checksums that a file repository says of its own builds."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AssetsSpec, Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.assets import FileAsset
from ansible_collections.kubeops.kops.plugins.module_utils.operations.file_checksums import checksums_for

OURS = "https://dl.k8s.io/release/v1.34.4-ours/bin/linux/amd64/kubelet"
DIGEST = "ab" * 32


class Repository(http.server.BaseHTTPRequestHandler):
    """Files by their path; every request is kept."""

    files: dict[str, str] = {}
    asked: list[str] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200 if self.path in self.files else 404)
        self.end_headers()
        self.wfile.write(self.files.get(self.path, "").encode())

    def log_message(self, *_arguments: object) -> None:
        """Nothing: requests are looked at in tests."""


@pytest.fixture(name="repository")
def start_repository() -> Iterator[tuple[str, type[Repository]]]:
    handler = type("Handler", (Repository,), {"files": {}, "asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mirror", handler
        server.shutdown()


def cluster(file_repository: str | None) -> Cluster:
    made = Cluster()
    made.spec.assets = AssetsSpec(file_repository=file_repository)
    return made


@pytest.mark.parametrize("ending", [".sha256", ".sha256sum"])
def test_an_unknown_build_is_asked_for_once(repository, ending: str) -> None:
    url, files = repository
    path = f"/mirror/release/v1.34.4-ours/bin/linux/amd64/kubelet{ending}"
    files.files[path] = f"{DIGEST.upper()}  kubelet\n"
    find = checksums_for(cluster(url))
    assert [find(FileAsset("kubelet", "amd64", OURS)) for _time in range(2)] == [DIGEST, DIGEST]
    assert files.asked.count(path) == 1


def test_what_is_known_is_not_asked_for(repository) -> None:
    url, files = repository
    assert checksums_for(cluster(url))(FileAsset("kubelet", "amd64", OURS, DIGEST)) == DIGEST
    assert files.asked == []


@pytest.mark.parametrize(
    ("content", "said"), [(None, "404"), ("", "begins with no SHA-256"), ("<html>", "begins with no SHA-256")]
)
def test_no_checksum_is_an_error(repository, content: str | None, said: str) -> None:
    url, files = repository
    if content is not None:
        files.files["/mirror/release/v1.34.4-ours/bin/linux/amd64/kubelet.sha256"] = content
    with pytest.raises(KopsError, match=f"kubelet: its checksum is not known.*{said}"):
        checksums_for(cluster(url))(FileAsset("kubelet", "amd64", OURS))


def test_publishers_are_not_asked() -> None:
    with pytest.raises(KopsError, match="would say it"):
        checksums_for(cluster(None))(FileAsset("kubelet", "amd64", OURS, checksum_url=f"{OURS}.sha256"))
