# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is particular to a store in a directory."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.local import LocalPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import StoreError, WriteConflict

KILLED_WHILE_WRITING = """
import os, sys
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
os.replace = lambda *names: os._exit(9)
open_path(sys.argv[1]).write(b"half")
"""


def test_files_are_private(tmp_path: Path) -> None:
    LocalPath(tmp_path / "pki" / "key").write(b"secret")
    assert stat.S_IMODE((tmp_path / "pki" / "key").stat().st_mode) == 0o600


def test_a_killed_writer_leaves_the_old_content(tmp_path: Path) -> None:
    path = open_path(f"file://{tmp_path}/config")
    path.write(b"whole")
    done = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, path.path], check=False)
    assert done.returncode == 9
    assert path.read() == b"whole"
    assert [file.name for file in open_path(f"file://{tmp_path}").list_tree()] == ["config"]
    path.write(b"again")
    assert path.read() == b"again"


def test_removing_leaves_no_empty_directories(tmp_path: Path) -> None:
    cluster = LocalPath(tmp_path / "store" / "demo")
    cluster.join("a", "b").write(b"x")
    cluster.remove_many([file.path for file in cluster.list_tree()])
    assert list((tmp_path / "store").iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_forbidden(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot write /.*Permission denied"):
        LocalPath(tmp_path / "config").write(b"x")


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("no directory")
    with pytest.raises(StoreError, match="cannot write /"):
        LocalPath(tmp_path / "store" / "demo" / "config").write(b"x")
    assert (tmp_path / "store").read_text() == "no directory"


def test_a_relative_address_and_a_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert open_path("store").path == f"{tmp_path}/store"
    assert open_path("file://~/store").path == f"{tmp_path}/store"


def test_a_link_whose_answer_was_lost_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS sends a request again, and then says that the file exists."""
    link = os.link

    def link_twice(source: str, target: Path) -> None:
        link(source, target)
        link(source, target)

    monkeypatch.setattr(os, "link", link_twice)
    path = LocalPath(tmp_path / "lease.json")
    path.write(b"ours", if_none_match=True)
    assert path.read() == b"ours"
    with pytest.raises(WriteConflict):
        path.write(b"ours", if_none_match=True)
    assert os.listdir(tmp_path) == ["lease.json"]
