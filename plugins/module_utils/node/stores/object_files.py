# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of any size as objects of a bucket, never in memory as a whole."""

from __future__ import annotations

import abc
import hashlib
import http.client
import os
import urllib.error
from collections.abc import Iterable, Iterator
from typing import Any, Optional

from ...base.errors import KopsError
from ..system import atomic

_NOT_MODIFIED, _NOT_FOUND = 304, 404
CONTENT_TYPE = "application/octet-stream"


class ObjectFiles(abc.ABC):
    """A bucket whose objects are files; each service says how they are read and written.

    All methods raise OSError or http.client.HTTPException; urllib.error.HTTPError for an answer that is an error.
    """

    @abc.abstractmethod
    def read(self, key: str) -> bytes:
        """The content of an object."""

    @abc.abstractmethod
    def get(self, key: str, tag: str = "") -> Any:
        """The answer with an object; HTTP status 304 if it still has this tag."""

    @abc.abstractmethod
    def tag_of(self, answer: Any) -> str:
        """The tag of an object's content, as the answer with it says."""

    @abc.abstractmethod
    def put(self, key: str, content: Iterable[bytes], size: int, md5: bytes) -> None:
        """Write an object whole or not at all. The service refuses what arrives with another checksum."""

    @abc.abstractmethod
    def delete(self, key: str) -> None:
        """Remove an object, which is there."""

    @abc.abstractmethod
    def page(self, prefix: str, after: str) -> tuple[list[str], str]:
        """Some names of objects, and where more of them begin; "" at the end. after: of the page before."""

    @abc.abstractmethod
    def exists(self) -> bool:
        """Whether there is the bucket."""

    def read_changed(self, key: str, tag: str) -> Optional[tuple[bytes, str]]:
        """The content of an object and its tag; None if that is still this one."""
        try:
            with self.get(key, tag) as answer:
                return bytes(answer.read()), self.tag_of(answer)
        except urllib.error.HTTPError as error:
            if error.code != _NOT_MODIFIED:
                raise
            error.close()
            return None

    def write(self, key: str, content: bytes) -> None:
        """Write an object."""
        self.put(key, [content], len(content), hashlib.md5(content, usedforsecurity=False).digest())

    def upload(self, key: str, path: str, sha256: str) -> None:
        """Write a file. Raises KopsError if it has another hash."""
        digest, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        for chunk in _chunks(path):
            digest.update(chunk)
            md5.update(chunk)
        if digest.hexdigest() != sha256:
            raise KopsError(f"{path} has the SHA-256 {digest.hexdigest()}, and not {sha256}")
        self.put(key, _chunks(path), os.path.getsize(path), md5.digest())

    def download(self, key: str, path: str) -> None:
        """Write an object to a file that only its owner can read. Raises KopsError if there is no room for it."""
        with self.get(key) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            if size > atomic.free_space(path):
                raise KopsError(f"{os.path.dirname(path)} has no room for {size} bytes")
            atomic.write(path, _arriving(answer), mode=0o600, uid=os.getuid(), gid=os.getgid())
        if size and os.path.getsize(path) != size:
            raise OSError(f"{key} broke off after {os.path.getsize(path)} of {size} bytes")

    def remove(self, key: str) -> None:
        """Remove an object, if it is there."""
        try:
            self.delete(key)
        except urllib.error.HTTPError as error:
            if error.code != _NOT_FOUND or not self.exists():
                raise
            error.close()


def _arriving(answer: Any) -> Iterator[bytes]:
    """The content of an answer. A broken connection is no error of the file that is written meanwhile."""
    try:
        yield from atomic.chunks_of(answer)
    except OSError as error:
        raise http.client.HTTPException(f"broke off: {error}") from error


def _chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb") as stream:
        yield from atomic.chunks_of(stream)
