# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A text, or the file that a single word names; files that a module reads and writes."""

from __future__ import annotations

import errno
import pathlib
import stat

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.files import LocalFiles, text_or_file


def test_several_words_are_the_text_and_one_is_a_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "key.pub").write_text("ssh-ed25519 AAAA\n")
    assert text_or_file("ssh-ed25519 BBBB") == "ssh-ed25519 BBBB"
    assert {text_or_file(name) for name in ("key.pub", " ./key.pub\n", "~/key.pub", str(tmp_path / "key.pub"))} == {
        "ssh-ed25519 AAAA\n"
    }


def test_the_error_names_the_whole_path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_bytes(b"\xff")
    with pytest.raises(KopsError, match=f"cannot read {tmp_path}/none: No such file or directory"):
        text_or_file("none")
    with pytest.raises(KopsError, match=f"cannot read {tmp_path}/key: it is no text"):
        text_or_file("key")


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: pathlib.Path) -> None:
    files, path = LocalFiles(), tmp_path / "file"
    path.write_bytes(b"before")
    full = pytest.raises(KopsError, match=f"{path} cannot be written: No space left on device")
    with full, files.writing(str(path)) as stream:
        stream.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert [(each, each.read_bytes()) for each in tmp_path.iterdir()] == [(path, b"before")]
    with files.writing(str(path)) as stream:
        stream.write(b"after")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"after", 0o600)
    with files.reading(str(path)) as stream:
        assert stream.read() == b"after"
    with pytest.raises(KopsError, match="none cannot be read: No such file"), files.reading(str(tmp_path / "none")):
        pass
