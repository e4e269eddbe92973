# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gs://: a store in a bucket of Google Cloud Storage, by its JSON API.

Google's client library is not used: a few requests are all that is needed, by libraries that the cloud needs, too.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, ClassVar

from .gs_bucket import ATTEMPTS, INCOMPLETE, Asked, Bucket, Refused, broken_off, bucket_named, conflict_of
from .path import Listed, StoreError, VFSPath, WriteConflict, remove_side_by_side

if TYPE_CHECKING:
    import requests

# What is sent with one request of a large file; the API takes multiples of 256 KiB.
PART = 8 << 20
_CHUNK = 1 << 20
_TYPE = "application/octet-stream"


class GSPath(VFSPath):
    """An object in a bucket."""

    scheme: ClassVar[str] = "gs"

    def __init__(self, bucket: Bucket, key: str) -> None:
        self.bucket = bucket
        self.key = key

    @classmethod
    def open(cls, location: str, **auth: Any) -> GSPath:
        """The path for what follows ``gs://``. Credentials are Google's application default credentials."""
        name, _separator, key = location.partition("/")
        if not name:
            raise StoreError("gs:// needs a bucket, for example gs://bucket or gs://bucket/prefix")
        return cls(bucket_named(name), key.strip("/"))

    @property
    def path(self) -> str:
        return f"gs://{self.bucket.name}/{self.key}".rstrip("/")

    def join(self, *parts: str) -> GSPath:
        return GSPath(self.bucket, "/".join(part.strip("/") for part in (self.key, *parts) if part.strip("/")))

    def read_tagged(self) -> tuple[bytes, str]:
        answer = self._ask("read", "GET", parameters={"alt": "media"}).answer
        return answer.content, _etag_of_content(answer)

    def write(
        self, data: bytes, *, public: bool = False, if_none_match: bool = False, if_match: str | None = None
    ) -> str:
        condition = None
        if if_none_match:
            condition = "0"
        elif if_match is not None:
            condition = self._generation_of(if_match)
        return self._insert(data, public, condition)

    def _generation_of(self, etag: str) -> str:
        """The generation that has an etag, for a condition. Raises WriteConflict if the object has another etag."""
        try:
            present = self._ask("read", "GET", parameters={"fields": "generation,md5Hash"}).answer.json()
        except FileNotFoundError:
            raise WriteConflict(f"{self} was removed meanwhile") from None
        if _etag(present.get("md5Hash", ""), present["generation"]) != etag:
            raise WriteConflict(f"{self} was changed meanwhile")
        return str(present["generation"])

    def _insert(self, data: bytes, public: bool, condition: str | None) -> str:
        # The object is refused if its content does not have this hash.
        about = self._about(public, md5Hash=base64.b64encode(_md5(data)).decode())
        boundary = uuid.uuid4().hex
        parts = [
            f"--{boundary}\r\nContent-Type: application/json\r\n\r\n{json.dumps(about)}\r\n".encode(),
            f"--{boundary}\r\nContent-Type: {_TYPE}\r\n\r\n".encode(),
            data,
            f"\r\n--{boundary}--\r\n".encode(),
        ]
        try:
            asked = self.bucket.ask(
                "write",
                "POST",
                self.bucket.upload_url,
                subject=self.path,
                parameters={
                    "uploadType": "multipart",
                    "fields": "generation,md5Hash",
                    **self._options(public, condition),
                },
                headers={"Content-Type": f"multipart/related; boundary={boundary}"},
                body=b"".join(parts),
            )
        except Refused as error:
            conflict = conflict_of(error, self.path) if condition is not None else None
            if conflict is None:
                raise
            etag = self._own_write(data, error)
            if etag is None:
                raise conflict from error
            return etag
        written = asked.answer.json()
        return _etag(written.get("md5Hash", ""), written["generation"])

    def _own_write(self, data: bytes, conflict: Refused) -> str | None:
        """The etag, if what a refused write conflicts with is itself: sent again because its first answer was lost."""
        if conflict.attempts == 1:
            return None
        try:
            present, etag = self.read_tagged()
        except FileNotFoundError:
            return None
        return etag if present == data else None

    def _about(self, public: bool, **more: str) -> dict[str, str]:
        about = {"name": self.key, "contentType": _TYPE, **more}
        # Otherwise Google keeps what everybody may read for an hour.
        return {**about, "cacheControl": "no-cache"} if public else about

    def _options(self, public: bool, condition: str | None) -> dict[str, str]:
        options = {} if condition is None else {"ifGenerationMatch": condition}
        if public and self.bucket.is_uniform and not self.bucket.lets_all_read:
            raise StoreError(
                f"cannot write {self}: everybody has to read it, and the bucket {self.bucket.name} has uniform access"
                " and lets nobody read all objects: gcloud storage buckets add-iam-policy-binding"
                f" gs://{self.bucket.name} --member=allUsers --role=roles/storage.objectViewer"
            )
        return {**options, "predefinedAcl": "publicRead"} if public and not self.bucket.is_uniform else options

    def upload(self, source: IO[bytes], *, public: bool = False) -> None:
        part = source.read(PART)
        if len(part) < PART:
            self._insert(part, public, None)
            return
        start = self.bucket.ask(
            "write",
            "POST",
            self.bucket.upload_url,
            subject=self.path,
            parameters={"uploadType": "resumable", **self._options(public, None)},
            headers={"Content-Type": "application/json"},
            body=json.dumps(self._about(public)).encode(),
        )
        session, offset = start.answer.headers["Location"], 0
        while True:
            following = source.read(PART)
            end = offset + len(part)
            self._send_part(session, part, offset, str(end) if not following else "*")
            if not following:
                return
            part, offset = following, end

    def _send_part(self, session: str, part: bytes, offset: int, total: str) -> None:
        """Send a part of an upload until all of it is taken. total: the size of the whole, "*" while it is unknown."""
        end = offset + len(part)
        for _attempt in range(ATTEMPTS):
            length = f"bytes {offset}-{end - 1}/{total}" if part else f"bytes */{total}"
            answer = self.bucket.ask(
                "write", "PUT", session, subject=self.path, headers={"Content-Range": length}, body=part
            ).answer
            if answer.status_code != INCOMPLETE:
                return
            # "bytes=0-N", or nothing at all.
            last = answer.headers.get("Range", "").rpartition("-")[2]
            taken = int(last) + 1 if last else 0
            part, offset = part[taken - offset :], taken
            if not part and total == "*":
                return
        raise StoreError(f"cannot write {self}: {self.bucket.endpoint} takes {offset} bytes, and no more")

    def download(self, target: IO[bytes]) -> None:
        received, generation = 0, ""
        for attempt in range(1, ATTEMPTS + 1):
            # What has broken off is continued, from the same content.
            rest = {"Range": f"bytes={received}-"} if received else {}
            parameters = {"alt": "media", **({"generation": generation} if generation else {})}
            answer = self._ask("read", "GET", parameters=parameters, headers=rest, stream=True).answer
            generation = answer.headers.get("X-Goog-Generation", "")
            if received and answer.status_code != _PARTIAL:
                raise StoreError(f"cannot read {self}: it broke off, and cannot be continued")
            try:
                for chunk in answer.iter_content(_CHUNK):
                    target.write(chunk)
                    received += len(chunk)
            except broken_off() as error:
                if attempt == ATTEMPTS:
                    raise self.bucket.unanswered("read", error) from error
            else:
                return

    def list_tree(self) -> list[Listed]:
        prefix = f"{self.key}/" if self.key else ""
        parameters = {"prefix": prefix, "fields": "items(name,size,md5Hash,generation),nextPageToken"}
        found: list[Mapping[str, Any]] = []
        while True:
            page = self.bucket.ask("list", "GET", f"{self.bucket.url}/o", parameters=parameters).answer.json()
            found += page.get("items", ())
            if not page.get("nextPageToken"):
                break
            parameters = {**parameters, "pageToken": page["nextPageToken"]}
        # Some tools create an empty object for the directory itself.
        return [
            Listed(
                item["name"][len(prefix) :],
                GSPath(self.bucket, item["name"]),
                _etag(item.get("md5Hash", ""), item["generation"]),
                int(item["size"]),
            )
            for item in found
            if not item["name"].endswith("/")
        ]

    def advice(self) -> list[str]:
        """To switch versioning on, where nothing keeps what is replaced."""
        about = self.bucket.about()
        if about is None or about.get("versioning", {}).get("enabled"):
            return []
        if int(about.get("softDeletePolicy", {}).get("retentionDurationSeconds", 0)):
            return []
        name = self.bucket.name
        return [
            f"the bucket {name} has no versioning: what is replaced or removed in the state store by mistake is lost."
            f" Switch it on: gcloud storage buckets update gs://{name} --versioning"
        ]

    def remove(self) -> None:
        with suppress(FileNotFoundError):
            self._ask("remove", "DELETE")

    def remove_many(self, paths: Iterable[VFSPath]) -> None:
        remove_side_by_side(paths)

    def _ask(self, doing: str, method: str, **options: Any) -> Asked:
        return self.bucket.ask(doing, method, self.bucket.object_url(self.key), subject=self.path, **options)


_PARTIAL = 206


def _md5(data: bytes) -> bytes:
    # Objects are compared by it; it is not used for security.
    return hashlib.md5(data, usedforsecurity=False).digest()


def _etag(md5_hash: str, generation: str) -> str:
    """The content's MD5 in hexadecimal; of objects that were composed of others Google knows none."""
    return base64.b64decode(md5_hash).hex() if md5_hash else f"generation-{generation}"


def _etag_of_content(answer: requests.Response) -> str:
    hashes = [each.strip().partition("=") for each in answer.headers.get("X-Goog-Hash", "").split(",")]
    md5_hash = next((value for name, _separator, value in hashes if name == "md5"), "")
    return _etag(md5_hash, answer.headers.get("X-Goog-Generation", ""))
