# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lock: only one converger runs on a node at a time. The kernel releases it when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

from ...base.errors import KopsError

PATH = "/run/kops/converge.lock"


@contextlib.contextmanager
def held(path: str, *, wait: float, check: bool = False, what: str = "converging this node") -> Iterator[None]:
    """Hold the lock during the block. Raises KopsError, which names the holder, after wait seconds.

    what: the holder does. With check nothing is written: the lock is only waited for if its file exists.
    """
    descriptor = _take(path, wait, what, check=check)
    if descriptor is None:
        yield
        return
    try:
        if not check:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def discard(path: str) -> None:
    """Remove the file of the held lock, and its directory."""
    os.unlink(path)
    with contextlib.suppress(OSError):  # Not empty: it has files of another owner.
        os.rmdir(os.path.dirname(path))


def _take(path: str, wait: float, what: str, *, check: bool) -> int | None:
    """The lock's file, opened and locked; None if check is set and the file does not exist."""
    while True:
        try:
            if not check:
                os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
            descriptor = os.open(path, os.O_RDONLY if check else os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:  # Also if the holder is just removing it.
            if check:
                return None
            continue
        try:
            _acquire(descriptor, fcntl.LOCK_SH if check else fcntl.LOCK_EX, wait, what)
        except BaseException:
            os.close(descriptor)
            raise
        if _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)


def _is_at(descriptor: int, path: str) -> bool:
    """Whether the file is still at this path: the previous holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _acquire(descriptor: int, kind: int, wait: float, what: str) -> None:
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
                message = f"another run is {what} (process {holder}), still after {wait:g} s"
                raise KopsError(message) from error
        time.sleep(0.05)
