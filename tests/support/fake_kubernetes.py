# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fake API server with a few kinds, over HTTP: for cases that a real one has only with nodes, or rarely."""

from __future__ import annotations

import copy
import itertools
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import Credentials, RetryPolicy

# API version -> kind -> (plural, namespaced).
KINDS: dict[str, dict[str, tuple[str, bool]]] = {
    "v1": {
        "ConfigMap": ("configmaps", True),
        "Event": ("events", True),
        "Namespace": ("namespaces", False),
        "Node": ("nodes", False),
        "Pod": ("pods", True),
        "Secret": ("secrets", True),
        "Service": ("services", True),
        "ServiceAccount": ("serviceaccounts", True),
    },
    "admissionregistration.k8s.io/v1": {
        "MutatingWebhookConfiguration": ("mutatingwebhookconfigurations", False),
        "ValidatingWebhookConfiguration": ("validatingwebhookconfigurations", False),
    },
    "apiextensions.k8s.io/v1": {"CustomResourceDefinition": ("customresourcedefinitions", False)},
    "apps/v1": {
        "ControllerRevision": ("controllerrevisions", True),
        "DaemonSet": ("daemonsets", True),
        "Deployment": ("deployments", True),
        "ReplicaSet": ("replicasets", True),
        "StatefulSet": ("statefulsets", True),
    },
    "policy/v1": {"PodDisruptionBudget": ("poddisruptionbudgets", True)},
    "rbac.authorization.k8s.io/v1": {
        "ClusterRole": ("clusterroles", False),
        "ClusterRoleBinding": ("clusterrolebindings", False),
        "Role": ("roles", True),
        "RoleBinding": ("rolebindings", True),
    },
    "coordination.k8s.io/v1": {"Lease": ("leases", True)},
    "storage.k8s.io/v1": {"VolumeAttachment": ("volumeattachments", False)},
}


@dataclass
class FakeKubernetes:
    """The objects by path, what was asked, and what goes wrong.

    blocked: names of pods whose eviction a budget forbids. stubborn: names of pods that never end. faults: answers that
    the next requests get instead, as HTTP statuses; 0 closes the connection.
    raw: answers by path, as they are: logs, lists of files.
    kubelet: gives the status of a created pod, or the text with which it is refused.
    """

    url: str = ""
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)
    stubborn: set[str] = field(default_factory=set)
    faults: list[int] = field(default_factory=list)
    kinds: dict[str, dict[str, tuple[str, bool]]] = field(default_factory=lambda: copy.deepcopy(KINDS))
    page: int = 500
    kubelet: Callable[[dict[str, Any]], dict[str, Any] | str] = lambda pod: {}
    version: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    lock: threading.RLock = field(default_factory=threading.RLock)

    def client(self, check: bool = False, **retry: float) -> KubernetesClient:
        times = RetryPolicy(**{"deadline": 2, "pause": 0.01, "longest_pause": 0.05, "timeout": 5, **retry})
        return KubernetesClient(self.url, Credentials(""), check=check, retry=times)

    def writes(self) -> list[str]:
        """The requests that store something."""
        return [each for each in self.requests if not each.startswith("GET ") and "dryRun=All" not in each]

    def add(self, kind: str, name: str, namespace: str = "", api_version: str = "v1", **more: Any) -> dict[str, Any]:
        """Put an object there; metadata in more comes in addition."""
        metadata = {"name": name, "uid": f"uid-{name}", "resourceVersion": str(next(self.version))}
        if namespace:
            metadata["namespace"] = namespace
        metadata.update(more.pop("metadata", {}))
        obj = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}
        self.objects[self.path(obj)] = obj
        return obj

    def path(self, obj: dict[str, Any]) -> str:
        version = obj["apiVersion"]
        plural, namespaced = self.kinds[version][obj["kind"]]
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        within = f"/namespaces/{obj['metadata']['namespace']}" if namespaced else ""
        return f"{base}{within}/{plural}/{obj['metadata']['name']}"

    # -- requests -------------------------------------------------------------------------------------------------

    def answer(self, method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        parts = urlsplit(target)
        path, query = unquote(parts.path), dict(parse_qsl(parts.query))
        dry = query.get("dryRun") == "All"
        with self.lock:
            if method == "GET":
                return self._get(path, query)
            if method == "POST" and path.endswith("/eviction"):
                return self._evict(path.removesuffix("/eviction"), body)
            if method == "POST":
                return self._create(path, body, dry)
            if method == "DELETE" and path.endswith("/pods"):
                gone = [each for each, obj in self.objects.items() if each.startswith(path) and selected(obj, query)]
                for each in [] if dry else gone:
                    del self.objects[each]
                return 200, {"kind": "PodList", "items": []}
            if method == "DELETE":
                if path not in self.objects:
                    return refusal(404, "NotFound", f"{path} not found")
                return 200, self.objects[path] if dry else self.objects.pop(path)
            if content_type == "application/apply-patch+yaml":
                return self._apply(path, query, body, dry)
            if path not in self.objects:
                return refusal(404, "NotFound", f"{path} not found")
            known = self.objects[path]["metadata"]["resourceVersion"]
            if body.get("metadata", {}).get("resourceVersion", known) != known:
                return refusal(409, "Conflict", "the object has been modified")
            changed = merged(self.objects[path], body)
            changed["metadata"]["resourceVersion"] = str(next(self.version))
            if not dry:
                self.objects[path] = changed
            return 200, changed

    def _get(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        if path in self.raw:
            return 200, self.raw[path]
        if path in self.objects:
            return 200, self.objects[path]
        if path == "/readyz":
            return 200, {}
        for version, kinds in self.kinds.items():
            base = f"/apis/{version}" if "/" in version else f"/api/{version}"
            if path == base:
                resources = [{"name": plural, "kind": kind, "namespaced": own} for kind, (plural, own) in kinds.items()]
                return 200, {"resources": [*resources, {"name": "pods/status", "kind": "Pod", "namespaced": True}]}
            for kind, (plural, _namespaced) in kinds.items():
                if path.startswith(f"{base}/") and path.endswith(f"/{plural}"):
                    return 200, self._list(version, kind, path, query)
            group = version.rpartition("/")[0]
            if group and path == f"/apis/{group}":
                versions = [each for each in self.kinds if each.startswith(f"{group}/")]
                return 200, {"name": group, "versions": [{"groupVersion": each} for each in versions]}
        return refusal(404, "NotFound", f"{path} not found")

    def _list(self, version: str, kind: str, path: str, query: dict[str, str]) -> Any:
        namespace = path.split("/namespaces/")[1].split("/")[0] if "/namespaces/" in path else ""
        found = [
            {name: value for name, value in obj.items() if name not in ("apiVersion", "kind")}
            for obj in self.objects.values()
            if (obj["apiVersion"], obj["kind"]) == (version, kind)
            and namespace in ("", obj["metadata"].get("namespace"))
            and selected(obj, query)
        ]
        start = int(query.get("continue", "0"))
        more = {"continue": str(start + self.page)} if start + self.page < len(found) else {}
        items = found[start : start + self.page]
        return {"apiVersion": version, "kind": f"{kind}List", "metadata": more, "items": items}

    def _create(self, path: str, body: Any, dry: bool) -> tuple[int, Any]:
        """A pod, whose status the kubelet of the fake sets, or which it refuses by a text; or anything with a name."""
        if named := body["metadata"].get("name"):
            if f"{path}/{named}" in self.objects:
                return refusal(409, "AlreadyExists", f"{named} already exists")
            created = {**body, "metadata": {**body["metadata"], "resourceVersion": str(next(self.version))}}
            if not dry:
                self.objects[f"{path}/{named}"] = created
            return 201, created
        name = f"{body['metadata']['generateName']}{next(self.version)}"
        metadata = {**body["metadata"], "name": name, "uid": f"uid-{name}"}
        created = {**body, "metadata": metadata, "status": {"phase": "Pending"}}
        status = self.kubelet(created)
        if isinstance(status, str):
            return refusal(403, "Forbidden", status)
        created["status"].update(status)
        if not dry:
            self.objects[f"{path}/{name}"] = created
        return 201, created

    def _apply(self, path: str, query: dict[str, str], body: Any, dry: bool) -> tuple[int, Any]:
        namespace = body["metadata"].get("namespace")
        if "/namespaces/" not in path:
            # An object of the whole cluster: as the API server, which ignores it.
            body["metadata"].pop("namespace", namespace)
        elif namespace and f"/api/v1/namespaces/{namespace}" not in self.objects:
            return refusal(404, "NotFound", f'namespaces "{namespace}" not found')
        if body.get("refused"):
            return refusal(422, "Invalid", f"{body['metadata']['name']} is invalid")
        before = self.objects.get(path)
        after = merged(before or {}, body)
        owned = {"manager": query["fieldManager"], "operation": "Apply", "fieldsV1": fields(body)}
        for label in (before or {}).get("metadata", {}).get("labels", {}):
            if label in given_labels(before) and label not in body["metadata"].get("labels", {}):
                del after["metadata"]["labels"][label]
        after["metadata"].update(managedFields=[owned], uid=after["metadata"].get("uid") or f"uid-{path}")
        if before is None or {**after["metadata"], "resourceVersion": ""} != {
            **before["metadata"],
            "resourceVersion": "",
        }:
            after["metadata"]["resourceVersion"] = str(next(self.version))
        if not dry:
            self.objects[path] = after
        return 200, after

    def _evict(self, path: str, body: Any) -> tuple[int, Any]:
        pod = self.objects.get(path)
        if pod is None:
            return refusal(404, "NotFound", "no such pod")
        if body["deleteOptions"]["preconditions"]["uid"] != pod["metadata"]["uid"]:
            return refusal(409, "Conflict", "another pod has the name")
        name = pod["metadata"]["name"]
        if name in self.blocked:
            return refusal(429, "TooManyRequests", "would violate the pod's disruption budget")
        if name in self.stubborn:
            pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        else:
            del self.objects[path]
        return 201, {"kind": "Status", "status": "Success"}


def refusal(code: int, reason: str, message: str) -> tuple[int, Any]:
    return code, {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}


def fields(obj: Any) -> Any:
    """The names of an object's fields, as in managedFields."""
    return {f"f:{key}": fields(value) for key, value in obj.items()} if isinstance(obj, dict) else {}


def given_labels(obj: Any) -> set[str]:
    """The labels that were applied."""
    owned = obj["metadata"].get("managedFields") or [{"fieldsV1": {}}]
    return {name[2:] for name in owned[0]["fieldsV1"].get("f:metadata", {}).get("f:labels", {})}


def merged(base: dict[str, Any], overlay: dict[str, Any]) -> dict[str, Any]:
    result = copy.deepcopy(base)
    for key, value in overlay.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = merged(result.get(key) or {}, value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def selected(obj: dict[str, Any], query: dict[str, str]) -> bool:
    """By fields, and by labels as "a=b", as "a" and as "a in (b,c)"."""
    for each in filter(None, query.get("fieldSelector", "").split(",")):
        path, _equal, wanted = each.partition("=")
        value: Any = obj
        for name in path.split("."):
            value = (value or {}).get(name)
        if value != wanted:
            return False
    labels = obj["metadata"].get("labels") or {}
    selector = query.get("labelSelector", "")
    within = ""
    if " in (" in selector:
        selector, _comma, within = selector.rpartition(",addon")
    for each in filter(None, selector.split(",")):
        name, equal, wanted = each.partition("=")
        if name not in labels or (equal and labels[name] != wanted):
            return False
    if not within:
        return True
    key, _in, values = f"addon{within}".rstrip(")").partition(" in (")
    return labels.get(key) in values.split(",")


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[FakeKubernetes]:
    """A server on loopback, until the end of the block; with TLS if that is given."""
    fake = FakeKubernetes()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are written one after the other: the second would wait for the client's acknowledgement.
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            fake.requests.append(f"{self.command} {self.path}")
            if fake.faults:
                fault = fake.faults.pop(0)
                if not fault:
                    self.close_connection = True
                    return
                status, answer = refusal(fault, "Fault", "a fault of the test")
            else:
                status, answer = fake.answer(self.command, self.path, body, self.headers.get("Content-Type", ""))
            # Bytes are answered as they are: logs, and lists of files.
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve

        def log_message(self, *arguments: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    fake.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
