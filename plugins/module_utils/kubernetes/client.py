# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of the Kubernetes API server. It runs on control plane nodes, so it uses only the standard library."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote, urlencode

from ..base.errors import KopsError
from ..exchange.settings import KUBECONFIG
from .connection import Credentials, RetryPolicy, Transport, is_malformed, read_kubeconfig

MANAGER = "kops"
_PAGE = 500
_APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
# These change without a change of the content, or are changed by other clients.
_VOLATILE = ("resourceVersion", "generation", "managedFields")

Object = dict[str, Any]


class KubernetesError(KopsError):
    """The API server refused a request.

    status: the HTTP status. reason: the reason of the Status object (NotFound). malformed: a wrong type in the object.
    """

    def __init__(self, what: str, status: int, body: bytes) -> None:
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}
        answer = answer if isinstance(answer, dict) else {}
        self.status = status
        self.malformed = is_malformed(body)
        self.reason = str(answer.get("reason") or "")
        self.details = answer.get("details") or {}
        message = answer.get("message") or body[:200].decode(errors="replace").strip() or "no reason given"
        super().__init__(f"{what}: the API server answers {status}: {message}")


@dataclass(frozen=True)
class Kind:
    """Where the API serves a kind. base: such as /apis/apps/v1. plural: such as deployments."""

    base: str
    plural: str
    namespaced: bool

    def path(self, namespace: str = "", name: str = "") -> str:
        """Path of one object. Without a name: of all objects; without a namespace: of all namespaces."""
        within = f"/namespaces/{quote(namespace)}" if self.namespaced and namespace else ""
        return f"{self.base}{within}/{self.plural}" + (f"/{quote(name)}" if name else "")


class KubernetesClient:
    """Requests to one API server. Threads may share a client; each thread has its own connection.

    address: connect to this address instead of the one of the server's name. check: send all writes with dryRun=All, so
    that nothing is stored. admit: is called before each attempt at a request, and raises what prevents it.
    """

    def __init__(
        self,
        server: str,
        credentials: Credentials,
        *,
        address: str = "",
        check: bool = False,
        retry: RetryPolicy | None = None,
        admit: Callable[[], None] | None = None,
    ) -> None:
        self.check = check
        self._transport = Transport(server, credentials, retry or RetryPolicy(), address, admit)
        self._kinds: dict[str, dict[str, Kind]] = {}
        self._lock = threading.Lock()

    @classmethod
    def from_kubeconfig(
        cls,
        path: str = KUBECONFIG,
        *,
        address: str = "",
        check: bool = False,
        retry: RetryPolicy | None = None,
        admit: Callable[[], None] | None = None,
    ) -> KubernetesClient:
        """The client of a kubeconfig with one cluster and one user.

        address: the API server to connect to, if the name has several addresses. Raises KopsError if the file cannot be
        read or a field is missing.
        """
        server, credentials = read_kubeconfig(path)
        return cls(server, credentials, address=address, check=check, retry=retry, admit=admit)

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
        """One object, or None if it does not exist."""
        try:
            return self.get(path)
        except KubernetesError as error:
            if error.status == 404:
                return None
            raise

    def text(self, path: str) -> str:
        """An answer that is plain text, such as that of /readyz."""
        return self._raw("GET", path, {}, None, "").decode(errors="replace")

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str] | None = None, **query: str) -> Iterator[IO[bytes]]:
        """An answer of any size, to be read in the block. There is one attempt. Raises KubernetesError, KopsError."""
        target = f"{path}?{urlencode(query)}" if query else path
        with self._transport.opened(target, headers or {}) as response:
            if response.status >= 400:
                raise KubernetesError(f"GET {path}", response.status, response.read(1 << 16))
            yield response

    def list(self, path: str, *, page: int = _PAGE, **query: str) -> Iterator[Object]:
        """All objects below a path, read so many at a time; each has its apiVersion and kind."""
        token = ""
        while True:
            answer = self.get(path, **query, limit=str(page), **({"continue": token} if token else {}))
            kind = str(answer.get("kind", "")).removesuffix("List")
            for item in answer.get("items") or ():
                yield {"apiVersion": answer.get("apiVersion", ""), "kind": kind, **item}
            token = (answer.get("metadata") or {}).get("continue") or ""
            if not token:
                return

    def post(self, path: str, body: Object, *, retried: bool = True) -> Object:
        """Create an object. retried: try again when the API server is too busy (429)."""
        return self._request("POST", path, self._writing(), body, retried=retried)

    def patch(self, path: str, body: Object, content_type: str = MERGE) -> Object:
        """Change some fields of an object."""
        return self._request("PATCH", path, self._writing(), body, content_type)

    def delete(self, path: str, body: Object | None = None) -> bool:
        """Delete an object. Returns whether it existed."""
        try:
            self._request("DELETE", path, self._writing(), body)
        except KubernetesError as error:
            if error.status != 404:
                raise
            return False
        return True

    def delete_all(self, path: str, body: Object | None = None, **query: str) -> None:
        """Delete the objects below a path that the query selects (labelSelector, fieldSelector)."""
        self._request("DELETE", path, {**self._writing(), **query}, body)

    def apply(self, wanted: Object, manager: str = MANAGER, *, force: bool = True, webhooks: bool = True) -> Applied:
        """Make the given fields equal to wanted (server-side apply). Creates the object if it does not exist.

        force: also fields that other managers have set. webhooks: try again while a webhook does not answer.
        """
        path = self.path_of(wanted)
        before = self.find(path)
        query = {"fieldManager": manager, "force": "true" if force else "false", **self._writing()}
        after = self._request("PATCH", path, query, wanted, _APPLY, webhooks=webhooks)
        return Applied(before, after, _comparable(before, manager) != _comparable(after, manager))

    # -- discovery ------------------------------------------------------------------------------------------------

    def kind(self, api_version: str, kind: str) -> Kind:
        """Where the API serves a kind. Raises KopsError if the API server does not know the kind."""
        with self._lock:
            if kind not in self._kinds.get(api_version, ()):
                self._kinds[api_version] = self._discover(api_version)
            found = self._kinds[api_version].get(kind)
        if found is None:
            raise KopsError(f"the API server does not know kind {kind} in {api_version}")
        return found

    def kind_in_group(self, group: str, kind: str) -> Kind | None:
        """Where the API serves a kind of an API group ("" is the core), in the version that it prefers; None if not."""
        for version in self._versions(group):
            try:
                return self.kind(version, kind)
            except KopsError:
                continue
        return None

    def resource(self, group: str, plural: str) -> Kind | None:
        """The same for a kind that is named by its resource, such as secrets."""
        for version in self._versions(group):
            found = next((each for each in self._discover(version).values() if each.plural == plural), None)
            if found is not None:
                return found
        return None

    def _versions(self, group: str) -> Iterable[str]:
        """The versions of an API group, the one that the API server prefers first."""
        if not group:
            return ("v1",)
        answer = self.find(f"/apis/{quote(group)}") or {}
        served = [answer.get("preferredVersion") or {}, *(answer.get("versions") or ())]
        return dict.fromkeys(str(each["groupVersion"]) for each in served if each.get("groupVersion"))

    def path_of(self, obj: Object) -> str:
        """Path of an object. It must have apiVersion, kind and name; the namespace is "default" if it has none."""
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
        webhooks: bool = True,
    ) -> Object:
        answer = self._raw(method, path, query, body, content_type, retried=retried, webhooks=webhooks)
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
        webhooks: bool = True,
    ) -> bytes:
        target = f"{path}?{urlencode(query)}" if query else path
        data = None if body is None else json.dumps(body).encode()
        status, answer = self._transport.request(method, target, data, content_type, retried=retried, webhooks=webhooks)
        if status >= 400:
            raise KubernetesError(f"{method} {path}", status, answer)
        return answer


@dataclass(frozen=True)
class Applied:
    """Result of apply(). before: the object as it was, None if it did not exist. after: as it is (or would be) now."""

    before: Object | None
    after: Object
    changed: bool


def _comparable(obj: Object | None, manager: str) -> Object | None:
    """What apply() can change: the object without its status and counters, and the fields that the manager owns."""
    if obj is None:
        return None
    metadata = {name: value for name, value in obj.get("metadata", {}).items() if name not in _VOLATILE}
    owned = [
        entry.get("fieldsV1")
        for entry in obj.get("metadata", {}).get("managedFields") or ()
        if entry.get("manager") == manager and entry.get("operation") == "Apply"
    ]
    return {**{name: value for name, value in obj.items() if name != "status"}, "metadata": metadata, "owned": owned}
