# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of OpenStack's APIs with the application credential of this control plane."""

from __future__ import annotations

import json
import urllib.error
from collections.abc import Iterator, Mapping
from typing import Any

from ..stores.xml_service import ServiceError, retried, send
from ..system.clock import clock_note
from .keystone import Login

NOVA, NEUTRON, CINDER = ("compute",), ("network",), ("block-storage", "volumev3")
NOT_FOUND, CONFLICT, BAD_REQUEST = 404, 409, 400
_UNAUTHORIZED, _TOO_MANY, _SERVER_ERROR = 401, 429, 500
_LONGEST_ANSWER = 1 << 16


class OpenStack:
    """The APIs of the project. All methods raise ServiceError, KopsError, OSError."""

    def __init__(self, login: Login) -> None:
        self.login = login

    def get(self, service: tuple[str, ...], path: str) -> dict[str, Any]:
        """The answer to a request. path: below the service's endpoint; Neutron's has no version."""
        return self._call(service, "GET", path)

    def find(self, service: tuple[str, ...], path: str) -> dict[str, Any] | None:
        """The same; None if there is no such object."""
        try:
            return self.get(service, path)
        except ServiceError as error:
            if error.status == NOT_FOUND:
                return None
            raise

    def listed(self, service: tuple[str, ...], path: str, key: str) -> Iterator[dict[str, Any]]:
        """All objects of a listing that comes in pages. key: of the answer, which has them."""
        while path:
            answer = self.get(service, path)
            yield from answer.get(key) or ()
            following = [str(each["href"]) for each in answer.get(f"{key}_links") or () if each.get("rel") == "next"]
            path = following[0].partition(f"/{key}")[2] if following else ""
            path = f"/{key}{path}" if path else ""

    def post(self, service: tuple[str, ...], path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a write that is not harmful if it is sent twice."""
        return self._call(service, "POST", path, body)

    def _call(
        self, service: tuple[str, ...], method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        what = f"{service[0]} {method} {path.partition('?')[0]}"
        content = None if body is None else json.dumps(body).encode()

        def ask() -> bytes:
            endpoint = self.login.endpoint(*service)
            if service is NEUTRON and not endpoint.endswith("/v2.0"):
                endpoint += "/v2.0"
            headers = {"X-Auth-Token": self.login.token(), "Content-Type": "application/json"}
            try:
                return send(method, endpoint + path, content, headers)
            except urllib.error.HTTPError as error:
                raise self._refusal(what, error) from error

        answer = retried(what, ask)
        return dict(json.loads(answer)) if answer else {}

    def _refusal(self, what: str, error: urllib.error.HTTPError) -> Exception:
        """The error that a service answered with; an OSError if it is worth to ask again."""
        found = failure(what, error)
        if found.status == _UNAUTHORIZED:
            self.login.forget_token()
        passes = found.status in (_UNAUTHORIZED, _TOO_MANY) or found.status >= _SERVER_ERROR
        return OSError(str(found).partition(": ")[2]) if passes else found


def failure(what: str, error: urllib.error.HTTPError) -> ServiceError:
    """The error that a service answered with, in its words: each wraps them differently."""
    with error:
        content = error.read(_LONGEST_ANSWER)
    try:
        said: Any = json.loads(content)
        inner = next(iter(said.values())) if isinstance(said, dict) and len(said) == 1 else said
        message = str((inner.get("message") or inner) if isinstance(inner, dict) else inner)
    except (ValueError, AttributeError):
        message = str(error.reason)
    return ServiceError(what, error.code, "", f"{message}{clock_note(error.headers.get('Date'))}")
