# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of a store as nodes read it: what node/stores/store.py promises, as functions that each must pass.

A store takes part by a Place: a directory in it that a control plane may write, with nothing in it yet.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import stat
from dataclasses import dataclass

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.store import Store


@dataclass(frozen=True)
class Place:
    """url: of the directory, without a slash at its end. local: a directory of this machine, for files."""

    store: Store
    url: str
    local: pathlib.Path


def what_is_written_is_read(place: Place) -> None:
    for content in (b"one", b"two & more", b""):
        place.store.write(f"{place.url}/a/file", content)
        assert place.store.read(f"{place.url}/a/file") == content


def what_is_missing_is_none_where_it_may_be(place: Place) -> None:
    assert place.store.read(f"{place.url}/none") is None
    place.store.remove(f"{place.url}/none")
    assert place.store.names(f"{place.url}/none") == []


def what_is_missing_is_an_error_where_it_must_be_there(place: Place) -> None:
    with pytest.raises((KopsError, OSError)):
        place.store.read_changed(f"{place.url}/none", "")
    target = place.local / "none"
    with pytest.raises((KopsError, OSError)):
        place.store.download(f"{place.url}/none", str(target))
    assert not target.exists()


def a_tag_is_of_the_content(place: Place) -> None:
    url = f"{place.url}/changing"
    place.store.write(url, b"one")
    first = place.store.read_changed(url, "")
    assert first is not None
    assert first[0] == b"one"
    assert place.store.read_changed(url, first[1]) is None
    place.store.write(url, b"two")
    second = place.store.read_changed(url, first[1])
    assert second is not None
    assert second[0] == b"two"
    assert second[1] != first[1]


def files_go_up_and_come_down_whole(place: Place) -> None:
    content = os.urandom(200_000)
    source, target = place.local / "source", place.local / "target"
    source.write_bytes(content)
    place.store.upload(f"{place.url}/file", str(source), hashlib.sha256(content).hexdigest())
    assert place.store.read(f"{place.url}/file") == content
    place.store.download(f"{place.url}/file", str(target))
    assert target.read_bytes() == content


def only_the_owner_reads_what_came_down(place: Place) -> None:
    target = place.local / "target"
    place.store.write(f"{place.url}/file", b"secret")
    before = os.umask(0)
    try:
        place.store.download(f"{place.url}/file", str(target))
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) & 0o077 == 0


def names_are_those_below_the_directory(place: Place) -> None:
    for name in ("d/a", "d/b/c", "d b", "do", "e"):
        place.store.write(f"{place.url}/{name}", b"")
    assert sorted(place.store.names(f"{place.url}/d")) == ["a", "b/c"]
    assert sorted(place.store.names(f"{place.url}/d/")) == ["a", "b/c"]


def names_are_all_of_them(place: Place) -> None:
    """Services list a thousand with each request."""
    wanted = [f"{number:04}" for number in range(1003)]
    for name in wanted:
        place.store.write(f"{place.url}/many/{name}", b"")
    assert sorted(place.store.names(f"{place.url}/many")) == wanted


def what_is_removed_is_gone(place: Place) -> None:
    place.store.write(f"{place.url}/file", b"content")
    place.store.write(f"{place.url}/file2", b"content")
    place.store.remove(f"{place.url}/file")
    assert place.store.read(f"{place.url}/file") is None
    assert place.store.names(place.url) == ["file2"]


CONTRACT = (
    what_is_written_is_read,
    what_is_missing_is_none_where_it_may_be,
    what_is_missing_is_an_error_where_it_must_be_there,
    a_tag_is_of_the_content,
    files_go_up_and_come_down_whole,
    only_the_owner_reads_what_came_down,
    names_are_those_below_the_directory,
    names_are_all_of_them,
    what_is_removed_is_gone,
)
