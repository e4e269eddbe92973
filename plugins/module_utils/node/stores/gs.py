# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in Google Cloud Storage, for URLs ``gs://BUCKET/KEY``."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
from collections.abc import Callable
from typing import TypeVar

from ..system.clock import clock_note
from .gs_bucket import Access
from .gs_files import BucketOfFiles
from .xml_service import ServiceError, retried

_NOT_FOUND, _TOO_MANY, _SERVER_ERROR = 404, 429, 500
_LONGEST = 300
Answer = TypeVar("Answer")


def store(access: Access) -> GSStore:
    """What node/stores/by_scheme.py asks of a scheme. access: as an instance has it."""
    return GSStore(access)


class GSStore:
    """A Store. All methods raise ServiceError, whose status is 404 for what must be there and is not."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._buckets: dict[str, BucketOfFiles] = {}

    def read(self, url: str) -> bytes | None:
        """The content of an object; None if there is none."""
        bucket, key = self._object(url)
        try:
            return _asked(url, lambda: bucket.read(key))
        except ServiceError as error:
            # Google says the same of a bucket that does not exist.
            if error.status == _NOT_FOUND and _asked(url, bucket.exists):
                return None
            raise

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """The content of an object and its generation; None if that is still this tag."""
        bucket, key = self._object(url)
        return _asked(url, lambda: bucket.read_changed(key, tag))

    def write(self, url: str, content: bytes) -> None:
        """Write an object."""
        bucket, key = self._object(url)
        _asked(url, lambda: bucket.write(key, content))

    def upload(self, url: str, path: str, sha256: str) -> None:
        """Write a file. Raises KopsError, OSError as well."""
        bucket, key = self._object(url)
        _asked(url, lambda: bucket.upload(key, path, sha256))

    def download(self, url: str, path: str) -> None:
        """Write the content of an object to a file. Raises KopsError as well."""
        bucket, key = self._object(url)
        _asked(url, lambda: bucket.download(key, path))

    def names(self, url: str) -> list[str]:
        """The paths of all objects below a URL, a thousand with each request."""
        bucket, key = self._object(f"{url.rstrip('/')}/")
        found: list[str] = []
        token = ""
        while True:
            page = _asked(url, lambda after=token: bucket.page(key, after))  # type: ignore[misc]
            found += [each["name"][len(key) :] for each in page.get("items", ())]
            token = page.get("nextPageToken", "")
            if not token:
                return found

    def remove(self, url: str) -> None:
        """Remove an object, if it is there."""
        bucket, key = self._object(url)
        _asked(url, lambda: bucket.remove(key))

    def _object(self, url: str) -> tuple[BucketOfFiles, str]:
        place = urllib.parse.urlsplit(url)
        bucket = self._buckets.setdefault(place.netloc, BucketOfFiles(place.netloc, self._access))
        return bucket, place.path.lstrip("/")


def _asked(what: str, ask: Callable[[], Answer]) -> Answer:
    """The answer; refusals are raised at once, with Google's own words."""

    def checked() -> Answer:
        try:
            return ask()
        except urllib.error.HTTPError as error:
            if error.code == _TOO_MANY or error.code >= _SERVER_ERROR:
                raise
            raise _refusal(what, error) from error

    return retried(what, checked)


def _refusal(what: str, error: urllib.error.HTTPError) -> ServiceError:
    with error:
        content = error.read(1 << 16)
    try:
        said = json.loads(content)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        # Answers to requests for the content of an object are plain text.
        is_text = (error.headers.get("Content-Type") or "").startswith("text/plain")
        said = (is_text and content.decode(errors="replace").strip()[:_LONGEST]) or error.reason
    return ServiceError(what, error.code, "", f"{said}{clock_note(error.headers.get('Date'))}")
