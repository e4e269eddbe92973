# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of DigitalOcean's API with the token of this control plane.

DIGITALOCEAN_API_URL of the environment names another address of the API, as for programs of DigitalOcean.
"""

from __future__ import annotations

import json
import os
import urllib.error
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from ..cloud.given import given_credentials
from ..stores.json_service import answer_of
from ..stores.xml_service import ServiceError, send
from ..system.clock import clock_note

_ENDPOINT = "https://api.digitalocean.com"
NOT_FOUND, UNPROCESSABLE, CONFLICT = 404, 422, 409
_PER_PAGE = 200
_LONGEST_ANSWER = 1 << 16


def _token() -> str:
    return str(given_credentials()["token"])


class DigitalOcean:
    """The API of the account. All methods raise ServiceError, KopsError, OSError.

    ask: gives the token as it is now, for another one may have been given; raises OSError without one.
    """

    def __init__(self, ask: Callable[[], str] = _token) -> None:
        self._ask = ask

    def find(self, path: str) -> dict[str, Any] | None:
        """An answer; None if there is no such object. path: below the version of the API."""
        try:
            return self._call("GET", path)
        except ServiceError as error:
            if error.status == NOT_FOUND:
                return None
            raise

    def listed(self, collection: str, **query: str) -> Iterator[dict[str, Any]]:
        """All objects of a collection that a query leaves. collection: its path, whose end is the key of the answer."""
        path = f"/{collection}?{urlencode({**query, 'per_page': _PER_PAGE})}"
        key = f"domain_{collection.rpartition('/')[2]}" if collection.startswith("domains/") else collection
        while path:
            answer = self._call("GET", path)
            yield from answer.get(key) or ()
            following = str(((answer.get("links") or {}).get("pages") or {}).get("next") or "")
            # Never to another address than the API's own, which the answer names.
            path = f"/{collection}?{urlsplit(following).query}" if following else ""

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a write that is not harmful if it is sent twice."""
        return self._call("POST", path, body)

    def put(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a change."""
        return self._call("PUT", path, body)

    def delete(self, path: str) -> None:
        """Delete an object; one that is gone is deleted."""
        try:
            self._call("DELETE", path)
        except ServiceError as error:
            if error.status != NOT_FOUND:
                raise

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        content = None if body is None else json.dumps(body).encode()
        endpoint = f"{(os.environ.get('DIGITALOCEAN_API_URL') or _ENDPOINT).rstrip('/')}/v2"

        def ask() -> bytes:
            headers = {"Authorization": f"Bearer {self._ask()}", "Content-Type": "application/json"}
            return send(method, endpoint + path, content, headers)

        return answer_of(f"DigitalOcean {method} {path.partition('?')[0]}", ask, failure, _nothing)


def _nothing() -> None:
    """The token is read anew each time."""


def failure(what: str, error: urllib.error.HTTPError) -> ServiceError:
    """The error that the API answered with, in its words."""
    with error:
        content = error.read(_LONGEST_ANSWER)
    try:
        said = json.loads(content)
        code, message = str(said["id"]), str(said["message"])
    except (ValueError, LookupError, TypeError):
        code, message = "", str(error.reason)
    return ServiceError(what, error.code, code, f"{message}{clock_note(error.headers.get('Date'))}")
