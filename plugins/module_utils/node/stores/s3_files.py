# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of any size in S3: they are never in memory as a whole. Also listing and removing objects."""

from __future__ import annotations

import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any, Optional

from ...base.errors import KopsError
from ..system import atomic
from ..system.proxy import opener
from .s3_bucket import NoRedirects, own_credentials
from .s3_write import WritableBucket
from .signing import signed_headers

# S3 takes no more in one request; only a whole request leaves nothing behind when it is broken off.
LARGEST = 5 * 1000**3
# Seconds without any progress.
_TIMEOUT = 60
_WRONG_REGION = (301, 307, 400)


class BucketOfFiles(WritableBucket):
    """A bucket whose objects are files. All methods raise OSError; urllib.error.HTTPError for an answer of an error."""

    def upload(self, key: str, path: str, sha256: str) -> None:
        """Write a file. S3 refuses it if its content has another hash. Raises KopsError if it is too large."""
        size = os.path.getsize(path)
        if size > LARGEST:
            raise KopsError(f"{path} has {size} bytes, and S3 takes {LARGEST} in one request")
        length = {"content-length": str(size)}
        with open(path, "rb") as stream, self._open("PUT", self.url(key), stream, length, sha256):
            pass

    def download(self, key: str, path: str) -> None:
        """Write an object to a file that only its owner can read. Raises KopsError if there is no room for it."""
        with self._open("GET", self.url(key)) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            if size > atomic.free_space(path):
                raise KopsError(f"{os.path.dirname(path)} has no room for {size} bytes")
            atomic.write(path, atomic.chunks_of(answer), mode=0o600, uid=os.getuid(), gid=os.getgid())
        if size and os.path.getsize(path) != size:
            raise OSError(f"{key} broke off after {os.path.getsize(path)} of {size} bytes")

    def page(self, prefix: str, token: str) -> bytes:
        """Up to a thousand keys, as the XML of ListObjectsV2. token: of the page before."""
        query = {"list-type": "2", "prefix": prefix, **({"continuation-token": token} if token else {})}
        parameters = urllib.parse.urlencode(query, quote_via=urllib.parse.quote, safe="-_.~")
        with self._open("GET", f"{self.url('')}?{parameters}") as answer:
            return bytes(answer.read())

    def remove(self, key: str) -> None:
        """Remove an object, if it is there."""
        with self._open("DELETE", self.url(key)):
            pass

    def url(self, key: str) -> str:
        """Of an object."""
        self.region = self.region or self.access.region()
        return super().url(key)

    def _open(
        self, method: str, url: str, body: Any = None, headers: Optional[Mapping[str, str]] = None, sha256: str = ""
    ) -> Any:
        """The answer. sha256: of the body."""
        credentials = own_credentials() or self.access.credentials()
        signed = signed_headers(method, url, "s3", self.region, credentials, headers=headers, digest=sha256)
        request = urllib.request.Request(url, body, signed, method=method)  # noqa: S310
        if body is not None:
            # urllib would add the type of forms, which is not signed.
            request.add_unredirected_header("Content-type", "application/octet-stream")
        try:
            return opener(NoRedirects()).open(request, timeout=_TIMEOUT)
        except urllib.error.HTTPError as error:
            region = error.headers.get("x-amz-bucket-region")
            if error.code not in _WRONG_REGION or region in (None, self.region):
                raise
            self.region = region
            raise ConnectionError(f"bucket {self.name} is in {region}") from error
