# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of any size in Swift, never in memory as a whole; writing, listing and removing objects.

Apart from plain reading, which is part of user data.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import urllib.error
from collections.abc import Iterator
from typing import Any, Optional

from ...base.errors import KopsError
from ..system import atomic
from .swift_container import Container

_NOT_MODIFIED, _NOT_FOUND = 304, 404
_TYPE = {"Content-Type": "application/octet-stream"}


class ContainerOfFiles(Container):
    """A container whose objects are files.

    All methods raise OSError or http.client.HTTPException; urllib.error.HTTPError for an answer that is an error.
    """

    def read_changed(self, key: str, tag: str) -> Optional[tuple[bytes, str]]:
        """The content of an object and its checksum; None if that is still this tag."""
        try:
            with self.open("GET", key, headers={"If-None-Match": tag} if tag else {}) as answer:
                return bytes(answer.read()), str(answer.headers.get("ETag") or "").strip('"')
        except urllib.error.HTTPError as error:
            if error.code != _NOT_MODIFIED:
                raise
            error.close()
            return None

    def write(self, key: str, content: bytes) -> None:
        """Write an object."""
        with self.open("PUT", key, content, {**_TYPE, "ETag": _md5(content).hexdigest()}):
            pass

    def upload(self, key: str, path: str, sha256: str) -> None:
        """Write a file. Raises KopsError if it has another hash; Swift refuses what arrives with another one."""
        digest, md5 = hashlib.sha256(), _md5(b"")
        for chunk in _chunks(path):
            digest.update(chunk)
            md5.update(chunk)
        if digest.hexdigest() != sha256:
            raise KopsError(f"{path} has the SHA-256 {digest.hexdigest()}, and not {sha256}")
        headers = {**_TYPE, "ETag": md5.hexdigest(), "Content-Length": str(os.path.getsize(path))}
        with self.open("PUT", key, _chunks(path), headers):
            pass

    def download(self, key: str, path: str) -> None:
        """Write an object to a file that only its owner can read. Raises KopsError if there is no room for it."""
        with self.open("GET", key) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            if size > atomic.free_space(path):
                raise KopsError(f"{os.path.dirname(path)} has no room for {size} bytes")
            atomic.write(path, _arriving(answer), mode=0o600, uid=os.getuid(), gid=os.getgid())
        if size and os.path.getsize(path) != size:
            raise OSError(f"{key} broke off after {os.path.getsize(path)} of {size} bytes")

    def names(self, prefix: str, after: str) -> list[str]:
        """Names of objects, ten thousand at most. after: the last one of those before."""
        query = {"format": "json", "prefix": prefix, **({"marker": after} if after else {})}
        with self.open("GET", query=query) as answer:
            content = answer.read()
        return [str(each["name"]) for each in (json.loads(content) if content else ())]

    def remove(self, key: str) -> None:
        """Remove an object, if it is there."""
        try:
            with self.open("DELETE", key):
                pass
        except urllib.error.HTTPError as error:
            if error.code != _NOT_FOUND or not self.exists():
                raise
            error.close()

    def exists(self) -> bool:
        """Whether there is the container."""
        try:
            with self.open("HEAD"):
                return True
        except urllib.error.HTTPError as error:
            if error.code != _NOT_FOUND:
                raise
            error.close()
            return False


def _md5(content: bytes) -> Any:
    return hashlib.md5(content, usedforsecurity=False)


def _arriving(answer: Any) -> Iterator[bytes]:
    """The content of an answer. A broken connection is no error of the file that is written meanwhile."""
    try:
        yield from atomic.chunks_of(answer)
    except OSError as error:
        raise http.client.HTTPException(f"broke off: {error}") from error


def _chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb") as stream:
        yield from atomic.chunks_of(stream)
