# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of any size in Cloud Storage, never in memory as a whole; writing, listing and removing objects.

Apart from plain reading, which is part of user data.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import urllib.error
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, Optional

from ...base.errors import KopsError
from ..system import atomic
from .gs_bucket import Bucket

_TYPE = "application/octet-stream"
_NOT_MODIFIED, _NOT_FOUND, _FORBIDDEN = 304, 404, 403


class BucketOfFiles(Bucket):
    """A bucket whose objects are files.

    All methods raise OSError or http.client.HTTPException; urllib.error.HTTPError for an answer that is an error.
    """

    def read_changed(self, key: str, tag: str) -> Optional[tuple[bytes, str]]:
        """The content of an object and its generation; None if that is still this tag."""
        condition = {"ifGenerationNotMatch": tag} if tag else {}
        try:
            with self.open("GET", self.url(key, alt="media", **condition)) as answer:
                return bytes(answer.read()), str(answer.headers.get("X-Goog-Generation") or "")
        except urllib.error.HTTPError as error:
            if error.code != _NOT_MODIFIED:
                raise
            error.close()
            return None

    def write(self, key: str, content: bytes) -> None:
        """Write an object."""
        self._insert(key, [content], len(content), hashlib.md5(content, usedforsecurity=False).digest())

    def upload(self, key: str, path: str, sha256: str) -> None:
        """Write a file. Raises KopsError if it has another hash; Google refuses what arrives with another one."""
        digest, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        for chunk in _chunks(path):
            digest.update(chunk)
            md5.update(chunk)
        if digest.hexdigest() != sha256:
            raise KopsError(f"{path} has the SHA-256 {digest.hexdigest()}, and not {sha256}")
        self._insert(key, _chunks(path), os.path.getsize(path), md5.digest())

    def download(self, key: str, path: str) -> None:
        """Write an object to a file that only its owner can read. Raises KopsError if there is no room for it."""
        with self.open("GET", self.url(key, alt="media")) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            if size > atomic.free_space(path):
                raise KopsError(f"{os.path.dirname(path)} has no room for {size} bytes")
            atomic.write(path, _arriving(answer), mode=0o600, uid=os.getuid(), gid=os.getgid())
        if size and os.path.getsize(path) != size:
            raise OSError(f"{key} broke off after {os.path.getsize(path)} of {size} bytes")

    def page(self, prefix: str, token: str) -> dict[str, Any]:
        """Up to a thousand names: items[].name, and nextPageToken if there are more. token: of the page before."""
        after = {"pageToken": token} if token else {}
        with self.open("GET", self.url(prefix=prefix, fields="items(name),nextPageToken", **after)) as answer:
            return dict(json.load(answer))

    def remove(self, key: str) -> None:
        """Remove an object, if it is there."""
        try:
            with self.open("DELETE", self.url(key)):
                pass
        except urllib.error.HTTPError as error:
            if error.code != _NOT_FOUND or not self.exists():
                raise
            error.close()

    def exists(self) -> bool:
        """Whether there is the bucket; also if the instance may not list it, as the answer says that then."""
        try:
            with self.open("GET", self.url(maxResults="1", fields="kind")):
                return True
        except urllib.error.HTTPError as error:
            if error.code not in (_NOT_FOUND, _FORBIDDEN):
                raise
            error.close()
            return error.code == _FORBIDDEN

    def _insert(self, key: str, content: Iterable[bytes], size: int, md5: bytes) -> None:
        """Write an object whole or not at all, by a message of two parts: what it is, and its content."""
        about = {"name": key, "contentType": _TYPE, "md5Hash": base64.b64encode(md5).decode()}
        boundary = uuid.uuid4().hex
        head = (
            f"--{boundary}\r\nContent-Type: application/json\r\n\r\n{json.dumps(about)}\r\n"
            f"--{boundary}\r\nContent-Type: {_TYPE}\r\n\r\n"
        ).encode()
        end = f"\r\n--{boundary}--\r\n".encode()

        def message() -> Iterator[bytes]:
            yield head
            yield from content
            yield end

        headers = {
            "Content-Type": f"multipart/related; boundary={boundary}",
            "Content-Length": str(len(head) + size + len(end)),
        }
        url = f"{self.endpoint}/upload/storage/v1/b/{self.name}/o?uploadType=multipart&fields=generation"
        with self.open("POST", url, message(), headers):
            pass


def _arriving(answer: Any) -> Iterator[bytes]:
    """The content of an answer. A broken connection is no error of the file that is written meanwhile."""
    try:
        yield from atomic.chunks_of(answer)
    except OSError as error:
        raise http.client.HTTPException(f"broke off: {error}") from error


def _chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb") as stream:
        yield from atomic.chunks_of(stream)
