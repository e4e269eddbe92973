# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""file://: a store in a directory. Nodes cannot read it, so it is for plans, tests and bare metal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, ClassVar

from .path import Listed, StoreError, VFSPath, WriteConflict, md5

# Written beside the target and renamed to it. A killed process may leave such a file; it is not part of the store.
_TEMPORARY = ".kops-"
# Etags of files from this size on are made from metadata, so that a listing does not read large backups.
_BIG = 4 << 20
_CHUNK = 1 << 20


class LocalPath(VFSPath):
    """A file on this machine."""

    scheme: ClassVar[str] = "file"
    remote: ClassVar[bool] = False

    def __init__(self, location: Path) -> None:
        self.location = location

    @classmethod
    def open(cls, location: str, **auth: Any) -> LocalPath:
        """The path for what follows ``file://``; ``~`` and relative paths are allowed."""
        if not location:
            raise StoreError("file:// needs a directory, for example file:///path/to/store")
        return cls(Path(os.path.abspath(Path(location).expanduser())))

    @property
    def path(self) -> str:
        return str(self.location)  # as kops writes it into specifications (FSPath.Path)

    def join(self, *parts: str) -> LocalPath:
        return LocalPath(self.location.joinpath(*parts))

    def read_tagged(self) -> tuple[bytes, str]:
        try:
            data = self.location.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(self.path) from None
        except OSError as error:
            raise self._refused("read", error) from error
        return data, md5(data)

    def write(
        self, data: bytes, *, public: bool = False, if_none_match: bool = False, if_match: str | None = None
    ) -> str:
        directory = self.location.parent
        if if_match is not None and not self.location.exists():
            raise WriteConflict(f"{self} was removed meanwhile")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with _locked(directory), _temporary(directory, [data], public) as temporary:
                if if_match is not None and self._etag() != if_match:
                    raise WriteConflict(f"{self} was changed meanwhile")
                if if_none_match:
                    # A hard link appears with its whole content or not at all, and never replaces an existing file.
                    _link(temporary, self.location)
                else:
                    os.replace(temporary, self.location)
        except FileExistsError:
            raise WriteConflict(f"{self} exists already") from None
        except OSError as error:
            raise self._refused("write", error) from error
        return md5(data)

    def _etag(self) -> str | None:
        try:
            return self.read_tagged()[1]
        except FileNotFoundError:
            return None

    def list_tree(self) -> list[Listed]:
        listed = []
        try:
            for directory, _directories, names in os.walk(self.location, onerror=_unless_absent):
                for name in names:
                    if not name.startswith(_TEMPORARY):
                        path = LocalPath(Path(directory, name))
                        with contextlib.suppress(FileNotFoundError):
                            below = path.location.relative_to(self.location).as_posix()
                            listed.append(Listed(below, path, *path._listed()))
        except OSError as error:
            raise self._refused("list", error) from error
        return sorted(listed, key=lambda file: file.name)

    def _listed(self) -> tuple[str, int]:
        """Etag and size."""
        status = os.stat(self.location)
        if status.st_size >= _BIG:
            return f"{status.st_ino}-{status.st_mtime_ns}", status.st_size
        data, etag = self.read_tagged()
        return etag, len(data)

    def upload(self, source: IO[bytes], *, public: bool = False) -> None:
        directory = self.location.parent
        try:
            directory.mkdir(parents=True, exist_ok=True)
            pieces = iter(partial(source.read, _CHUNK), b"")
            with _locked(directory), _temporary(directory, pieces, public) as temporary:
                os.replace(temporary, self.location)
        except OSError as error:
            raise self._refused("write", error) from error

    def download(self, target: IO[bytes]) -> None:
        try:
            with open(self.location, "rb") as stream:
                shutil.copyfileobj(stream, target, _CHUNK)
        except FileNotFoundError:
            raise FileNotFoundError(self.path) from None
        except OSError as error:
            raise self._refused("read", error) from error

    def remove(self) -> None:
        try:
            self.location.unlink(missing_ok=True)
        except OSError as error:
            raise self._refused("remove", error) from error

    def remove_many(self, paths: Iterable[VFSPath]) -> None:
        super().remove_many(paths)
        # Object stores have no directories: so empty ones are removed here.
        for directory, _directories, _names in os.walk(self.location, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(directory)

    def _refused(self, verb: str, error: OSError) -> StoreError:
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            file = next((parent for parent in self.location.parents if parent.is_file()), self.location)
            return StoreError(f"cannot {verb} {self}: {file} is a file, not a directory")
        return StoreError(f"cannot {verb} {self}: {error.strerror or error}")


def _link(temporary: str, location: Path) -> None:
    """os.link(); over NFS it can say that the file exists because its own answer was lost (link(2))."""
    try:
        os.link(temporary, location)
    except FileExistsError:
        if os.stat(temporary).st_nlink == 1:
            raise


def _unless_absent(error: OSError) -> None:
    if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
        raise error


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    # flock on the directory itself: it creates no file and ends with the process.
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _temporary(directory: Path, pieces: Iterable[bytes], public: bool) -> Iterator[str]:
    descriptor, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=directory)  # mode 0600: some files are private keys
    try:
        with os.fdopen(descriptor, "wb") as file:
            if public:
                os.fchmod(file.fileno(), 0o644)
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        yield name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
