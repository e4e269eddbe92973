# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory of a target: only what differs is written, and the file that names others at last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.files import changed_files, write_files

FILES = {"a.json": b"names b", "data/b": b"1", "data/c": b"2"}


def test_what_differs_is_written_and_what_is_stale_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order = []
    replace = os.replace

    def noted(source: str, place: str) -> None:
        order.append(place)
        replace(source, place)

    monkeypatch.setattr(os, "replace", noted)
    assert write_files(FILES, str(tmp_path), last="a.json")
    assert order == [str(tmp_path / name) for name in ("data/b", "data/c", "a.json")]
    assert not write_files(FILES, str(tmp_path))
    changed = {**FILES, "data/b": b"3"}
    assert changed_files(changed, str(tmp_path)) == {"data/b": b"3"}
    order.clear()
    assert write_files({"data/b": b"3"}, str(tmp_path), stale=["data/c"])
    assert order == [str(tmp_path / "data" / "b")]
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["a.json", "b"]


def test_what_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(KopsError, match=r"cannot read .*a\.json"):
        changed_files(FILES, str(tmp_path))
    (tmp_path / "file").write_text("")
    with pytest.raises(KopsError, match="cannot"):
        write_files({"file/b": b""}, str(tmp_path))
