# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API of a cluster says of it: all objects but the values of Secrets, logs of pods, logs of nodes.

Source: pkg/dump/resourcedumper.go and podlogs.go of kops. Each node is asked in a thread of its own, and no longer than
its time: a dead node holds up no other.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import quote, unquote

from ..base.errors import KopsError
from ..base.labels import INSTANCE_GROUP
from ..kubernetes.client import KubernetesClient, KubernetesError, Object
from .archive import Archive, as_json, copy_end, file_name, spooled
from .host import LOG_NAMES, UNITS, directory_of, is_taken
from .objects import without_secrets

_DIRECTORY = "cluster"
_NODES_AT_ONCE = 8
_PAGE = 200
# They say nothing, or the same as another kind.
_IGNORED = ("componentstatuses", "podtemplates", "replicationcontrollers", "controllerrevisions")
_IGNORED_GROUPS = ("events.k8s.io", "metrics.k8s.io")
_TEXTS = {"version.json": "/version", "readyz.txt": "/readyz?verbose=true", "livez.txt": "/livez?verbose=true"}
_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
# What the API server says when it cannot reach a kubelet.
_SILENT = re.compile(r"dial tcp|timeout|timed out|connection refused|no route to host|EOF|does not answer|tls:")
_LINK = re.compile(r'<a href="([^"]+)">')
_LINE = 100


@dataclass(frozen=True)
class ClusterLimits:
    """log_bytes: of the end of each log. node_seconds: for each node. namespaces: whose objects and logs; all if empty.

    nodes: names of nodes; all if empty. max_nodes: of which logs are taken. objects: whether objects are.
    """

    log_bytes: int
    node_seconds: float
    namespaces: Sequence[str] = ()
    nodes: Sequence[str] = ()
    max_nodes: int = 500
    objects: bool = True


@dataclass
class NodeAsked:
    """A node, and what became of it. why: why not everything of it is there, "" if it is."""

    name: str
    group: str
    is_control_plane: bool
    why: str = ""
    files: int = 0

    def plain(self) -> dict[str, Any]:
        """As the index has it."""
        return {"name": self.name, "instance_group": self.group, "way": "api", "files": self.files, "why": self.why}


@dataclass
class ClusterDump:
    """Collects from an API that answers."""

    archive: Archive
    client: KubernetesClient
    limits: ClusterLimits
    # As they were when the dump began.
    nodes: list[NodeAsked] = field(default_factory=list)

    def collect(self) -> None:
        """Everything. Raises KopsError if not even nodes can be listed; all else that fails is noted."""
        nodes = list(self._all("/api/v1/nodes"))
        for name, path in _TEXTS.items():
            self._text(f"{_DIRECTORY}/{name}", path)
        if self.limits.objects:
            for base, resource in self._resources():
                self._objects(base, resource)
        pods: dict[str, list[Object]] = defaultdict(list)
        try:
            for path in self._paths("/api/v1", "pods", namespaced=True):
                for pod in self._all(path):
                    pods[(pod.get("spec") or {}).get("nodeName", "")].append(_as_asked(pod))
        except KopsError as error:
            self.archive.miss(f"{_DIRECTORY}/pods", error)
        chosen = self._chosen(nodes)
        with ThreadPoolExecutor(_NODES_AT_ONCE) as pool:
            list(pool.map(lambda node: self._node(node, pods.get(node.name, [])), chosen))
        self.nodes = chosen

    # -- objects --------------------------------------------------------------------------------------------------

    def _resources(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The kinds that can be listed, each once, in the version that the API server prefers."""
        bases = ["/api/v1"]
        try:
            for group in self.client.get("/apis").get("groups") or ():
                if group.get("name") not in _IGNORED_GROUPS:
                    version = group.get("preferredVersion") or (group.get("versions") or [{}])[0]
                    bases.append(f"/apis/{version.get('groupVersion', '')}")
        except KopsError as error:
            self.archive.miss(f"{_DIRECTORY}/apis", error)
        for base in bases:
            try:
                resources = self.client.get(base).get("resources") or ()
            except KopsError as error:
                self.archive.miss(f"{_DIRECTORY}{base}", error)
                continue
            for resource in resources:
                listed = "/" not in resource["name"] and "list" in resource.get("verbs", ("list",))
                if listed and resource["name"] not in _IGNORED:
                    yield base, resource

    def _objects(self, base: str, resource: Mapping[str, Any]) -> None:
        """All objects of a kind, a file for each namespace. The API server lists them by namespace."""
        group = base.removeprefix("/apis/").rpartition("/")[0] if base.startswith("/apis/") else ""
        name = f"{resource['name']}.{group}" if group else resource["name"]
        namespaced = bool(resource.get("namespaced"))
        for path in self._paths(base, resource["name"], namespaced=namespaced):
            try:
                self._listed(path, name, str(resource.get("kind", "")), namespaced)
            except KopsError as error:
                # Kinds of which nothing can be listed are served, too.
                if not (isinstance(error, KubernetesError) and error.status in (404, 405)):
                    self.archive.miss(f"{_DIRECTORY}/{name}", error)

    def _listed(self, path: str, name: str, kind: str, namespaced: bool) -> None:
        namespace, stream = "", spooled()
        try:
            for obj in self._all(path):
                here = (obj.get("metadata") or {}).get("namespace", "") if namespaced else ""
                if here != namespace:
                    self._end_objects(namespace, name, stream)
                    namespace, stream = here, spooled()
                clean = without_secrets({**obj, "kind": obj.get("kind") or kind}, self.archive.hidden)
                stream.write(_document(clean))
        finally:
            self._end_objects(namespace, name, stream)

    def _end_objects(self, namespace: str, name: str, stream: Any) -> None:
        if stream.tell():
            stream.seek(0)
            where = f"namespaces/{file_name(namespace)}" if namespace else "cluster-wide"
            self.archive.add(f"{_DIRECTORY}/{where}/{name}.json", stream)
        stream.close()

    def _paths(self, base: str, plural: str, *, namespaced: bool) -> list[str]:
        if namespaced and self.limits.namespaces:
            return [f"{base}/namespaces/{quote(each)}/{plural}" for each in self.limits.namespaces]
        return [f"{base}/{plural}"]

    def _all(self, path: str) -> Iterator[Object]:
        """Objects page by page, so that memory holds one page."""
        return self.client.list(path, page=_PAGE)

    def _text(self, name: str, path: str) -> None:
        try:
            with self.client.stream(path) as source, self.archive.file(name) as target:
                copy_end(source, target, self.limits.log_bytes)
        except KopsError as error:
            self.archive.miss(name, error)

    # -- nodes ----------------------------------------------------------------------------------------------------

    def _chosen(self, nodes: Sequence[Object]) -> list[NodeAsked]:
        """The nodes whose logs are taken: control planes, those that are not ready, and all others."""
        found = []
        for node in nodes:
            labels = node["metadata"].get("labels") or {}
            name = node["metadata"]["name"]
            if not self.limits.nodes or name in self.limits.nodes:
                is_control_plane = _CONTROL_PLANE in labels
                found.append(NodeAsked(name, labels.get(INSTANCE_GROUP, ""), is_control_plane, _not_ready(node)))
        found.sort(key=lambda node: (not node.is_control_plane, not node.why, node.name))
        for left in found[self.limits.max_nodes :]:
            self.archive.miss(directory_of(left.name), f"only {self.limits.max_nodes} nodes were to be asked")
        return found[: self.limits.max_nodes]

    def _node(self, node: NodeAsked, pods: Sequence[Object]) -> None:
        """The logs of a node, until its time is over or its kubelet does not answer."""
        end = time.monotonic() + self.limits.node_seconds
        for what, path, query in self._logs(node, pods):
            if time.monotonic() > end:
                node.why = f"the time for this node is over ({self.limits.node_seconds:g} s)"
                break
            try:
                if self._log(what, path, query):
                    node.files += 1
            except KopsError as error:
                status = error.status if isinstance(error, KubernetesError) else 0
                if (status == 0 or status >= 500) and _SILENT.search(str(error)):
                    node.why = "; ".join(filter(None, (node.why, f"its kubelet does not answer: {_last(error)}")))
                    break
                # 400: the container has not started, or has no earlier instance. 404: the pod is gone.
                if status not in (400, 404):
                    self.archive.miss(what, error)
        if node.why:
            self.archive.miss(directory_of(node.name), node.why)
        self.client.close()

    def _logs(self, node: NodeAsked, pods: Sequence[Object]) -> Iterator[tuple[str, str, dict[str, str]]]:
        """File, path of the API and query of each log. Listings of the node's logs are read on the way."""
        lines = str(max(100, self.limits.log_bytes // _LINE))
        for pod in pods:
            metadata = pod["metadata"]
            path = f"/api/v1/namespaces/{quote(metadata['namespace'])}/pods/{quote(metadata['name'])}/log"
            for container, restarted in pod["containers"]:
                name = f"{directory_of(node.name)}/pods/{metadata['namespace']}/{metadata['name']}/{container}"
                query = {"container": container, "tailLines": lines, "limitBytes": str(4 * self.limits.log_bytes)}
                yield f"{name}.log", path, query
                if restarted:
                    yield f"{name}.previous.log", path, {**query, "previous": "true"}
        yield from self._files(node, lines)

    def _files(self, node: NodeAsked, lines: str) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Logs of the machine, which its kubelet serves if its configuration lets it (enableSystemLogHandler).

        With the feature gate NodeLogQuery and enableSystemLogQuery, it serves journals as well.
        """
        base = f"/api/v1/nodes/{quote(node.name)}/proxy/logs/"
        try:
            listing = self._listing(base)
            first = self._listing(base, query="kubelet", tailLines="1")
        except KubernetesError as error:
            if error.status in (401, 403, 404, 405):
                self.archive.miss(f"{directory_of(node.name)}/log", "its kubelet serves no logs of the machine")
                return
            raise
        # A kubelet that does not know queries answers with the list of files.
        if first == listing:
            why = "its kubelet serves no journals (feature gate NodeLogQuery, enableSystemLogQuery)"
            self.archive.miss(f"{directory_of(node.name)}/journals", why)
        else:
            for unit in (each for each in UNITS if "*" not in each):
                yield f"{directory_of(node.name)}/{unit}.log", base, {"query": unit, "tailLines": lines}
        for name in _named(listing):
            if is_taken(name, LOG_NAMES):
                yield f"{directory_of(node.name)}/log/{file_name(name)}", base + quote(name), {}

    def _listing(self, path: str, **query: str) -> str:
        with self.client.stream(path, None, **query) as source:
            return source.read(1 << 20).decode(errors="replace")

    def _log(self, what: str, path: str, query: Mapping[str, str]) -> bool:
        """Take one log. Returns whether there was anything in it."""
        # Of a file, only the end is asked for.
        headers = {} if query else {"Range": f"bytes=-{2 * self.limits.log_bytes}"}
        with spooled() as content:
            try:
                with self.client.stream(path, headers, **query) as source:
                    copy_end(source, content, self.limits.log_bytes)
            except KubernetesError as error:
                # An empty file has no range.
                if error.status == 416:
                    return False
                raise
            if not content.tell():
                return False
            content.seek(0)
            self.archive.add(what, content)
        return True


def _named(listing: str) -> list[str]:
    """The files of a directory as the kubelet lists them."""
    names = [unquote(unescape(name)) for name in _LINK.findall(listing)]
    return [name for name in names if "/" not in name]


def _as_asked(pod: Object) -> Object:
    """What is needed to ask for the logs of a pod: its name, its containers and whether they have restarted."""
    spec, status, metadata = pod.get("spec") or {}, pod.get("status") or {}, pod["metadata"]
    kinds = ("init", "ephemeral", "")
    statuses = [each for kind in kinds for each in status.get(_spelled(kind, "containerStatuses")) or ()]
    restarted = {each["name"] for each in statuses if each.get("restartCount")}
    names = [each["name"] for kind in kinds for each in spec.get(_spelled(kind, "containers")) or ()]
    return {
        "metadata": {"name": metadata["name"], "namespace": metadata.get("namespace", "default")},
        "containers": [(name, name in restarted) for name in names],
    }


def _spelled(kind: str, name: str) -> str:
    return kind + name[0].upper() + name[1:] if kind else name


def _not_ready(node: Object) -> str:
    conditions = (node.get("status") or {}).get("conditions") or ()
    ready = next((each for each in conditions if each.get("type") == "Ready"), None)
    if ready is None or ready.get("status") == "True":
        return "" if ready else "it has not said yet whether it is ready"
    return f"it is not ready: {ready.get('message') or ready.get('reason') or 'without a reason'}"


def _last(error: KopsError) -> str:
    """The reason, without the request."""
    return str(error).rpartition("answers ")[2][:300]


def _document(obj: Object) -> bytes:
    return b"---\n" + as_json(obj).encode(errors="replace")
