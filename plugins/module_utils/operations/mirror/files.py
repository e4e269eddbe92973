# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files for a file repository: where it can be written, what it has, and each with its checksum beside it.

As kops does it: <file>.sha256 holds the checksum and nothing else, and is written after the file.
Source: pkg/assets/assetcopy/copyfile.go and util/pkg/vfs/s3fs.go of kops.
"""

from __future__ import annotations

import hashlib
import io
import posixpath
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from ...base.errors import KopsError
from ...statestore.vfs.open import open_path
from ...statestore.vfs.path import Tree, VFSPath
from ...statestore.vfs.public_urls import ROWS, is_read_with_rights, store_of
from ..download import DownloadError, download
from ..update.file_checksums import ENDINGS, LONGEST, listed

_ENDING = ".sha256"
# Schemes of stores from which nodes get files.
_READ_BY_NODES = ("file", *ROWS)


@dataclass
class FileRepository:
    """A file repository that can be written. public: whether everyone may read what is written, as nodes do."""

    root: VFSPath
    public: bool
    _tree: Tree | None = None

    @classmethod
    def open(cls, url: str, given: str = "") -> FileRepository:
        """Open the repository of spec.assets.fileRepository. given: the address for writing, if nodes read by another.

        Raises KopsError where a place that can be written does not follow from the URL.
        """
        if given:
            return cls(open_path(given), public=not is_read_with_rights(url))
        if urlsplit(url).scheme in _READ_BY_NODES:
            root = open_path(url)
            return cls(root, public=not root.remote)
        address = store_of(url)
        if not address:
            raise KopsError(
                f"spec.assets.fileRepository: {url} does not say where its files are written; file_repository must say"
                " so, for example file:///srv/mirror, s3://bucket/path or gs://bucket/path"
            )
        return cls(open_path(address), public=True)

    def has(self, path: str, sha256: str) -> bool:
        """Whether a file is there with its checksum; "" if any will do.

        A file on this machine is read; what is elsewhere is known by the checksum beside it, which is written last.
        """
        file, beside = self.root.join(path), self.root.join(path + _ENDING)
        tree = self._listed()
        if not tree.file(file) or not tree.file(beside):
            return False
        recorded = beside.read().decode(errors="replace").strip()
        if sha256 and recorded != sha256:
            return False
        return self.root.remote or _sha256(file) == recorded

    def _listed(self) -> Tree:
        if self._tree is None:
            self._tree = Tree.of(self.root)
        return self._tree

    def put(self, path: str, stream: IO[bytes], sha256: str) -> None:
        """Write a file, and its checksum after it. Raises StoreError."""
        self.root.join(path).upload(stream, public=self.public)
        self.root.join(path + _ENDING).write(sha256.encode(), public=self.public)


def path_of(url: str) -> str:
    """Path of a file in a file repository: the path of its publisher's URL."""
    return posixpath.normpath("/" + unquote(urlsplit(url).path)).lstrip("/")


def published_checksum(file: dict[str, Any], url: str) -> str:
    """The published SHA-256 of a file; "" if none is published.

    file: of the list of assets. url: where it is fetched from; a checksum beside it counts where its publisher's is not
    to be had. Raises DownloadError with every place's reason.
    """
    if file["sha256"] or not file["sha256_url"]:
        return file["sha256"] or ""
    places = dict.fromkeys([file["sha256_url"], *(url + ending for ending in ENDINGS)])
    problems = []
    for place in places:
        try:
            found = listed(download(place, LONGEST).decode(errors="replace"), posixpath.basename(url))
        except DownloadError as error:
            problems.append(f"{posixpath.basename(place)}: {error}")
        else:
            if found:
                return found
            problems.append(f"{posixpath.basename(place)}: has no SHA-256 of it")
    raise DownloadError(f"its checksum is not known ({'; '.join(problems)})", may_pass=False)


class _Sum(io.RawIOBase):
    """Takes what is written to it, and keeps the checksum only."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return len(data)


def _sha256(file: VFSPath) -> str:
    with _Sum() as total:
        file.download(total)  # type: ignore[arg-type]
        return total.digest.hexdigest()
