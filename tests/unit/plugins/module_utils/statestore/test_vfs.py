# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every store does alike."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import (
    StoreError,
    VFSPath,
    WriteConflict,
    md5,
)


def test_reads_what_was_written(root: VFSPath) -> None:
    path = root.join("demo.example.com", "config")
    etag = path.write(b"one\n")
    assert path.read_tagged() == (b"one\n", etag)
    path.write(b"")
    assert path.read() == b""


def test_a_missing_file_is_named(root: VFSPath) -> None:
    with pytest.raises(FileNotFoundError, match="demo/config"):
        root.join("demo", "config").read()


def test_a_directory_is_no_file(root: VFSPath) -> None:
    root.join("demo", "config").write(b"x")
    with pytest.raises((FileNotFoundError, StoreError)):
        root.join("demo").read()
    with pytest.raises(FileNotFoundError):
        root.join("demo", "config", "below").read()


def test_addresses(root: VFSPath, url: str) -> None:
    written = url.removeprefix("file://")  # as kops writes a directory
    assert root.path == written
    assert root.join("a", "b/c").path == f"{written}/a/b/c"
    assert root.join("a", "b").name == "b"
    assert open_path(root.join("a").path) == root.join("a")


def test_creates_only_once(root: VFSPath) -> None:
    path = root.join("lease")
    path.write(b"first", if_none_match=True)
    with pytest.raises(WriteConflict):
        path.write(b"second", if_none_match=True)
    assert path.read() == b"first"


def test_replaces_only_what_was_read(root: VFSPath) -> None:
    path = root.join("lease")
    first = path.write(b"first")
    second = path.write(b"second", if_match=first)
    with pytest.raises(WriteConflict):
        path.write(b"third", if_match=first)
    path.write(b"third", if_match=second)
    assert path.read() == b"third"
    path.remove()
    with pytest.raises(WriteConflict):
        path.write(b"fourth", if_match=second)


def test_one_of_many_creators_wins(root: VFSPath) -> None:
    def create(number: int) -> bool:
        try:
            root.join("lease").write(str(number).encode(), if_none_match=True)
        except WriteConflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = [number for number, created in enumerate(pool.map(create, range(8))) if created]
    assert won == [int(root.join("lease").read())]


def test_one_of_many_replacers_wins(root: VFSPath) -> None:
    path = root.join("lease")
    read = path.write(b"first")

    def replace(number: int) -> bool:
        try:
            path.write(str(number).encode(), if_match=read)
        except WriteConflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = [number for number, replaced in enumerate(pool.map(replace, range(8))) if replaced]
    assert won == [int(path.read())]


def test_lists_a_tree(root: VFSPath) -> None:
    assert root.list_tree() == []
    for name in ("b/c/d", "a", "b-other"):
        root.join("top", name).write(name.encode())
    listed = root.join("top").list_tree()
    assert [(file.name, file.path.read(), file.size) for file in listed] == [
        ("a", b"a", 1),
        ("b-other", b"b-other", 7),
        ("b/c/d", b"b/c/d", 5),
    ]
    assert [file.name for file in root.join("top", "b").list_tree()] == ["c/d"]
    assert listed[0].etag == md5(b"a")
    assert listed[0].holds(b"a")
    assert not listed[0].holds(b"b")


def test_removes(root: VFSPath) -> None:
    for name in ("a", "b/c", "d"):
        root.join("top", name).write(b"x")
    root.join("top", "a").remove()
    root.join("top", "a").remove()
    top = root.join("top")
    top.remove_many([file.path for file in top.list_tree()])
    assert root.list_tree() == []


def test_unknown_scheme() -> None:
    known = "do://, file://, gs://, hos://, linode://, memfs://, s3://, scw://, swift://"
    with pytest.raises(StoreError, match=f"unknown scheme ftp://; known are {known}"):
        open_path("ftp://host/dir")


def test_a_plain_path_is_a_file(tmp_path) -> None:
    assert open_path(str(tmp_path)).path == str(tmp_path)


@pytest.mark.parametrize("address", ["s3://", "file://", "s3:///key", "gs://", "gs:///key", "swift://"])
def test_an_address_without_a_place(address: str) -> None:
    with pytest.raises(StoreError):
        open_path(address)


def test_big_files_go_through_streams(root: VFSPath) -> None:
    content = bytes(range(256)) * (5 << 12)  # 5 MiB: from 4 MiB on a directory does not read what it lists
    path = root.join("backups", "etcd.backup.gz")
    path.upload(io.BytesIO(content))
    assert path.read() == content
    received = io.BytesIO()
    path.download(received)
    assert received.getvalue() == content
    (listed,) = root.list_tree()
    assert (listed.name, listed.size) == ("backups/etcd.backup.gz", len(content))
    assert listed.holds(content)
    assert not listed.holds(content[:-1] + b"x")
    path.upload(io.BytesIO(b"small"))
    assert path.read() == b"small"
    with pytest.raises(FileNotFoundError, match="nothing"):
        root.join("nothing").download(received)
