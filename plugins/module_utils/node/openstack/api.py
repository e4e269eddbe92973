# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of OpenStack's APIs with the application credential of this control plane."""

from __future__ import annotations

import json
import urllib.error
from collections.abc import Iterator, Mapping
from typing import Any

from ..stores.json_service import answer_of
from ..stores.xml_service import ServiceError, send
from ..system.clock import clock_note
from .keystone import Login

NOVA, NEUTRON, CINDER, DESIGNATE = ("compute",), ("network",), ("block-storage", "volumev3"), ("dns",)
# Service -> the version that its endpoint in the catalogue need not have.
_VERSIONS: Mapping[tuple[str, ...], str] = {NEUTRON: "/v2.0", DESIGNATE: "/v2"}
NOT_FOUND, CONFLICT, BAD_REQUEST = 404, 409, 400
_LONGEST_ANSWER = 1 << 16


class OpenStack:
    """The APIs of the project. All methods raise ServiceError, KopsError, OSError."""

    def __init__(self, login: Login) -> None:
        self.login = login

    def get(self, service: tuple[str, ...], path: str) -> dict[str, Any]:
        """The answer to a request. path: below the service's endpoint and version."""
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

    def put(self, service: tuple[str, ...], path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a change."""
        return self._call(service, "PUT", path, body)

    def _call(
        self, service: tuple[str, ...], method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        what = f"{service[0]} {method} {path.partition('?')[0]}"
        content = None if body is None else json.dumps(body).encode()

        def ask() -> bytes:
            endpoint = self.login.endpoint(*service)
            version = _VERSIONS.get(service, "")
            if not endpoint.endswith(version):
                endpoint += version
            headers = {"X-Auth-Token": self.login.token(), "Content-Type": "application/json"}
            return send(method, endpoint + path, content, headers)

        return answer_of(what, ask, failure, self.login.forget_token)


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
