# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory of an unfinished bundle, <archive>.work: for one run at a time, and gone when the bundle is there."""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...base.errors import KopsError
from .archive import Archive
from .http import sha256_of


@dataclass(frozen=True)
class Work:
    """The directory of an unfinished bundle: each content by its SHA-256. old: the archive that is replaced."""

    directory: Path
    old: Archive | None
    _locks: dict[str, threading.Lock] = field(default_factory=dict)

    def locked(self, sha256: str) -> threading.Lock:
        """For the one thread that gets a content, which images may have in common."""
        # Setting a default of a dictionary is one step of Python.
        return self._locks.setdefault(sha256, threading.Lock())

    def path(self, sha256: str) -> Path:
        """Where a content is, once it is complete."""
        return self.directory / sha256

    def has(self, sha256: str) -> bool:
        """Whether a content is there, or was in the old archive."""
        path = self.path(sha256)
        if path.exists():
            return True
        name = self.old.holds(sha256) if self.old else ""
        if not (self.old and name):
            return False
        copy = self.partial(sha256)
        with self.old.opened(name) as stream, open(copy, "wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
        if sha256_of(copy) != sha256:
            copy.unlink()
            return False
        copy.rename(path)
        return True

    def partial(self, name: str) -> Path:
        """Where a content is while it is downloaded."""
        return self.directory / f"{name}.partial"


@contextmanager
def working(target: Path) -> Iterator[Path]:
    """The directory for the bundle of this path; it is removed where the block ends without an error.

    Raises KopsError while another process (or thread) writes this bundle, and OSError.
    """
    directory = target.with_name(target.name + ".work")
    descriptor = _locked(directory, target)
    try:
        yield directory
        shutil.rmtree(directory)
    finally:
        os.close(descriptor)


def _locked(directory: Path, target: Path) -> int:
    directory.parent.mkdir(parents=True, exist_ok=True)
    while True:
        # Path.mkdir(exist_ok=True) fails if the directory is removed while it looks.
        with suppress(FileExistsError):
            os.mkdir(directory)
        try:
            # flock on the directory itself: it creates no file and ends with the process.
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        if _is_locked(descriptor, directory, target):
            return descriptor


def _is_locked(descriptor: int, directory: Path, target: Path) -> bool:
    """Lock the open directory. False, and it is closed, if the run that had it before has removed it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(directory)):
            return True
    except FileNotFoundError:
        pass
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise KopsError(f"{target}: another run writes this archive") from error
        raise
    os.close(descriptor)
    return False
