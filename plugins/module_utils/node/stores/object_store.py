# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A state store in a service that keeps objects in buckets, and says by statuses of HTTP what became of a request."""

from __future__ import annotations

import urllib.error
import urllib.parse
from collections.abc import Callable
from typing import Generic, TypeVar

from ..system.clock import clock_note
from .object_files import ObjectFiles
from .xml_service import ServiceError, retried

_NOT_FOUND, _TOO_MANY, _SERVER_ERROR = 404, 429, 500
_LONGEST_ANSWER, _LONGEST = 1 << 16, 300
Access = TypeVar("Access")
Answer = TypeVar("Answer")


class ObjectStore(Generic[Access]):
    """A Store. All methods raise ServiceError, whose status is 404 for what must be there and is not.

    access: what an instance has for the service. open_bucket: gives the bucket of a name, with that.
    """

    def __init__(self, access: Access, open_bucket: Callable[[str, Access], ObjectFiles]) -> None:
        self._access, self._open = access, open_bucket
        self._buckets: dict[str, ObjectFiles] = {}

    def read(self, url: str) -> bytes | None:
        """The content of an object; None if there is none."""
        bucket, key = self._object(url)
        try:
            return self._asked(url, lambda: bucket.read(key))
        except ServiceError as error:
            # Services say the same of a bucket that does not exist.
            if error.status == _NOT_FOUND and self._asked(url, bucket.exists):
                return None
            raise

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """The content of an object and its tag; None if that is still this one."""
        bucket, key = self._object(url)
        return self._asked(url, lambda: bucket.read_changed(key, tag))

    def write(self, url: str, content: bytes) -> None:
        """Write an object."""
        bucket, key = self._object(url)
        self._asked(url, lambda: bucket.write(key, content))

    def upload(self, url: str, path: str, sha256: str) -> None:
        """Write a file. Raises KopsError, OSError as well."""
        bucket, key = self._object(url)
        self._asked(url, lambda: bucket.upload(key, path, sha256))

    def download(self, url: str, path: str) -> None:
        """Write the content of an object to a file. Raises KopsError as well."""
        bucket, key = self._object(url)
        self._asked(url, lambda: bucket.download(key, path))

    def names(self, url: str) -> list[str]:
        """The paths of all objects below a URL."""
        bucket, key = self._object(f"{url.rstrip('/')}/")
        found: list[str] = []
        after = ""
        while True:
            names, after = self._asked(url, lambda last=after: bucket.page(key, last))  # type: ignore[misc]
            found += [name[len(key) :] for name in names]
            if not after:
                return found

    def remove(self, url: str) -> None:
        """Remove an object, if it is there."""
        bucket, key = self._object(url)
        self._asked(url, lambda: bucket.remove(key))

    def refusal(self, what: str, error: urllib.error.HTTPError) -> Exception:
        """An answer that is an error, in the service's own words."""
        with error:
            content = error.read(_LONGEST_ANSWER)
        said = self.words(content, error) or str(error.reason)
        return ServiceError(what, error.code, "", f"{said}{clock_note(error.headers.get('Date'))}")

    def words(self, content: bytes, error: urllib.error.HTTPError) -> str:
        """Those in the content of an answer: in plain text, as others are pages; "" for none."""
        is_text = (error.headers.get("Content-Type") or "").startswith("text/plain")
        return content.decode(errors="replace").strip()[:_LONGEST] if is_text else ""

    def _object(self, url: str) -> tuple[ObjectFiles, str]:
        place = urllib.parse.urlsplit(url)
        if place.netloc not in self._buckets:
            self._buckets[place.netloc] = self._open(place.netloc, self._access)
        return self._buckets[place.netloc], place.path.lstrip("/")

    def _asked(self, what: str, ask: Callable[[], Answer]) -> Answer:
        """The answer; refusals are raised at once."""

        def checked() -> Answer:
            try:
                return ask()
            except urllib.error.HTTPError as error:
                if error.code == _TOO_MANY or error.code >= _SERVER_ERROR:
                    raise
                raise self.refusal(what, error) from error

        return retried(what, checked)
