# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in S3, or in a service that is compatible with it, for URLs ``s3://BUCKET/KEY``."""

from __future__ import annotations

import urllib.parse

from .s3_bucket import Access
from .s3_files import BucketOfFiles
from .xml_service import ServiceError, read_xml, retried

_NO_SUCH_OBJECT = "NoSuchKey"


def store(access: Access) -> S3Store:
    """What node/stores/by_scheme.py asks of a scheme. access: as an instance has it."""
    return S3Store(access)


class S3Store:
    """A Store. All methods raise ServiceError, whose code is NoSuchKey for what must be there and is not."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._buckets: dict[str, BucketOfFiles] = {}

    def read(self, url: str) -> bytes | None:
        """The content of an object; None if there is none."""
        bucket, key = self._object(url)
        try:
            return retried(url, lambda: bucket.read(key))
        except ServiceError as error:
            if error.code == _NO_SUCH_OBJECT:
                return None
            raise

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """The content of an object and its ETag; None if that is still this tag."""
        bucket, key = self._object(url)
        return retried(url, lambda: bucket.read_changed(key, tag))

    def write(self, url: str, content: bytes) -> None:
        """Write an object."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.write(key, content))

    def upload(self, url: str, path: str, sha256: str) -> None:
        """Write a file; S3 compares the hash with what it gets. Raises OSError as well."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.upload(key, path, sha256))

    def download(self, url: str, path: str) -> None:
        """Write the content of an object to a file. Raises KopsError as well."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.download(key, path))

    def names(self, url: str) -> list[str]:
        """The paths of all objects below a URL, a thousand with each request."""
        bucket, key = self._object(f"{url.rstrip('/')}/")
        found, token = [], ""
        while True:
            page = read_xml(retried(url, lambda after=token: bucket.page(key, after)))  # type: ignore[misc]
            found += [(each.text or "").removeprefix(key) for each in page.iterfind("Contents/Key")]
            token = page.findtext("NextContinuationToken") or ""
            if not token:
                return found

    def remove(self, url: str) -> None:
        """Remove an object, if it is there."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.remove(key))

    def _object(self, url: str) -> tuple[BucketOfFiles, str]:
        place = urllib.parse.urlsplit(url)
        bucket = self._buckets.setdefault(place.netloc, BucketOfFiles(place.netloc, self._access))
        return bucket, place.path.lstrip("/")
