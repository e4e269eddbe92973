# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""File repositories: where they are written, and what they have."""

from __future__ import annotations

import hashlib
import io
import pathlib
import uuid

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.files import FileRepository, path_of

SHA256 = hashlib.sha256(b"content").hexdigest()


@pytest.mark.parametrize(
    ("url", "given", "expected", "public"),
    [
        ("s3://bucket/files", "", "s3://bucket/files", False),
        ("https://s3.amazonaws.com/bucket/files/", "", "s3://bucket/files", True),
        ("https://s3.eu-west-1.amazonaws.com/bucket/files", "", "s3://bucket/files", True),
        ("https://s3.dualstack.eu-west-1.amazonaws.com/bucket/files", "", "s3://bucket/files", True),
        ("https://s3-eu-west-1.amazonaws.com/bucket/files", "", "s3://bucket/files", True),
        ("https://bucket.s3.eu-west-1.amazonaws.com/files", "", "s3://bucket/files", True),
        ("https://my.bucket.s3.amazonaws.com.cn/files", "", "s3://my.bucket/files", True),
        ("gs://bucket/files", "", "gs://bucket/files", False),
        ("https://storage.googleapis.com/bucket/files/", "", "gs://bucket/files", True),
        ("https://files.example.com/", "gs://bucket/files", "gs://bucket/files", True),
        ("https://files.example.com/", "s3://bucket/files", "s3://bucket/files", True),
        ("https://files.example.com/", "file:///srv/mirror", "/srv/mirror", True),
        ("file:///srv/mirror", "", "/srv/mirror", True),
    ],
)
def test_where_it_is_written(url: str, given: str, expected: str, public: bool) -> None:
    found = FileRepository.open(url, given)
    assert (found.root.path, found.public) == (expected, public)


@pytest.mark.parametrize("url", ["https://files.example.com/", "http://s3.amazonaws.com/b", "swift://bucket/files"])
def test_what_can_only_be_read(url: str) -> None:
    with pytest.raises(KopsError, match=f"fileRepository: {url} does not say where its files are written"):
        FileRepository.open(url)


@pytest.mark.parametrize("scheme", ["file", "memfs"])
def test_what_it_has(tmp_path: pathlib.Path, scheme: str) -> None:
    url = f"memfs://{uuid.uuid4()}" if scheme == "memfs" else f"file://{tmp_path}/new"

    def has(sha256: str) -> bool:
        return FileRepository.open(url).has("a/b", sha256)

    assert not has("")
    FileRepository.open(url).put("a/b", io.BytesIO(b"content"), SHA256)
    assert has(SHA256) and has("") and not has("0" * 64)
    root = FileRepository.open(url).root
    assert root.join("a/b.sha256").read().decode() == SHA256
    # A run that ended between the two.
    root.join("a/b.sha256").remove()
    assert not has(SHA256)


def test_a_file_of_this_machine_is_read(tmp_path: pathlib.Path) -> None:
    url = f"file://{tmp_path}"
    FileRepository.open(url).put("a", io.BytesIO(b"content"), SHA256)
    (tmp_path / "a").write_bytes(b"damaged")
    assert not FileRepository.open(url).has("a", SHA256)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://dl.k8s.io/release/v1/kubelet", "release/v1/kubelet"),
        ("https://dl.k8s.io/v1%2Bk3s1/a", "v1+k3s1/a"),
        ("https://x.example.com/../../etc/passwd", "etc/passwd"),
        ("https://x.example.com/%2e%2e/%2e%2e/etc/passwd", "etc/passwd"),
    ],
)
def test_paths(url: str, expected: str) -> None:
    assert path_of(url) == expected
