# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where images and files are read, and which checksums they must have."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.download import DownloadError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.publishers import (
    Publishers,
    ReadingOptions,
)
from ansible_collections.kubeops.kops.tests.support import file_server

SITE = "https://dl.k8s.io"
SHA256 = "a" * 64


def file(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "canonical": f"{SITE}/file", "sha256": None, "sha256_url": None, **more}


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("registry.k8s.io/pause:3", "proxy.example.com/k8s/pause:3"),
        ("registry.k8s.io/etcd/etcd:3", "etcd.example.com/etcd:3"),
        ("registry.k8s.io/etcdctl:3", "proxy.example.com/k8s/etcdctl:3"),
        ("nginx:1", "hub.example.com/library/nginx:1"),
        ("quay.io/a/b:1", "quay.io/a/b:1"),
    ],
)
def test_the_longest_source_counts(image: str, expected: str) -> None:
    sources = {"registry.k8s.io": "proxy.example.com/k8s", "registry.k8s.io/etcd": "etcd.example.com/"}
    publishers = Publishers.of(ReadingOptions({**sources, "docker.io/": "hub.example.com"}), ())
    assert str(publishers.reference(image)) == expected


def test_checksums() -> None:
    with file_server.running() as (url, server):
        publishers = Publishers.of(ReadingOptions({SITE: url}), ())
        assert publishers.checksum(file("kubelet", sha256=SHA256)) == SHA256
        assert publishers.checksum(file("crds")) == ""
        assert server.asked == []
        published = file("containerd", sha256_url=f"{SITE}/file.sha256sum")
        with pytest.raises(DownloadError, match=r"file.sha256sum: 404 .*; file.sha256: 404"):
            publishers.checksum(published)
        # Beside it, if its publisher's own list is not there.
        server.files["/file.sha256"] = f"{SHA256}  file\n"
        assert publishers.checksum(published) == SHA256


def test_a_channel_is_what_its_publisher_has_now() -> None:
    with file_server.running() as (url, server):
        publishers = Publishers.of(ReadingOptions({SITE: url}), ())
        for content in ("one", "two"):
            server.files["/file"] = content
            # What the list says may be that of the copy in the mirror.
            expected = hashlib.sha256(content.encode()).hexdigest()
            assert publishers.checksum(file("channel", sha256=SHA256)) == expected
