# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What completion and validation ask a cloud for: cloud/<name>/facts.py answers, tests answer with literals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class InstanceType:
    """A machine type. memory in MiB; instance_storage is a tuple of (number of disks, size in GB)."""

    name: str
    architectures: tuple[str, ...] = ("amd64",)
    vcpus: int = 2
    memory_mib: int = 0
    max_network_interfaces: int = 1
    ipv4_per_interface: int = 1
    instance_storage: tuple[tuple[int, int], ...] = ()
    gpu: bool = False


@dataclass(frozen=True)
class Image:
    """A machine image. architecture is Kubernetes' name (amd64, arm64)."""

    id: str
    name: str
    architecture: str = "amd64"
    root_device: str = "/dev/sda1"


@dataclass(frozen=True)
class CloudSubnet:
    """A subnet that exists in the cloud."""

    id: str
    zone: str
    cidr: str
    ipv6_cidr: str | None = None


@dataclass(frozen=True)
class CloudNetwork:
    """A network (VPC) that exists in the cloud, with its subnets."""

    id: str
    cidr: str
    additional_cidrs: tuple[str, ...] = ()
    subnets: tuple[CloudSubnet, ...] = field(default_factory=tuple)


@dataclass(frozen=True)
class CloudDNSZone:
    """A hosted zone that exists in the cloud. name has no trailing dot."""

    id: str
    name: str
    private: bool = False


class CloudFacts(Protocol):
    """Read-only questions to one cloud in one region. Answers are cached by the implementation."""

    region: str

    def zones(self) -> list[str]:
        """Names of the availability zones of the region."""

    def instance_type(self, name: str) -> InstanceType | None:
        """The machine type of that name; None when the cloud has none."""

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """What kops would choose for instance groups of a role ("ControlPlane", "Node", ...) in these zones."""

    def image(self, reference: str) -> Image | None:
        """The image that an InstanceGroup's spec.image names; None when there is none."""

    def network(self, network_id: str) -> CloudNetwork | None:
        """The network of that id with its subnets; None when there is none."""

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """The network that a subnet lies in; None when there is no such subnet."""

    def dns_zones(self) -> list[CloudDNSZone]:
        """Every hosted zone that the credentials can see."""
