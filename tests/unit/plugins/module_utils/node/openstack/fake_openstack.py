# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack's APIs as a control plane asks them, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.api import NEUTRON, OpenStack
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.keystone import Login
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError

CLUSTER = "demo.example.com"
SERVER, OTHER = "4a7c1f0e-8d29-4b3c-9a51-0d6ee1c5a001", "4a7c1f0e-8d29-4b3c-9a51-0d6ee1c5a002"


def server(identifier: str = SERVER, **changes: Any) -> dict[str, Any]:
    """A worker. changes: of its metadata, or of itself."""
    found: dict[str, Any] = {
        "id": identifier,
        "name": f"nodes-{identifier[-6:]}",
        "status": "ACTIVE",
        "metadata": {"k8s": CLUSTER, "KopsInstanceGroup": "nodes", "KopsRole": "Node"},
        "addresses": {
            CLUSTER: [
                {"addr": "203.0.113.7", "version": 4, "OS-EXT-IPS:type": "floating"},
                {"addr": "10.0.0.7", "version": 4, "OS-EXT-IPS:type": "fixed"},
            ]
        },
    }
    for key, value in changes.items():
        (found if key in found else found["metadata"])[key] = value
    return found


class FakeOpenStack(OpenStack):
    """servers, ports, volumes: as the services describe them. attached: server and volume, as it was asked for.

    refused: what is said to that. fails: what all requests raise.
    """

    def __init__(self) -> None:
        super().__init__(Login(dict))
        self.servers = {SERVER: server()}
        self.ports = [port(SERVER)]
        self.volumes: list[dict[str, Any]] = []
        self.attached: list[tuple[str, str]] = []
        self.refused: ServiceError | None = None
        self.fails: Exception | None = None

    def get(self, service: tuple[str, ...], path: str) -> dict[str, Any]:
        """A server, or the ports of one."""
        if self.fails is not None:
            raise self.fails
        if service is NEUTRON:
            # Others' as well, as a service may that does not know the filter.
            return {"ports": self.ports}
        identifier = path.rpartition("/")[2]
        if identifier not in self.servers:
            raise ServiceError(path, 404)
        return {"server": self.servers[identifier]}

    def listed(self, service: tuple[str, ...], path: str, key: str) -> Iterator[dict[str, Any]]:
        """All servers, or volumes."""
        yield from {"servers": list(self.servers.values()), "volumes": self.volumes}[key]

    def post(self, service: tuple[str, ...], path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Attach a volume."""
        if self.refused is not None:
            raise self.refused
        self.attached.append((path.split("/")[2], body["volumeAttachment"]["volumeId"]))
        return {}


def port(server_id: str, *addresses: str, cluster: str = CLUSTER) -> dict[str, Any]:
    """The port of a server."""
    found = addresses or ("10.0.0.7",)
    tags = [f"KubernetesCluster={cluster}"]
    return {"device_id": server_id, "tags": tags, "fixed_ips": [{"ip_address": each} for each in found]}
