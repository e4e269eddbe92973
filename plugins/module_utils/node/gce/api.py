# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of Google's APIs with the instance's own service account: Compute Engine and Cloud DNS.

gcloud's variables CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE and ..._DNS name other endpoints.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.parse
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Optional

from ...base.errors import KopsError
from ..stores.json_service import answer_of
from ..stores.xml_service import ServiceError, retried, send
from ..system.clock import clock_note
from .metadata import Metadata

COMPUTE, DNS = "compute", "dns"
NOT_FOUND = 404
_ENDPOINTS = {
    COMPUTE: ("CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", "https://compute.googleapis.com/compute/v1/"),
    DNS: ("CLOUDSDK_API_ENDPOINT_OVERRIDES_DNS", "https://dns.googleapis.com/dns/v1/"),
}
_THROTTLED = ("rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded")
_OPERATION_SECONDS, _POLL = 120.0, 1.0
_LONGEST_ANSWER = 1 << 16


class Google:
    """The APIs of the project that the instance is in. All methods raise ServiceError, KopsError."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        self._told: dict[str, str] = {}

    def told(self, path: str) -> str:
        """What the metadata server says of what never changes; it is asked again if it does not answer."""
        if path not in self._told:
            self._told[path] = retried(f"metadata server, {path}", lambda: self.metadata.get(path))
        return self._told[path]

    def find(self, path: str) -> str:
        """What it says now; "" if it has nothing at this path."""
        return retried(f"metadata server, {path}", lambda: self.metadata.find(path))

    @property
    def project(self) -> str:
        """The id of the project that the instance is in."""
        return self.told("project/project-id")

    @property
    def instance(self) -> str:
        """The name of the instance."""
        return self.told("instance/name")

    @property
    def zone(self) -> str:
        """The zone of the instance."""
        return last_part(self.told("instance/zone"))

    @property
    def region(self) -> str:
        """The region of the instance."""
        return self.zone.rpartition("-")[0]

    def get(self, service: str, path: str, parameters: Optional[Mapping[str, str]] = None) -> dict[str, Any]:
        """An object, by its path below the project."""
        return self._call(service, "GET", path, parameters or {})

    def find_object(self, service: str, path: str) -> Optional[dict[str, Any]]:
        """The same; None if there is none."""
        try:
            return self.get(service, path)
        except ServiceError as error:
            if error.status == NOT_FOUND:
                return None
            raise

    def pages(
        self, service: str, path: str, parameters: Optional[Mapping[str, str]] = None, method: str = "GET"
    ) -> Iterator[dict[str, Any]]:
        """The answers of a listing that comes in pages."""
        token = ""
        while True:
            page = self._call(service, method, path, {**(parameters or {}), **({"pageToken": token} if token else {})})
            yield page
            token = page.get("nextPageToken") or ""
            if not token:
                return

    def in_region(self, kind: str, search: str) -> Iterator[dict[str, Any]]:
        """The objects of Compute Engine of a kind in all zones of the region. search: filter of the listing.

        Raises KopsError if a zone does not answer: what is missing then looks as if it were gone.
        """
        for page in self.pages(COMPUTE, f"aggregated/{kind}", {"filter": search}):
            for scope, held in (page.get("items") or {}).items():
                if not scope.startswith(f"zones/{self.region}-"):
                    continue
                if (held.get("warning") or {}).get("code") == "UNREACHABLE":
                    raise KopsError(f"Compute Engine does not know the {kind} of {scope} now")
                yield from held.get(kind) or ()

    def post(self, service: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a write that is not harmful if it is sent twice."""
        return self._call(service, "POST", path, {}, body)

    def operate(self, path: str, body: Mapping[str, Any]) -> None:
        """A method of a zonal object of Compute Engine, waited for. Sent twice it is carried out once, by its id."""
        operation = self._call(COMPUTE, "POST", path, {"requestId": str(uuid.uuid4())}, body)
        end = time.monotonic() + _OPERATION_SECONDS
        place = f"zones/{self.zone}/operations/{operation['name']}"
        while operation.get("status") != "DONE":
            if time.monotonic() >= end:
                raise ServiceError(path, said=f"Compute Engine is not done after {_OPERATION_SECONDS:g} s")
            time.sleep(_POLL)
            operation = self.get(COMPUTE, place)
        for error in (operation.get("error") or {}).get("errors") or ():
            status = int(operation.get("httpErrorStatusCode") or 0)
            raise ServiceError(path, status, str(error.get("code") or ""), str(error.get("message") or ""))

    def _call(
        self,
        service: str,
        method: str,
        path: str,
        parameters: Mapping[str, str],
        body: Optional[Mapping[str, Any]] = None,
    ) -> dict[str, Any]:
        variable, endpoint = _ENDPOINTS[service]
        query = f"?{urllib.parse.urlencode(parameters)}" if parameters else ""
        base = (os.environ.get(variable) or endpoint).rstrip("/")
        url = f"{base}/projects/{self.project}/{path}{query}"
        what = f"{service} {method} {path}"
        content = None if body is None else json.dumps(body).encode()

        def ask() -> bytes:
            headers = {"Authorization": f"Bearer {self.metadata.token()[0]}", "Content-Type": "application/json"}
            # A POST without a body has a length, too.
            sent = b"" if content is None and method == "POST" else content
            return send(method, url, sent, headers)

        return answer_of(what, ask, failure, self.metadata.forget_token, _THROTTLED)


def failure(what: str, error: urllib.error.HTTPError) -> ServiceError:
    """The error that an API answered with, in Google's words. code: its reason, as "resourceNotReady"."""
    with error:
        content = error.read(_LONGEST_ANSWER)
    clock = clock_note(error.headers.get("Date"))
    try:
        said = json.loads(content)["error"]
        reasons = [str(each.get("reason") or "") for each in said.get("errors") or ()]
        message, code = str(said["message"]), next(iter(reasons), "") or str(said.get("status") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        message, code = str(error.reason), ""
    return ServiceError(what, error.code, code, f"{message}{clock}")


def last_part(url: str) -> str:
    """The name at the end of an object's URL."""
    return url.rpartition("/")[2]


def metadata_of(described: Mapping[str, Any]) -> dict[str, str]:
    """The metadata of an instance, or of the properties of a template."""
    items = (described.get("metadata") or {}).get("items") or ()
    return {str(item.get("key")): str(item.get("value") or "") for item in items}
