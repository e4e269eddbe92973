# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Atomic writes: a file is there completely or not at all, even if the process is killed or the machine crashes.

Temporary files are in the directory of their target, and their names follow from the target's. The lock of the node
ensures a single writer, so files that a killed run left behind are found, and are overwritten or removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO

from ...base.errors import KopsError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def write(path: str, chunks: Iterable[bytes], *, mode: int, uid: int, gid: int) -> None:
    """Write a file. Its directory must exist. Raises KopsError.

    The file has its owner and mode before it appears under its name.
    """
    with explained(path):
        if os.path.ismount(path):
            _overwrite(path, chunks, mode, uid, gid)
            return
        temporary = temporary_name(path)
        remove(temporary)
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                _fill(stream.fileno(), chunks, mode, uid, gid)
            os.replace(temporary, path)
        except BaseException:
            remove(temporary)
            raise
        sync_directory(os.path.dirname(path))


def link(path: str, target: str) -> None:
    """Create or replace a symbolic link. Its directory must exist. Raises KopsError."""
    with explained(path):
        temporary = temporary_name(path)
        remove(temporary)
        os.symlink(target, temporary)
        os.replace(temporary, path)
        sync_directory(os.path.dirname(path))


def make_directory(path: str, *, mode: int, uid: int, gid: int) -> None:
    """Create a directory, or set owner and mode of an existing one. Its parent must exist."""
    with explained(path):
        exists = os.path.isdir(path)
        made = path if exists else temporary_name(path)
        if not exists:
            discard_temporary(path)
            os.mkdir(made, 0o700)
        os.chown(made, uid, gid)
        os.chmod(made, mode)
        if not exists:
            os.rename(made, path)
            sync_directory(os.path.dirname(path))


def discard_temporary(path: str) -> None:
    """Remove what a killed run left behind when it created a file, a link or a directory."""
    temporary = temporary_name(path)
    if os.path.isdir(temporary) and not os.path.islink(temporary):
        with explained(temporary):
            os.rmdir(temporary)
    else:
        remove(temporary)


def remove(path: str) -> None:
    """Remove a file or link if it exists."""
    with explained(path), contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def temporary_name(path: str) -> str:
    """Path of the temporary file. Its name is hidden: programs that read all files of a directory ignore it."""
    directory, name = os.path.split(path)
    return os.path.join(directory, f".{name}.kops-new")


def chunks_of(stream: IO[bytes], size: int = 1 << 20) -> Iterator[bytes]:
    """The content of an open file in chunks."""
    return iter(partial(stream.read, size), b"")


def free_space(path: str) -> int:
    """Free bytes of the filesystem of a path, or of its nearest parent directory that exists."""
    while not os.path.exists(path):
        path = os.path.dirname(path)
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn OSError into a message that names the path. FileNotFoundError is raised as it is: callers handle it."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in _NO_ROOM:
            free = free_space(path) // 1024
            message = (
                f"no space: {path} cannot be written, its filesystem has {free} KiB left; free some space and run again"
            )
        else:
            message = f"cannot write {path}: {error.strerror}"
        raise KopsError(message) from error


def sync_directory(path: str) -> None:
    """Make sure that the entries of a directory survive a crash of the machine."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _overwrite(path: str, chunks: Iterable[bytes], mode: int, uid: int, gid: int) -> None:
    """Write in place: a mount point cannot be replaced by rename (containers have /etc/hosts mounted)."""
    with os.fdopen(os.open(path, os.O_WRONLY), "wb") as stream:
        _fill(stream.fileno(), chunks, mode, uid, gid)


def _fill(descriptor: int, chunks: Iterable[bytes], mode: int, uid: int, gid: int) -> None:
    os.fchown(descriptor, uid, gid)
    os.fchmod(descriptor, stat.S_IMODE(mode))
    for chunk in chunks:
        view = memoryview(chunk)
        while view:
            view = view[os.write(descriptor, view) :]
    os.ftruncate(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR))
    os.fsync(descriptor)
