# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file in a store of any kind: the common interface."""

from __future__ import annotations

import abc
import dataclasses
import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from ...base.errors import KopsError

# Requests that remove files at the same time.
_REMOVING = 16


class StoreError(KopsError):
    """The store cannot be used: it is unreachable, forbidden or missing, or its address is not valid."""


class WriteUncertain(StoreError):
    """A conditional write was carried out, but maybe over what somebody else has written meanwhile."""


class WriteConflict(KopsError):
    """A conditional write failed: the file already exists, or has changed since it was read."""


def md5(data: bytes) -> str:
    """MD5 of data in hexadecimal. Stores identify content by it; it is not used for security."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Listed:
    """One file of a listing.

    name: its path relative to the listed directory ("instancegroup/nodes").
    etag: differs if the content differs; in most stores the content's MD5.
    size: in bytes.
    """

    name: str
    path: VFSPath
    etag: str
    size: int

    def holds(self, data: bytes) -> bool:
        """Whether the file's content is data. Reads the file only if the listing is not enough (S3 with KMS)."""
        if self.size != len(data):
            return False
        return self.etag == md5(data) or self.path.read() == data


@dataclass(frozen=True)
class Tree:
    """A directory that was listed once. It answers for its subdirectories, too."""

    root: VFSPath
    files: tuple[Listed, ...]

    @classmethod
    def of(cls, root: VFSPath) -> Tree:
        """List a directory."""
        return cls(root, tuple(root.list_tree()))

    def below(self, directory: VFSPath) -> list[Listed]:
        """List a directory like list_tree(), but without a request, unless it is outside of the tree."""
        inside = f"{directory.path}/"
        if not inside.startswith(f"{self.root.path}/"):
            return directory.list_tree()
        inner = inside[len(self.root.path) + 1 :]
        return [
            dataclasses.replace(file, name=file.name[len(inner) :])
            for file in self.files
            if file.name.startswith(inner)
        ]

    def file(self, path: VFSPath) -> Listed | None:
        """The file at a path of the tree, None if there is none."""
        return next((file for file in self.files if file.path == path), None)


class VFSPath(abc.ABC):
    """A file or a directory in a store. No request is made before the first read or write.

    Every method raises StoreError if the store refuses the request or does not answer.
    """

    scheme: ClassVar[str]
    # Whether each read is a network request, so that many small reads should be avoided.
    remote: ClassVar[bool] = True
    # Seconds after which it is certain which of several conditional writes at once is the one that counts.
    settles: ClassVar[float] = 0.0

    @classmethod
    @abc.abstractmethod
    def open(cls, location: str, **auth: Any) -> VFSPath:
        """The path for what follows ``scheme://``."""

    @property
    @abc.abstractmethod
    def path(self) -> str:
        """The address, as a user writes it: ``s3://bucket/demo.example.com/config``."""

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.path.rstrip("/").rsplit("/", 1)[-1]

    @abc.abstractmethod
    def join(self, *parts: str) -> VFSPath:
        """The path below this one."""

    @abc.abstractmethod
    def read_tagged(self) -> tuple[bytes, str]:
        """The content and its etag. FileNotFoundError if the file does not exist."""

    def read(self) -> bytes:
        """The content. FileNotFoundError if the file does not exist."""
        return self.read_tagged()[0]

    @abc.abstractmethod
    def write(
        self, data: bytes, *, public: bool = False, if_none_match: bool = False, if_match: str | None = None
    ) -> str:
        """Replace the whole content atomically. Returns its etag.

        public: readable by everyone, if the store supports that.
        if_none_match: only create the file. if_match: only replace content with this etag. Else WriteConflict.
        """

    def upload(self, source: IO[bytes], *, public: bool = False) -> None:
        """Replace the whole content atomically by an open file of any size. public: as for write()."""
        self.write(source.read(), public=public)

    def download(self, target: IO[bytes]) -> None:
        """Write the content to an open file; it can have any size. FileNotFoundError if the file does not exist."""
        target.write(self.read())

    @abc.abstractmethod
    def list_tree(self) -> list[Listed]:
        """All files below this directory, sorted by name; empty when it does not exist."""

    @abc.abstractmethod
    def remove(self) -> None:
        """Remove the file if it exists. Stores with versioning keep its old versions."""

    def remove_many(self, paths: Iterable[VFSPath]) -> None:
        """Remove files below this directory, with as few requests as possible."""
        for path in paths:
            path.remove()

    def advice(self) -> list[str]:
        """What a user of the store should change in it, and how: sentences. Asks the store once.

        A store that can bring back what is replaced or removed says so here if it is not told to.
        """
        return []

    def __str__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VFSPath) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)


def remove_side_by_side(paths: Iterable[VFSPath]) -> None:
    """Remove files of a store that takes one in each request."""
    with ThreadPoolExecutor(_REMOVING) as pool:
        for _done in pool.map(lambda path: path.remove(), paths):
            pass
