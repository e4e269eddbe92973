# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests create clusters from: options, and a small region of a cloud that answers at once."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import (
    CloudNetwork,
    CloudSubnet,
    Image,
    InstanceType,
)

NETWORK = CloudNetwork(
    "vpc-1",
    "10.1.0.0/16",
    subnets=(
        CloudSubnet("subnet-a", "us-east-1a", "10.1.0.0/24"),
        CloudSubnet("subnet-a2", "us-east-1a", "10.1.1.0/24"),
        CloudSubnet("subnet-b", "us-east-1b", "10.1.2.0/24"),
    ),
)


class Facts:
    """A region with three zones, one machine type for each role, one network."""

    region = "us-east-1"

    def zones(self) -> list[str]:
        return ["us-east-1a", "us-east-1b", "us-east-1c"]

    def instance_type(self, name: str) -> InstanceType:
        return InstanceType(name, ("arm64",) if name.startswith("m6g") else ("amd64",))

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str:
        return {"ControlPlane": "t3.medium", "Node": "t3.medium", "Bastion": "t3.micro"}.get(role, "t3.large")

    def image(self, reference: str) -> Image:
        return Image("ami-1", reference)

    def network(self, network_id: str) -> CloudNetwork | None:
        return NETWORK if network_id == NETWORK.id else None

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        return NETWORK if subnet_id in {subnet.id for subnet in NETWORK.subnets} else None

    def dns_zones(self) -> list[Any]:
        return []


BASE: dict[str, Any] = {
    "name": "demo.example.com",
    "state_store": "s3://store",
    "cloud": "aws",
    "zones": ["us-east-1a"],
}
