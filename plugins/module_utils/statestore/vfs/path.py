# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file in a store, whatever the kind of store is: one small interface."""

from __future__ import annotations

import abc
import dataclasses
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from ...base.errors import KopsError


class StoreError(KopsError):
    """A store that cannot be used: unreachable, forbidden, missing, or an address that is none."""


class WriteConflict(KopsError):
    """A conditional write that was refused: the file exists already, or is no longer what it was when it was read."""


def md5(data: bytes) -> str:
    """MD5 of data in hexadecimal; how stores name content, no protection of anything."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Listed:
    """One file of a listing.

    name: its place below the directory that was listed ("instancegroup/nodes").
    etag: what tells one content from another; the content's MD5 in every store that computes one.
    size: in bytes.
    """

    name: str
    path: VFSPath
    etag: str
    size: int

    def holds(self, data: bytes) -> bool:
        """Whether the file's content is data; reads it only where the listing alone cannot tell (S3 with KMS)."""
        if self.size != len(data):
            return False
        return self.etag == md5(data) or self.path.read() == data


@dataclass(frozen=True)
class Tree:
    """A directory that was listed once, which answers for the directories below it too."""

    root: VFSPath
    files: tuple[Listed, ...]

    @classmethod
    def of(cls, root: VFSPath) -> Tree:
        """List a directory."""
        return cls(root, tuple(root.list_tree()))

    def below(self, directory: VFSPath) -> list[Listed]:
        """As directory.list_tree(); only a directory outside of the tree is listed now."""
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
        """The file at a place in the tree; None when there is none."""
        return next((file for file in self.files if file.path == path), None)


class VFSPath(abc.ABC):
    """A file or a directory in a store; nothing is asked of the store before the first read or write.

    Every method raises StoreError when the store refuses or does not answer.
    """

    scheme: ClassVar[str]
    # Whether each read costs a round trip, so that many small reads are worth avoiding.
    remote: ClassVar[bool] = True

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
        """The content and its etag. FileNotFoundError when there is no such file."""

    def read(self) -> bytes:
        """The content. FileNotFoundError when there is no such file."""
        return self.read_tagged()[0]

    @abc.abstractmethod
    def write(
        self, data: bytes, *, public: bool = False, if_none_match: bool = False, if_match: str | None = None
    ) -> str:
        """Replace the whole content at once, and return its etag.

        public: readable by everybody, where the store has such a right.
        if_none_match: only create. if_match: only replace content with this etag. WriteConflict otherwise.
        """

    def upload(self, source: IO[bytes]) -> None:
        """Replace the whole content at once by that of an open file, however big it is."""
        self.write(source.read())

    def download(self, target: IO[bytes]) -> None:
        """Write the content to an open file, however big it is. FileNotFoundError when there is none."""
        target.write(self.read())

    @abc.abstractmethod
    def list_tree(self) -> list[Listed]:
        """All files below this directory, sorted by name; empty when it does not exist."""

    @abc.abstractmethod
    def remove(self) -> None:
        """Remove the file; nothing happens when there is none. Stores that keep versions keep this one."""

    def remove_many(self, paths: Iterable[VFSPath]) -> None:
        """Remove files below this directory, in as few calls as the store allows."""
        for path in paths:
            path.remove()

    def __str__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VFSPath) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)
