# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries of completion and validation to a cloud. cloud/<name>/facts.py implements them; tests use literals."""

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
    """An existing subnet of the cloud."""

    id: str
    zone: str
    cidr: str
    ipv6_cidr: str | None = None


@dataclass(frozen=True)
class CloudNetwork:
    """An existing network (VPC) of the cloud, with its subnets."""

    id: str
    cidr: str
    additional_cidrs: tuple[str, ...] = ()
    subnets: tuple[CloudSubnet, ...] = field(default_factory=tuple)


@dataclass(frozen=True)
class CloudDNSZone:
    """An existing hosted zone of the cloud. name has no trailing dot."""

    id: str
    name: str
    private: bool = False


class CloudFacts(Protocol):
    """Read-only queries to one cloud in one region. The implementation caches the answers."""

    region: str

    def zones(self) -> list[str]:
        """Names of the availability zones of the region."""

    def instance_type(self, name: str) -> InstanceType | None:
        """The machine type with this name; None if the cloud has none."""

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """The choice of kops for instance groups of a role ("ControlPlane", "Node", ...) in these zones."""

    def image(self, reference: str) -> Image | None:
        """The image that an InstanceGroup's spec.image refers to; None if there is none."""

    def network(self, network_id: str) -> CloudNetwork | None:
        """The network with this id, with its subnets; None if there is none."""

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """The network of a subnet; None if there is no such subnet."""

    def dns_zones(self) -> list[CloudDNSZone]:
        """Every hosted zone that the credentials can see."""


class NoFacts:
    """CloudFacts where there is no cloud that can be asked: bare metal, and clouds without an implementation yet."""

    region = ""

    def zones(self) -> list[str]:
        """None are known; names are taken as given."""
        return []

    def instance_type(self, name: str) -> InstanceType | None:
        """None."""
        return None

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """None."""
        return None

    def image(self, reference: str) -> Image | None:
        """None."""
        return None

    def network(self, network_id: str) -> CloudNetwork | None:
        """None."""
        return None

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """None."""
        return None

    def dns_zones(self) -> list[CloudDNSZone]:
        """None."""
        return []
