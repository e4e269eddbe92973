# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in Cloud Storage; writing, listing and removing objects.

Apart from plain reading, which is part of user data.
"""

from __future__ import annotations

import base64
import json
import urllib.error
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from .gs_bucket import Bucket
from .object_files import CONTENT_TYPE, ObjectFiles

_NOT_FOUND, _FORBIDDEN = 404, 403


class BucketOfFiles(Bucket, ObjectFiles):
    """A bucket whose objects are files. Their tags are generations."""

    def get(self, key: str, tag: str = "") -> Any:
        """See ObjectFiles."""
        condition = {"ifGenerationNotMatch": tag} if tag else {}
        return self.open("GET", self.url(key, alt="media", **condition))

    def tag_of(self, answer: Any) -> str:
        """See ObjectFiles."""
        return str(answer.headers.get("X-Goog-Generation") or "")

    def put(self, key: str, content: Iterable[bytes], size: int, md5: bytes) -> None:
        """By a message of two parts: what it is, and its content."""
        about = {"name": key, "contentType": CONTENT_TYPE, "md5Hash": base64.b64encode(md5).decode()}
        boundary = uuid.uuid4().hex
        head = (
            f"--{boundary}\r\nContent-Type: application/json\r\n\r\n{json.dumps(about)}\r\n"
            f"--{boundary}\r\nContent-Type: {CONTENT_TYPE}\r\n\r\n"
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

    def delete(self, key: str) -> None:
        """See ObjectFiles."""
        with self.open("DELETE", self.url(key)):
            pass

    def page(self, prefix: str, after: str) -> tuple[list[str], str]:
        """Up to a thousand names."""
        token = {"pageToken": after} if after else {}
        with self.open("GET", self.url(prefix=prefix, fields="items(name),nextPageToken", **token)) as answer:
            found = json.load(answer)
        return [str(each["name"]) for each in found.get("items", ())], str(found.get("nextPageToken", ""))

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
