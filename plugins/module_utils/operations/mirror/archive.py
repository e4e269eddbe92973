# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive of an offline bundle: its form, how it is written and how it is read.

An uncompressed tar file. assets.json comes first: what is in the bundle, and size and SHA-256 of every other member.
Images are an OCI image layout at the top (oci-layout, index.json, blobs/), so that other tools can read them as well.
Files are at files/<host>/<path> of their URLs. The same content gives the same bytes.
Source: the OCI image layout of the OCI image specification 1.1.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from ...base.errors import KopsError
from .files import path_of
from .http import sha256_of_stream
from .references import is_digest

FORMAT = "kubeops.kops/assets/v1"
INDEX = "assets.json"
_LAYOUT, _LAYOUT_INDEX = "oci-layout", "index.json"
_LAYOUT_CONTENT = b'{"imageLayoutVersion":"1.0.0"}\n'
_LONGEST_INDEX = 64 << 20
_CHUNK = 1 << 20


def blob_path(digest: str) -> str:
    """Where an archive has a blob or a manifest."""
    return f"blobs/{digest.replace(':', '/')}"


def file_path(url: str) -> str:
    """Where an archive has a file."""
    return f"files/{urlsplit(url).netloc}/{path_of(url)}"


def as_json(data: Any) -> bytes:
    """Data as a reader of the archive sees it; the same data gives the same bytes."""
    return json.dumps(data, indent=1, sort_keys=True).encode() + b"\n"


def layout(images: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """The members that make an OCI image layout of the blobs. images: name, digest, media_type and size of each."""
    manifests = [
        {
            "mediaType": image["media_type"],
            "digest": image["digest"],
            "size": image["size"],
            # The first is what most tools look for, the second what containerd calls the image when it imports it.
            "annotations": {
                "org.opencontainers.image.ref.name": image["name"],
                "io.containerd.image.name": image["name"],
            },
        }
        for image in images
    ]
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": manifests,
    }
    return {_LAYOUT: _LAYOUT_CONTENT, _LAYOUT_INDEX: as_json(index)}


def write(path: Path, index: Mapping[str, Any], contents: Mapping[str, bytes | Path]) -> None:
    """Write an archive, which then appears as a whole. contents: of every member but the index. Raises OSError.

    Files among the contents are as the index says.
    """
    partial = path.with_name(path.name + ".partial")
    with tarfile.open(partial, "w:", format=tarfile.PAX_FORMAT) as packed:
        _add(packed, INDEX, as_json(index))
        for name in sorted(contents):
            _add(packed, name, contents[name])
    with open(partial, "rb") as written:
        os.fsync(written.fileno())
    os.replace(partial, path)


def _add(packed: tarfile.TarFile, name: str, content: bytes | Path) -> None:
    # No time, owner or mode of this machine.
    member = tarfile.TarInfo(name)
    member.mode = 0o644
    if isinstance(content, bytes):
        member.size = len(content)
        packed.addfile(member, io.BytesIO(content))
        return
    with open(content, "rb") as stream:
        member.size = os.fstat(stream.fileno()).st_size
        packed.addfile(member, stream)


class _Slice(io.RawIOBase):
    """A part of a file, as a file."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        self._file = open(path, "rb")  # noqa: SIM115 - closed by close()
        self._start, self._size, self._at = start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        self._file.seek(self._start + self._at)
        data = self._file.read(min(len(buffer), max(self._size - self._at, 0)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


@dataclass(frozen=True)
class Archive:
    """An archive that exists. index: what assets.json says. places: member -> (where its content starts, its size)."""

    path: Path
    index: Mapping[str, Any]
    places: Mapping[str, tuple[int, int]]

    @classmethod
    def open(cls, path: Path) -> Archive:
        """Read the list of contents. Raises KopsError if it is no bundle, or not all of one."""
        try:
            with tarfile.open(path, "r:") as packed:
                members = packed.getmembers()
                first = packed.extractfile(members[0]) if members and members[0].name == INDEX else None
                index = json.loads(first.read(_LONGEST_INDEX)) if first else None
        except (OSError, tarfile.TarError, ValueError) as error:
            raise KopsError(f"{path}: cannot be read as a bundle of assets: {error}") from error
        if not isinstance(index, dict) or index.get("format") != FORMAT:
            raise KopsError(f"{path}: is not a bundle of assets of the format {FORMAT}")
        _check_form(path, index)
        if any(not member.isreg() for member in members):
            raise KopsError(f"{path}: has members that are not files")
        if path.stat().st_size < members[-1].offset_data + members[-1].size:
            raise KopsError(f"{path}: its end is missing")
        return cls(path, index, {member.name: (member.offset_data, member.size) for member in members})

    def verify(self) -> None:
        """Read everything. Raises KopsError that names all members that are missing, additional or not as listed."""
        contents = self.index["contents"]
        problems = [f"{name}: is not listed" for name in sorted(self.places.keys() - contents.keys() - {INDEX})]
        for name, wanted in sorted(contents.items()):
            if name not in self.places:
                problems.append(f"{name}: is missing")
                continue
            with self.opened(name) as stream:
                found = sha256_of_stream(stream)
            if (found, self.places[name][1]) != (wanted["sha256"], wanted["size"]):
                problems.append(f"{name}: its SHA-256 is {found}, but {wanted['sha256']} is expected")
        if problems:
            raise KopsError("\n".join([f"{self.path}: is damaged:", *(f"- {problem}" for problem in problems)]))

    @contextmanager
    def opened(self, name: str) -> Iterator[IO[bytes]]:
        """A member. Raises KopsError if there is none."""
        if name not in self.places:
            raise KopsError(f"{self.path}: {name} is missing")
        with io.BufferedReader(_Slice(self.path, *self.places[name]), _CHUNK) as stream:
            yield stream

    def read(self, name: str) -> bytes:
        """A member's content."""
        with self.opened(name) as stream:
            return stream.read()

    def holds(self, sha256: str) -> str:
        """The name of a member with this content; "" if there is none."""
        return next((name for name, has in self.index["contents"].items() if has["sha256"] == sha256), "")

    def sha256(self) -> str:
        """The SHA-256 of the archive itself."""
        digest = hashlib.sha256()
        with open(self.path, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()


def _check_form(path: Path, index: Mapping[str, Any]) -> None:
    """Raises KopsError where the index lacks what is read of it."""
    try:
        for image in index["images"]:
            valid = is_digest(image["digest"]) and isinstance(image["name"], str) and image["media_type"]
            if not valid:
                raise ValueError(image)
        for file in index["files"]:
            if not is_digest(f"sha256:{file['sha256']}") or file["path"] != file_path(file["url"]):
                raise ValueError(file)
        for name, has in index["contents"].items():
            if not is_digest(f"sha256:{has['sha256']}") or has["size"] < 0:
                raise ValueError(name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise KopsError(f"{path}: its {INDEX} is not valid: {error!r}") from error
