# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of Hetzner's API with the token of this control plane.

HCLOUD_ENDPOINT of the environment names another address of the API, as for the programs of Hetzner.
"""

from __future__ import annotations

import json
import os
import urllib.error
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from ..cloud.given import given_credentials
from ..stores.json_service import answer_of
from ..stores.xml_service import ServiceError, send
from ..system.clock import clock_note

_ENDPOINT = "https://api.hetzner.cloud/v1"
NOT_FOUND = 404
# Most objects of a page.
_PER_PAGE = 50
_LONGEST_ANSWER = 1 << 16


def _token() -> str:
    return str(given_credentials()["token"])


class Hetzner:
    """The API of the project. All methods raise ServiceError, KopsError, OSError.

    ask: gives the token as it is now, for another one may have been given; raises OSError without one.
    """

    def __init__(self, ask: Callable[[], str] = _token) -> None:
        self._ask = ask

    def find(self, path: str) -> dict[str, Any] | None:
        """An answer; None if there is no such object. path: below the address of the API."""
        try:
            return self._call("GET", path)
        except ServiceError as error:
            if error.status == NOT_FOUND:
                return None
            raise

    def listed(self, collection: str, labels: Mapping[str, str], **query: str) -> Iterator[dict[str, Any]]:
        """All objects of a collection that have these labels. collection: as servers, also the key of answers."""
        selector = ",".join(f"{key}={value}" for key, value in labels.items())
        asked: dict[str, Any] = {**query, **({"label_selector": selector} if selector else {}), "per_page": _PER_PAGE}
        page = 1
        while page:
            answer = self._call("GET", f"/{collection}?{urlencode({**asked, 'page': page})}")
            yield from answer.get(collection) or ()
            page = ((answer.get("meta") or {}).get("pagination") or {}).get("next_page") or 0

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a write that is not harmful if it is sent twice."""
        return self._call("POST", path, body)

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        content = None if body is None else json.dumps(body).encode()
        endpoint = (os.environ.get("HCLOUD_ENDPOINT") or _ENDPOINT).rstrip("/")

        def ask() -> bytes:
            headers = {"Authorization": f"Bearer {self._ask()}", "Content-Type": "application/json"}
            return send(method, endpoint + path, content, headers)

        return answer_of(f"Hetzner {method} {path.partition('?')[0]}", ask, failure, _nothing)


def _nothing() -> None:
    """The token is read anew each time."""


def failure(what: str, error: urllib.error.HTTPError) -> ServiceError:
    """The error that the API answered with, in its words."""
    with error:
        content = error.read(_LONGEST_ANSWER)
    try:
        said = json.loads(content)["error"]
        code, message = str(said["code"]), str(said["message"])
    except (ValueError, LookupError, TypeError):
        code, message = "", str(error.reason)
    return ServiceError(what, error.code, code, f"{message}{clock_note(error.headers.get('Date'))}")
