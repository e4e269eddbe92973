# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads: whatever the server does, what is in the cache is right, and nothing is transferred twice."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import threading

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import atomic, fetch
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.fetch import Fetch, RetryPolicy, fetch_all
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import FAST, Assets, sha256

CONTENT = bytes(range(256)) * 4096  # 1 MiB
PATIENCE = RetryPolicy(**FAST)


@pytest.fixture
def cache(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "cache"
    path.mkdir()
    return path


def wanted(assets: Assets, path: str = "/file", content: bytes = CONTENT) -> Fetch:
    return Fetch("download:file", **assets.add(path, content))


def get(one: Fetch, cache: pathlib.Path) -> bytes:
    return pathlib.Path(fetch_all([one], str(cache), PATIENCE)[one.sha256]).read_bytes()


def test_a_file_is_asked_for_once(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    assert get(one, cache) == CONTENT
    assert get(one, cache) == CONTENT
    assert assets.requests == [("/file", "")]
    assert os.listdir(cache) == [one.sha256]


def test_a_connection_that_is_cut_is_resumed(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    assets.cut["/file"] = [300_000, 300_000]
    assert get(one, cache) == CONTENT
    assert assets.requests == [("/file", ""), ("/file", "bytes=300000-"), ("/file", "bytes=600000-")]


def test_progress_is_worth_more_attempts_than_there_are(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    assets.cut["/file"] = [100_000] * 10
    assert PATIENCE.attempts < 10
    assert get(one, cache) == CONTENT


def test_what_an_earlier_process_transferred_is_used(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    (cache / f"{one.sha256}.partial").write_bytes(CONTENT[:1000])
    assert get(one, cache) == CONTENT
    assert assets.requests == [("/file", "bytes=1000-")]


def test_what_was_whole_before_it_got_its_name_is_used(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    (cache / f"{one.sha256}.partial").write_bytes(CONTENT)
    assert get(one, cache) == CONTENT


def test_a_beginning_of_something_else_is_thrown_away(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    (cache / f"{one.sha256}.partial").write_bytes(b"x" * 1000)
    assert get(one, cache) == CONTENT


def test_too_much_of_something_else_is_thrown_away(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    (cache / f"{one.sha256}.partial").write_bytes(b"x" * (len(CONTENT) + 5))
    assert get(one, cache) == CONTENT


def test_a_server_without_ranges_sends_everything_again(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    assets.ranges = False
    assets.cut["/file"] = [300_000]
    assert get(one, cache) == CONTENT


def test_a_server_error_passes(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    assets.answers["/file"] = [503, 429]
    assert get(one, cache) == CONTENT


def test_the_next_address_is_tried(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    dead = "http://127.0.0.1:9/file"
    assert get(dataclasses.replace(one, urls=[dead, assets.url + "/missing", *one.urls]), cache) == CONTENT


def test_wrong_bytes_are_refused(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    assets.wrong.add("/file")
    with pytest.raises(KopsError) as caught:
        get(one, cache)
    assert "download:file cannot be downloaded" in str(caught.value)
    assert f"must be {one.sha256}" in str(caught.value)
    assert os.listdir(cache) == []
    assert len(assets.requests) == 1


def test_wrong_bytes_from_one_address_are_right_from_another(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    assets.add("/mirror", CONTENT)
    assets.wrong.add("/file")
    assert get(dataclasses.replace(one, urls=[*one.urls, assets.url + "/mirror"]), cache) == CONTENT


def test_a_file_in_the_cache_is_not_believed_by_its_name(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    (cache / one.sha256).write_bytes(b"rotten")
    assert get(one, cache) == CONTENT


def test_every_failure_is_named_and_no_secret_of_a_url(assets: Assets, cache: pathlib.Path) -> None:
    fetches = [
        Fetch("download:a", [assets.url + "/missing?signature=abc"], sha256(b"a")),
        Fetch("download:b", ["http://127.0.0.1:9/b"], sha256(b"b")),
    ]
    with pytest.raises(KopsError) as caught:
        fetch_all(fetches, str(cache), PATIENCE)
    message = str(caught.value)
    assert f"download:a cannot be downloaded:\n  {assets.url}/missing: the answer is 404" in message
    assert "download:b cannot be downloaded:\n  http://127.0.0.1:9/b: Connection refused" in message
    assert "signature" not in message


def test_files_come_at_the_same_time(assets: Assets, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetches = [wanted(assets, f"/{name}", name.encode()) for name in "abcd"]
    together = threading.Barrier(len(fetches), timeout=10)
    ask = fetch._ask
    monkeypatch.setattr(fetch, "_ask", lambda *arguments: (together.wait(), ask(*arguments))[1])
    assert len(fetch_all(fetches, str(cache), PATIENCE)) == 4


def test_a_local_directory_is_an_address(tmp_path: pathlib.Path, cache: pathlib.Path) -> None:
    (tmp_path / "file").write_bytes(CONTENT)
    assert get(Fetch("download:file", [f"file://{tmp_path}/file"], sha256(CONTENT)), cache) == CONTENT


def test_a_full_disk_is_reported_before_it_is_used_up(
    assets: Assets, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = wanted(assets)
    monkeypatch.setattr(atomic, "free_space", lambda _path: 4096)
    with pytest.raises(KopsError, match=r"no space: download:file needs 1024 KiB in .*cache, its filesystem has 4 KiB"):
        get(one, cache)
    assert os.listdir(cache) == []


def test_the_cache_keeps_what_is_wanted(assets: Assets, cache: pathlib.Path) -> None:
    one = wanted(assets)
    get(one, cache)
    (cache / "old").write_bytes(b"")
    fetch.prune(str(cache), [one.sha256])
    assert os.listdir(cache) == [one.sha256]
