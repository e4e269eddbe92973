# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading objects of S3 and of compatible services, signed with credentials that the instance has.

The environment may name another endpoint: S3_ENDPOINT (kops' variable, with S3_REGION, and with S3_ACCESS_KEY_ID and
S3_SECRET_ACCESS_KEY if the service has users of its own), AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL (the SDKs').
"""

from __future__ import annotations

import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Optional, Protocol

from ..system.proxy import opener
from .signing import Credentials, signed_headers

_TIMEOUT = 30
_WRONG_REGION = (301, 307, 400)


class Access(Protocol):
    """What an instance has for S3. All methods raise OSError if that is not known."""

    def credentials(self) -> Credentials:
        """The keys of the instance, which may be others each time."""

    def region(self) -> str:
        """Where buckets are looked for first."""

    def domain(self) -> str:
        """The domain of the service's host names."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected request would carry the signature of another one."""

    def redirect_request(self, *_request: Any) -> None:
        """Do not follow: the answer is an error."""


class Bucket:
    """One bucket, as an instance sees it. The bucket may be in another region: S3 says which."""

    def __init__(self, name: str, access: Access) -> None:
        self.name = name
        self.access = access
        self.endpoint = next(filter(None, map(os.environ.get, _ENDPOINTS)), "")
        self.region = os.environ.get("S3_REGION", "")

    def read(self, key: str) -> bytes:
        """The content of an object. Raises OSError; urllib.error.HTTPError for an answer that is an error."""
        if not self.region:
            self.region = self.access.region()
        try:
            return self._get(key)
        except urllib.error.HTTPError as error:
            region = error.headers.get("x-amz-bucket-region")
            if error.code not in _WRONG_REGION or region in (None, self.region):
                raise
            self.region = region
            return self._get(key)

    def url(self, key: str) -> str:
        """Of an object. Names with dots are no names of hosts that certificates are for."""
        path = urllib.parse.quote(key, safe="/-_.~")
        if self.endpoint:
            return f"{self.endpoint.rstrip('/')}/{self.name}/{path}"
        service = f"s3.{self.region}.{self.access.domain()}"
        if "." in self.name:
            return f"https://{service}/{self.name}/{path}"
        return f"https://{self.name}.{service}/{path}"

    def _get(self, key: str) -> bytes:
        url = self.url(key)
        headers = signed_headers("GET", url, "s3", self.region, own_credentials() or self.access.credentials())
        client = opener(NoRedirects())
        with client.open(urllib.request.Request(url, headers=headers), timeout=_TIMEOUT) as answer:  # noqa: S310
            return bytes(answer.read())


_ENDPOINTS = ("S3_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


def own_credentials() -> Optional[Credentials]:
    """Those of a user of a compatible service."""
    key, secret = os.environ.get("S3_ACCESS_KEY_ID"), os.environ.get("S3_SECRET_ACCESS_KEY")
    return Credentials(key, secret) if key and secret and os.environ.get("S3_ENDPOINT") else None
