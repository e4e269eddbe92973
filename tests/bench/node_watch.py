# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the API server first showed a Node, and when as ready: by a watch, since conditions have whole seconds."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import read_kubeconfig, tls_context

_PATIENCE = 180


@dataclass
class Seen:
    """Moments of one Node, in seconds since 1970. takes_pods: ready, and without taints that wait for something."""

    appeared: float
    ready: float | None = None
    takes_pods: float | None = None


@dataclass
class NodeWatch:
    """What the watch has seen: name -> moments."""

    nodes: dict[str, Seen] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def note(self, node: Mapping[str, Any], now: float) -> None:
        """Take an event in."""
        with self._changed:
            seen = self.nodes.setdefault(node["metadata"]["name"], Seen(now))
            conditions = {each["type"]: each["status"] for each in node["status"].get("conditions") or ()}
            if conditions.get("Ready") == "True":
                seen.ready = seen.ready or now
                if not any(taint["key"].startswith("node.") for taint in node["spec"].get("taints") or ()):
                    seen.takes_pods = seen.takes_pods or now
            self._changed.notify_all()

    def wait(self, name: str) -> Seen:
        """The moments of a Node that takes pods. Raises AssertionError if it does not become one."""
        with self._changed:
            found = self._changed.wait_for(lambda: name in self.nodes and self.nodes[name].takes_pods, _PATIENCE)
            assert found, f"{name} does not take pods: {self.nodes.get(name)}"
            return self.nodes[name]

    def forget(self, name: str) -> None:
        """A Node of this name is deleted; another one may come."""
        with self._changed:
            self.nodes.pop(name, None)


@contextlib.contextmanager
def watching(kubeconfig: str, address: str) -> Iterator[NodeWatch]:
    """Watch the Nodes of a cluster. kubeconfig: a file here. address: of the API server that is asked."""
    server, credentials = read_kubeconfig(kubeconfig)
    url = urlsplit(server)
    host, port = url.hostname or "", url.port or 443
    connection = http.client.HTTPConnection(host, port)
    plain = socket.create_connection((address, port), timeout=_PATIENCE)
    connection.sock = secured = tls_context(credentials).wrap_socket(plain, server_hostname=host)
    connection.request("GET", "/api/v1/nodes?watch=1")
    answer = connection.getresponse()
    watch = NodeWatch()

    def read() -> None:
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            while line := answer.readline():
                event, now = json.loads(line), time.time()
                if event["type"] in ("ADDED", "MODIFIED"):
                    watch.note(event["object"], now)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield watch
    finally:
        # A read that waits ends by this.
        secured.shutdown(socket.SHUT_RDWR)
        reader.join(5)
        connection.close()
