# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing objects of S3, and reading those that have changed: apart from plain reading, which is part of user data."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Optional

from ..system.proxy import opener
from .s3_bucket import Bucket, NoRedirects, own_credentials
from .signing import signed_headers

_TIMEOUT = 30
_NOT_MODIFIED = 304


class WritableBucket(Bucket):
    """A bucket that the instance's role may write to. Reading first finds out where it is."""

    def read_changed(self, key: str, tag: str) -> Optional[tuple[bytes, str]]:
        """The content of an object and its ETag; None if that is still this tag. Raises OSError as read()."""
        self.region = self.region or self.access.region()
        try:
            return self._get_changed(key, tag)
        except urllib.error.HTTPError as error:
            if error.code == _NOT_MODIFIED:
                error.close()
                return None
            region = error.headers.get("x-amz-bucket-region")
            if region in (None, self.region):
                raise
            self.region = region
        return self._get_changed(key, "")

    def _get_changed(self, key: str, tag: str) -> tuple[bytes, str]:
        url, condition = self.url(key), {"if-none-match": tag} if tag else {}
        credentials = own_credentials() or self.access.credentials()
        headers = signed_headers("GET", url, "s3", self.region, credentials, headers=condition)
        client = opener(NoRedirects())
        with client.open(urllib.request.Request(url, headers=headers), timeout=_TIMEOUT) as answer:  # noqa: S310
            return bytes(answer.read()), str(answer.headers.get("ETag") or "")

    def write(self, key: str, content: bytes) -> None:
        """Write an object. Raises OSError; urllib.error.HTTPError for an answer that is an error."""
        self.region = self.region or self.access.region()
        url = self.url(key)
        credentials = own_credentials() or self.access.credentials()
        headers = signed_headers("PUT", url, "s3", self.region, credentials, content)
        request = urllib.request.Request(url, content, headers, method="PUT")  # noqa: S310
        # urllib would add the type of forms, which is not signed.
        request.add_unredirected_header("Content-type", "application/octet-stream")
        with opener().open(request, timeout=_TIMEOUT):
            pass
