# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in Cloud Storage."""

from __future__ import annotations

import hashlib
import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.gs import GSStore
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import atomic
from ansible_collections.kubeops.kops.tests.support.storage_server import Fault, Service

URL = "gs://store/demo.example.com/backups/etcd/main/2026-05-08T12:00:00Z-000001/etcd.backup.gz"


@pytest.fixture
def backup(tmp_path: pathlib.Path) -> pathlib.Path:
    found = tmp_path / "backup"
    # Ends of lines as messages have them, and what looks like the end of a message.
    found.write_bytes(b"\r\n--x--\r\n" * 300_000)
    return found


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_goes_there_and_comes_back_although_connections_break(
    gs_store: GSStore, storage: Service, backup: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    storage.faults = [Fault("POST"), Fault("POST", act=True), Fault("GET", act=True, after=1_000_000)]
    gs_store.upload(URL, str(backup), sha256(backup))
    gs_store.download(URL, str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == backup.read_bytes()
    assert not storage.faults


def test_a_file_with_another_hash_does_not_go(gs_store: GSStore, storage: Service, backup: pathlib.Path) -> None:
    with pytest.raises(KopsError, match="has the SHA-256 .*, and not 0000"):
        gs_store.upload(URL, str(backup), "0" * 64)
    assert storage.asked == []


def test_no_room(gs_store: GSStore, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gs_store.write(URL, b"x" * 100)
    monkeypatch.setattr(atomic, "free_space", lambda _path: 99)
    with pytest.raises(KopsError, match="has no room for 100 bytes"):
        gs_store.download(URL, str(tmp_path / "back"))
    assert not (tmp_path / "back").exists()


def test_an_object_that_has_not_changed_is_not_sent_again(gs_store: GSStore, storage: Service) -> None:
    gs_store.write(URL, b"one")
    found = gs_store.read_changed(URL, "")
    assert found is not None
    assert found == (b"one", str(storage.buckets["store"].objects[URL.partition("store/")[2]].generation))
    assert gs_store.read_changed(URL, found[1]) is None
    assert storage.asked[-1].endswith(f"alt=media&ifGenerationNotMatch={found[1]}")
