# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account of DigitalOcean on loopback, as control planes of a cluster ask it."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.api import DigitalOcean
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import TOKEN, Account
from ansible_collections.kubeops.kops.tests.support.rest_server import Call, RestServer

CLUSTER, FOREIGN, GROUP, REGION = "demo.example.com", "demo.example.com2", "nodes-a", "fra1"
MARK = "kubeops-cluster:demo_example_com"


class Cloud:
    """api: as a control plane has it. account: what is there; nothing takes time."""

    def __init__(self, server: RestServer, account: Account) -> None:
        self.server, self.account = server, account
        self.api = DigitalOcean(lambda: TOKEN)
        self._count = 0

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request of somebody else."""
        reply = self.account.answer(Call(method, f"/v2/{path}", (), body, {"Authorization": f"Bearer {TOKEN}"}))
        return reply.body

    def start(self, role: str = "Node", cluster: str = CLUSTER, group: str = GROUP, **changes: Any) -> dict[str, Any]:
        """A droplet as update_cluster makes it. changes: of the request."""
        self._count += 1
        wanted = {
            "name": f"{group}-{self._count:08x}",
            "region": REGION,
            "size": "s-2vcpu-4gb-amd",
            "image": "ubuntu-24-04-x64",
            "tags": [
                f"KubernetesCluster:{cluster.replace('.', '-')}",
                f"kubeops-cluster:{cluster.replace('.', '_')}",
                f"kops-instancegroup:{group}",
                f"kops-instance-role:{role}",
                f"kubeops-number:{self._count}",
                "kubeops-made-from:image:3f0a91c2_user-data:ab",
            ],
        }
        return dict(self.ask("POST", "droplets", {**wanted, **changes})["droplet"])

    def volume(self, etcd: str, member: str, cluster: str = CLUSTER, **changes: Any) -> dict[str, Any]:
        """A volume as update_cluster makes it."""
        safe = cluster.replace(".", "-")
        wanted = {
            "name": f"kops-{member}-etcd-{etcd}-{safe}",
            "region": REGION,
            "size_gigabytes": 20,
            "tags": [f"etcdCluster-{etcd}:{member}", f"k8s-index:{member}", f"KubernetesCluster:{safe}"],
        }
        return dict(self.ask("POST", "volumes", {**wanted, **changes})["volume"])


def private(droplet: dict[str, Any]) -> str:
    """Its address in its VPC."""
    return str(next(each["ip_address"] for each in droplet["networks"]["v4"] if each["type"] == "private"))
