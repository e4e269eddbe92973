# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory of an unfinished bundle."""

from __future__ import annotations

import fcntl
import pathlib
import threading
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.work import working


def test_a_bundle_is_written_by_one_run_at_a_time(tmp_path: pathlib.Path) -> None:
    target = tmp_path / "bundle.tar"
    with working(target) as directory:
        (directory / "content").touch()
        with pytest.raises(KopsError, match=r"bundle\.tar: another run writes this archive"), working(target):
            pass
        assert (directory / "content").exists()
        with working(tmp_path / "other.tar"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_what_an_error_leaves_is_there_for_the_next_run(tmp_path: pathlib.Path) -> None:
    target = tmp_path / "bundle.tar"
    with pytest.raises(KopsError, match="no such image"), working(target) as directory:
        (directory / "content").touch()
        raise KopsError("no such image")
    with working(target) as directory:
        assert (directory / "content").exists()


def test_a_directory_that_its_holder_removes_meanwhile_is_made_again(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between this run's opening the directory and its taking the lock, the run before ends."""
    target, lock, seen = tmp_path / "bundle.tar", fcntl.flock, []

    def flock(descriptor: int, kind: int) -> None:
        if not seen:
            (tmp_path / "bundle.tar.work").rmdir()
        seen.append(descriptor)
        lock(descriptor, kind)

    monkeypatch.setattr(fcntl, "flock", flock)
    with working(target) as directory:
        assert directory.exists()
        with pytest.raises(KopsError, match="another run"), working(target):
            pass
    assert len(seen) == 3


def test_runs_that_come_and_go(tmp_path: pathlib.Path) -> None:
    inside, most, errors = [], [], []

    def come_and_go() -> None:
        for _time in range(200):
            try:
                with working(tmp_path / "bundle.tar") as directory:
                    inside.append(1)
                    most.append(len(inside))
                    (directory / "content").touch(exist_ok=False)
                    inside.pop()
            except KopsError:
                continue
            except Exception as error:
                errors.append(error)

    threads: Any = [threading.Thread(target=come_and_go) for _each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(most) == {1}
    assert list(tmp_path.iterdir()) == []
