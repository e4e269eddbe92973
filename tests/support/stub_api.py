# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service of the stub (stub_collection.py): groups that keep a number of instances, disks, and signatures.

All ask it at one address: controllers below /clusters/, instances also who they are, by the address that they have.
"""

from __future__ import annotations

import hashlib
import hmac
import http.server
import itertools
import json
import re
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

# What an instance is told of itself, and a bootstrap server of others.
_TOLD = ("group", "role", "zone", "address")
_OF_CLUSTER = re.compile(r"/clusters/([^/]+)/(.*)")


class Machines(Protocol):
    """What instances and disks are made of."""

    def start(self, name: str, address: str, user_data: str) -> None:
        """Start the machine of an instance."""

    def end(self, name: str) -> None:
        """End it."""

    def attach(self, disk: str, instance: str) -> str:
        """Give a disk to a machine. Returns the device."""


class NoMachines(Machines):
    """Instances are only known."""

    def start(self, name: str, address: str, user_data: str) -> None:
        """Nothing."""

    def end(self, name: str) -> None:
        """Nothing."""

    def attach(self, disk: str, instance: str) -> str:
        return "/dev/stub"


class Stub:
    """All clusters. keys: of the state store, for control planes. addresses: that instances get, in this order."""

    def __init__(self, machines: Machines, addresses: Iterator[str], keys: tuple[str, str] = ("", "")) -> None:
        self.machines, self.addresses, self.keys = machines, addresses, keys
        self.clusters: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
        self.writes: list[str] = []
        self._numbers, self._secret, self._lock = itertools.count(1), secrets.token_bytes(), threading.RLock()

    def cluster(self, name: str) -> dict[str, dict[str, dict[str, Any]]]:
        """{"groups": ..., "instances": ..., "disks": ...}, of each the objects by name."""
        return self.clusters.setdefault(name, {"groups": {}, "instances": {}, "disks": {}})

    def answer(self, method: str, path: str, body: Any, caller: str) -> Any:
        """What a request is answered. KeyError: there is no such object."""
        with self._lock:
            found = _OF_CLUSTER.fullmatch(path)
            if found is None:
                return self._of_instance(path.strip("/"), body, caller)
            cluster = self.cluster(found[1])
            if method == "GET":
                return cluster
            self.writes.append(f"{method} {path}")
            kind, _slash, name = found[2].partition("/")
            if kind == "groups":
                return self._group(found[1], name, body)
            if name.endswith("/attach"):
                return {"done": self._attach(cluster, name.removesuffix("/attach"), caller)}
            if method == "PUT":
                cluster[kind][name] = {**body, "holder": "", "device": ""}
            else:
                cluster[kind].pop(name, None)
            return {}

    def end(self, cluster: str, name: str) -> None:
        """End an instance; its group starts another one."""
        with self._lock:
            group = self._forget(cluster, name)
            self._fill(cluster, group)

    def _group(self, cluster: str, name: str, wanted: Mapping[str, Any] | None) -> Any:
        found = self.cluster(cluster)
        if wanted is None:
            found["groups"].pop(name, None)
            for instance in [each for each, about in found["instances"].items() if about["group"] == name]:
                self._forget(cluster, instance)
            return {}
        found["groups"][name] = dict(wanted)
        self._fill(cluster, name)
        return {each: about for each, about in found["instances"].items() if about["group"] == name}

    def _fill(self, cluster: str, name: str) -> None:
        found = self.cluster(cluster)
        group = found["groups"][name]
        present = [each for each in found["instances"].values() if each["group"] == name]
        for _missing in range(group["size"] - len(present)):
            instance, address = f"stub-{next(self._numbers)}", next(self.addresses)
            about = {key: group[key] for key in ("role", "zone", "user_data")}
            found["instances"][instance] = {**about, "group": name, "address": address}
            # Its first question may come before the machine is said to be started.
            threading.Thread(target=self.machines.start, args=(instance, address, group["user_data"])).start()

    def _forget(self, cluster: str, instance: str) -> str:
        about = self.cluster(cluster)["instances"].pop(instance)
        for disk in self.cluster(cluster)["disks"].values():
            if disk["holder"] == instance:
                disk.update(holder="", device="")
        self.machines.end(instance)
        return str(about["group"])

    def _attach(self, cluster: Mapping[str, Any], name: str, caller: str) -> bool:
        disk = cluster["disks"][name]
        (instance,) = (each for each, about in cluster["instances"].items() if about["address"] == caller)
        if disk["holder"] not in ("", instance):
            return False
        disk.update(holder=instance, device=self.machines.attach(name, instance))
        return True

    def _of_instance(self, path: str, body: Any, caller: str) -> Any:
        if path == "verify":
            name = str(body["token"]).partition(":")[0]
            is_signed = hmac.compare_digest(body["token"], self._signed(name, body["hash"]))
            return self._known().get(name, {}) if is_signed else {}
        (own,) = (each for each in self._known().values() if each["address"] == caller)
        if path == "sign":
            return {"token": self._signed(own["name"], body["hash"])}
        return {**own, "keys": self.keys if own["role"] == "ControlPlane" else ("", "")}

    def _known(self) -> dict[str, dict[str, Any]]:
        return {
            name: {
                "name": name,
                "cluster": cluster,
                **{key: about[key] for key in ("group", "role", "zone", "address")},
            }
            for cluster, found in self.clusters.items()
            for name, about in found["instances"].items()
        }

    def _signed(self, name: str, content_hash: str) -> str:
        return f"{name}:{hmac.new(self._secret, f'{name} {content_hash}'.encode(), hashlib.sha256).hexdigest()}"


@contextmanager
def served(stub: Stub, address: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve it; gives the URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            try:
                status, found = 200, stub.answer(self.command, self.path, body, self.client_address[0])
            except (KeyError, ValueError) as error:
                status, found = 404, {"error": repr(error)}
            text = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, *_arguments: object) -> None:
            """Nothing."""

    server = http.server.ThreadingHTTPServer((address, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{address}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
