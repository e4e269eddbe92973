# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of a project at Hetzner, as far as nodes ask it: objects in pages, chosen by their labels."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.api import Hetzner
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError

CLUSTER, OTHER = "demo.example.com", "other.example.com"
# Of a page, whatever is asked for.
_PAGE = 2


class FakeHetzner(Hetzner):
    """objects: collection -> number -> object. asked: all requests. fails: what every request raises."""

    def __init__(self) -> None:
        super().__init__(lambda: "a-token")
        self.objects: dict[str, dict[int, dict[str, Any]]] = {"servers": {}, "volumes": {}, "load_balancers": {}}
        self.asked: list[str] = []
        self.fails: Exception | None = None
        self._numbers = itertools.count(1001)
        self._lock = threading.Lock()

    def server(self, name: str, role: str = "Node", cluster: str = CLUSTER, **more: Any) -> dict[str, Any]:
        """Make a server."""
        number = next(self._numbers)
        labels = {
            "kops.k8s.io/cluster": cluster,
            "kops.k8s.io/instance-group": "nodes-a",
            "kops.k8s.io/instance-role": role,
        }
        made = {
            "id": number,
            "name": name,
            "status": "running",
            "labels": labels,
            "private_net": [{"network": 1, "ip": f"10.0.0.{number - 1000}"}],
            "public_net": {"ipv4": {"ip": f"203.0.113.{number - 1000}"}, "ipv6": None},
            **more,
        }
        self.objects["servers"][number] = made
        return made

    def volume(self, name: str, etcd: str = "main", cluster: str = CLUSTER, **more: Any) -> dict[str, Any]:
        """Make a volume."""
        number = next(self._numbers)
        made = {
            "id": number,
            "name": name,
            "status": "available",
            "labels": {"kops.k8s.io/cluster": cluster, "kops.k8s.io/volume-role": etcd},
            "location": {"name": "fsn1"},
            "server": None,
            "linux_device": f"/dev/disk/by-id/scsi-0HC_Volume_{number}",
            **more,
        }
        self.objects["volumes"][number] = made
        return made

    def balancer(self, address: str, cluster: str = CLUSTER) -> None:
        """Make a load balancer."""
        number = next(self._numbers)
        labels = {"kops.k8s.io/cluster": cluster}
        self.objects["load_balancers"][number] = {"id": number, "labels": labels, "private_net": [{"ip": address}]}

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self.asked.append(f"{method} {path}")
        if self.fails is not None:
            raise self.fails
        place = urlsplit(path)
        collection, *more = place.path.strip("/").split("/")
        if not more:
            return self._page(collection, {key: values[0] for key, values in parse_qs(place.query).items()})
        found = self.objects[collection].get(int(more[0]))
        if found is None:
            raise ServiceError("Hetzner", 404, "not_found", "no such object")
        if method == "GET":
            return {collection.rstrip("s"): found}
        return self._attach(found, dict(body or {}))

    def _page(self, collection: str, query: Mapping[str, str]) -> dict[str, Any]:
        wanted = [each.split("=") for each in query.get("label_selector", "").split(",") if each]
        found = [
            each
            for _number, each in sorted(self.objects[collection].items())
            if all(each["labels"].get(key) == value for key, value in wanted)
        ]
        first = (int(query["page"]) - 1) * _PAGE
        following = int(query["page"]) + 1 if found[first + _PAGE :] else None
        return {collection: found[first : first + _PAGE], "meta": {"pagination": {"next_page": following}}}

    def _attach(self, volume: dict[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            if volume["server"] is not None:
                raise ServiceError("Hetzner", 422, "volume_already_attached", "volume is already attached")
            volume["server"] = asked["server"]
        return {"action": {"id": 1, "status": "success"}}
