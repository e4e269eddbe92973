# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One converger at a time on a node. The kernel gives the lock back when its holder dies, however that happens."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

from ..base.errors import KopsError

PATH = "/run/kops/converge.lock"


@contextlib.contextmanager
def held(path: str, *, wait: float, check: bool = False) -> Iterator[None]:
    """Hold the lock while the body runs. Raises KopsError, which names the holder, after wait seconds.

    With check nothing is written: only a lock that exists already is waited for.
    """
    descriptor = _take(path, wait, check=check)
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
    """Remove the lock that is held, and its directory."""
    os.unlink(path)
    with contextlib.suppress(OSError):  # Somebody else has something in it.
        os.rmdir(os.path.dirname(path))


def _take(path: str, wait: float, *, check: bool) -> int | None:
    """The lock's file, opened and locked; None if there is none to be only looked at."""
    while True:
        try:
            if not check:
                os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
            descriptor = os.open(path, os.O_RDONLY if check else os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:  # Also when its holder removes it just now.
            if check:
                return None
            continue
        try:
            _acquire(descriptor, fcntl.LOCK_SH if check else fcntl.LOCK_EX, wait)
        except BaseException:
            os.close(descriptor)
            raise
        if _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)


def _is_at(descriptor: int, path: str) -> bool:
    """Whether a file is the one of a path: its holder may have removed it while it was waited for."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _acquire(descriptor: int, kind: int, wait: float) -> None:
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
                message = f"another run is converging this node (process {holder}); it still was after {wait:g} s"
                raise KopsError(message) from error
        time.sleep(0.05)
