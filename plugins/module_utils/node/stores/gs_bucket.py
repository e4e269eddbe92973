# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading objects of Google Cloud Storage by its JSON API, with a token that the instance has.

The environment may name another endpoint: STORAGE_EMULATOR_HOST (of Google's client libraries) or
CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE (of gcloud).
"""

from __future__ import annotations

import os
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any, Optional, Protocol

from ..system.proxy import opener

_ENDPOINT = "https://storage.googleapis.com"
_ENDPOINTS = ("STORAGE_EMULATOR_HOST", "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE")
_API = "/storage/v1"
# Seconds without any progress.
_TIMEOUT = 60


class Access(Protocol):
    """What an instance has for Cloud Storage."""

    def token(self) -> tuple[str, float]:
        """A bearer token of the instance's account, and when it ends, in seconds since the epoch. Raises OSError.

        It may be another one each time, and is valid for some minutes at least.
        """


class Bucket:
    """One bucket, as an instance sees it."""

    def __init__(self, name: str, access: Access) -> None:
        self.name = name
        self.access = access
        endpoint = next(filter(None, map(os.environ.get, _ENDPOINTS)), _ENDPOINT).rstrip("/")
        endpoint = endpoint[: -len(_API)] if endpoint.endswith(_API) else endpoint
        self.endpoint = endpoint if "://" in endpoint else f"http://{endpoint}"

    def read(self, key: str) -> bytes:
        """The content of an object. Raises OSError; urllib.error.HTTPError for an answer that is an error."""
        with self.open("GET", self.url(key, alt="media")) as answer:
            return bytes(answer.read())

    def url(self, key: str = "", **query: str) -> str:
        """Of an object, or of all objects of the bucket. Slashes of its name are no slashes of the path."""
        name = f"/{urllib.parse.quote(key, safe='')}" if key else ""
        return f"{self.endpoint}{_API}/b/{self.name}/o{name}?{urllib.parse.urlencode(query)}"

    def open(self, method: str, url: str, body: Any = None, headers: Optional[Mapping[str, str]] = None) -> Any:
        """The answer to a request. Raises OSError; urllib.error.HTTPError for an answer that is an error."""
        request = urllib.request.Request(url, body, dict(headers or {}), method=method)  # noqa: S310
        # The token goes nowhere else, whatever an answer says.
        request.add_unredirected_header("Authorization", f"Bearer {self.access.token()[0]}")
        return opener().open(request, timeout=_TIMEOUT)
