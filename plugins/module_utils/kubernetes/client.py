# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of the Kubernetes API server, for a node of the control plane: nothing but the standard library is there."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from ..base.errors import KopsError
from .connection import Credentials, RetryPolicy, Transport, read_kubeconfig

KUBECONFIG = "/var/lib/kubectl/kubeconfig"
MANAGER = "kops"
_PAGE = 500
_APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
# What changes without anybody's wish, and what others do to an object meanwhile.
_VOLATILE = ("resourceVersion", "generation", "managedFields")

Object = dict[str, Any]


class KubernetesError(KopsError):
    """The API server refused. status: the HTTP status. reason: Kubernetes' word for it, such as NotFound."""

    def __init__(self, what: str, status: int, body: bytes) -> None:
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}
        answer = answer if isinstance(answer, dict) else {}
        self.status = status
        self.reason = str(answer.get("reason") or "")
        self.details = answer.get("details") or {}
        message = answer.get("message") or body[:200].decode(errors="replace").strip() or "no reason given"
        super().__init__(f"{what}: the API server answers {status}: {message}")


@dataclass(frozen=True)
class Kind:
    """Where objects of a kind are: base is such as /apis/apps/v1, plural such as deployments."""

    base: str
    plural: str
    namespaced: bool

    def path(self, namespace: str = "", name: str = "") -> str:
        """Path of one object, or without a name of all; without a namespace of all namespaces."""
        within = f"/namespaces/{quote(namespace)}" if self.namespaced and namespace else ""
        return f"{self.base}{within}/{self.plural}" + (f"/{quote(name)}" if name else "")


class KubernetesClient:
    """Requests to one API server. Threads may share it; each has a connection of its own.

    address: where the server is, if not where its name says. check: nothing is stored; the API server only says what
    would be (dryRun=All).
    """

    def __init__(
        self,
        server: str,
        credentials: Credentials,
        *,
        address: str = "",
        check: bool = False,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.check = check
        self._transport = Transport(server, credentials, retry or RetryPolicy(), address)
        self._kinds: dict[str, dict[str, Kind]] = {}
        self._lock = threading.Lock()

    @classmethod
    def from_kubeconfig(
        cls, path: str = KUBECONFIG, *, address: str = "", check: bool = False, retry: RetryPolicy | None = None
    ) -> KubernetesClient:
        """The client of a kubeconfig with one cluster and one user.

        address: of the API server to ask, where several answer to the name. Raises KopsError if the file cannot be
        read or lacks something.
        """
        server, credentials = read_kubeconfig(path)
        return cls(server, credentials, address=address, check=check, retry=retry)

    @property
    def server(self) -> str:
        """The API server, for messages."""
        return self._transport.server

    def close(self) -> None:
        """Close the connection of the calling thread."""
        self._transport.close()

    # -- requests -------------------------------------------------------------------------------------------------

    def get(self, path: str, **query: str) -> Object:
        """One object. Raises KubernetesError."""
        return self._request("GET", path, query)

    def find(self, path: str) -> Object | None:
        """One object, or None if there is none."""
        try:
            return self.get(path)
        except KubernetesError as error:
            if error.status == 404:
                return None
            raise

    def text(self, path: str) -> str:
        """An answer that is no object, such as that of /readyz."""
        return self._raw("GET", path, {}, None, "").decode(errors="replace")

    def list(self, path: str, **query: str) -> Iterator[Object]:
        """All objects below a path, page by page; each with its apiVersion and kind."""
        token = ""
        while True:
            answer = self.get(path, **query, limit=str(_PAGE), **({"continue": token} if token else {}))
            kind = str(answer.get("kind", "")).removesuffix("List")
            for item in answer.get("items") or ():
                yield {"apiVersion": answer.get("apiVersion", ""), "kind": kind, **item}
            token = (answer.get("metadata") or {}).get("continue") or ""
            if not token:
                return

    def post(self, path: str, body: Object, *, retried: bool = True) -> Object:
        """Create. retried: try again while the API server is too busy (429)."""
        return self._request("POST", path, self._writing(), body, retried=retried)

    def patch(self, path: str, body: Object, content_type: str = MERGE) -> Object:
        """Change a part of an object."""
        return self._request("PATCH", path, self._writing(), body, content_type)

    def delete(self, path: str, body: Object | None = None) -> bool:
        """Delete; whether there was anything to delete."""
        try:
            self._request("DELETE", path, self._writing(), body)
        except KubernetesError as error:
            if error.status != 404:
                raise
            return False
        return True

    def apply(self, wanted: Object, manager: str = MANAGER, *, force: bool = True) -> Applied:
        """Make the fields that wanted names equal to it (server-side apply), creating the object if there is none."""
        path = self.path_of(wanted)
        before = self.find(path)
        query = {"fieldManager": manager, "force": "true" if force else "false", **self._writing()}
        after = self._request("PATCH", path, query, wanted, _APPLY)
        return Applied(before, after, _comparable(before, manager) != _comparable(after, manager))

    # -- discovery ------------------------------------------------------------------------------------------------

    def kind(self, api_version: str, kind: str) -> Kind:
        """Where objects of a kind are. Raises KopsError if the API server knows no such kind."""
        with self._lock:
            if kind not in self._kinds.get(api_version, ()):
                self._kinds[api_version] = self._discover(api_version)
            found = self._kinds[api_version].get(kind)
        if found is None:
            raise KopsError(f"the API server knows no kind {kind} in {api_version}")
        return found

    def path_of(self, obj: Object) -> str:
        """Path of an object, which names its apiVersion, kind, name, and namespace unless it is "default"."""
        metadata = obj["metadata"]
        kind = self.kind(obj["apiVersion"], obj["kind"])
        return kind.path(metadata.get("namespace", "default") if kind.namespaced else "", metadata["name"])

    def _discover(self, api_version: str) -> dict[str, Kind]:
        base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        answer = self.find(base) or {}
        return {
            each["kind"]: Kind(base, each["name"], bool(each["namespaced"]))
            for each in answer.get("resources") or ()
            if "/" not in each["name"]
        }

    def _writing(self) -> dict[str, str]:
        return {"dryRun": "All"} if self.check else {}

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Object | None = None,
        content_type: str = "application/json",
        *,
        retried: bool = True,
    ) -> Object:
        answer = self._raw(method, path, query, body, content_type, retried=retried)
        try:
            parsed = json.loads(answer)
        except ValueError as error:
            raise KopsError(f"{method} {path}: the answer of {self.server} is not JSON") from error
        return parsed if isinstance(parsed, dict) else {}

    def _raw(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Object | None,
        content_type: str,
        *,
        retried: bool = True,
    ) -> bytes:
        target = f"{path}?{urlencode(query)}" if query else path
        data = None if body is None else json.dumps(body).encode()
        status, answer = self._transport.request(method, target, data, content_type, retried=retried)
        if status >= 400:
            raise KubernetesError(f"{method} {path}", status, answer)
        return answer


@dataclass(frozen=True)
class Applied:
    """What applying did. before: the object as it was, None if there was none. after: as it is, or would be."""

    before: Object | None
    after: Object
    changed: bool


def _comparable(obj: Object | None, manager: str) -> Object | None:
    """What applying changes of an object: everything but its status and its counters, and what the manager owns."""
    if obj is None:
        return None
    metadata = {name: value for name, value in obj.get("metadata", {}).items() if name not in _VOLATILE}
    owned = [
        entry.get("fieldsV1")
        for entry in obj.get("metadata", {}).get("managedFields") or ()
        if entry.get("manager") == manager and entry.get("operation") == "Apply"
    ]
    return {**{name: value for name, value in obj.items() if name != "status"}, "metadata": metadata, "owned": owned}
