# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading objects of OpenStack's object store, with a login that the instance has."""

from __future__ import annotations

import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any, Optional, Protocol

from ..system.proxy import opener

_SWIFT_SECONDS = 60
OBJECT_STORE = "object-store"


class Access(Protocol):
    """What an instance has for Swift."""

    def token(self) -> str:
        """A token that is good for some minutes at least. Raises OSError."""

    def endpoint(self, *types: str) -> str:
        """The URL of a service, of the project. Raises OSError."""

    def forget_token(self) -> None:
        """Give another one next time."""


class Container:
    """One container, as an instance sees it."""

    def __init__(self, name: str, access: Access) -> None:
        self.name = name
        self.access = access

    def read(self, key: str) -> bytes:
        """The content of an object. Raises OSError; urllib.error.HTTPError for an answer that is an error."""
        with self.open("GET", key) as answer:
            return bytes(answer.read())

    def open(
        self,
        method: str,
        key: str = "",
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """The answer to a request. Raises OSError; urllib.error.HTTPError for an answer that is an error."""
        name = f"/{urllib.parse.quote(key)}" if key else ""
        place = f"{self.access.endpoint(OBJECT_STORE)}/{urllib.parse.quote(self.name, safe='')}{name}"
        url = f"{place}?{urllib.parse.urlencode(query)}" if query else place
        request = urllib.request.Request(url, body, dict(headers or {}), method=method)  # noqa: S310
        # The token goes nowhere else, whatever an answer says.
        request.add_unredirected_header("X-Auth-Token", self.access.token())
        return opener().open(request, timeout=_SWIFT_SECONDS)
