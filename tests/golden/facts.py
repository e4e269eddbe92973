# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clouds that the cases of kops assume: zones, machine types, images, networks, hosted zones that exist before."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import (
    CloudDNSZone,
    CloudNetwork,
    CloudSubnet,
    Image,
    InstanceType,
)

AWS_IMAGE = "ubuntu/images/hvm-ssd-gp3/ubuntu-resolute-26.04-amd64-server-20220404"


@dataclass(frozen=True)
class FakeFacts:
    """A cloud as literals. any_type: whether a machine type that is not listed exists, of no known architecture."""

    region: str
    zone_names: tuple[str, ...] = ()
    types: dict[str, InstanceType] = field(default_factory=dict)
    default_types: dict[str, str] = field(default_factory=dict)
    images: dict[str, Image] = field(default_factory=dict)
    networks: dict[str, CloudNetwork] = field(default_factory=dict)
    hosted_zones: tuple[CloudDNSZone, ...] = ()
    storage_accounts: dict[str, str] = field(default_factory=dict)
    any_type: bool = False

    def zones(self) -> list[str]:
        return list(self.zone_names)

    def instance_type(self, name: str) -> InstanceType | None:
        if name in self.types or not self.any_type or name == "t2.invalidType":
            return self.types.get(name)
        return InstanceType(name, architectures=(), memory_mib=1024)

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        return self.default_types.get(role)

    def image(self, reference: str) -> Image | None:
        return self.images.get(reference)

    def network(self, network_id: str) -> CloudNetwork | None:
        return self.networks.get(network_id)

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        return next(
            (
                network
                for network in self.networks.values()
                if any(subnet.id == subnet_id for subnet in network.subnets)
            ),
            None,
        )

    def dns_zones(self) -> list[CloudDNSZone]:
        return list(self.hosted_zones)

    def storage_account_id(self, name: str) -> str | None:
        return self.storage_accounts.get(name)


def _type(name: str, *architectures: str, gpu: bool = False) -> InstanceType:
    storage = ((1, 1024),) if name == "m3.medium" else ()
    return InstanceType(name, architectures, memory_mib=1024, instance_storage=storage, gpu=gpu)


_AMD64_TYPES = "c5.large m3.medium m4.large m5.large m5.xlarge t3.micro t3.medium t3.large c4.large"
_AWS_SUBNETS = (
    CloudSubnet("subnet-12345678", "us-test-1a", "172.20.32.0/19"),
    CloudSubnet("subnet-abcdef", "us-test-1a", "172.20.4.0/22"),
    CloudSubnet("subnet-b2345678", "us-test-1b", "172.20.8.0/22"),
)
_AWS = FakeFacts(
    region="us-test-1",
    zone_names=("us-test-1a", "us-test-1b", "us-test-1c"),
    types={
        **{name: _type(name, "amd64") for name in _AMD64_TYPES.split()},
        **{name: _type(name, "arm64") for name in ("a1.large", "m6g.xlarge")},
        **{name: _type(name, "i386", "amd64") for name in ("t2.micro", "t2.medium")},
        **{name: _type(name, "amd64", gpu=True) for name in ("g4dn.xlarge", "g4ad.16xlarge")},
    },
    default_types={"ControlPlane": "m3.medium", "APIServer": "m3.medium", "Node": "t2.medium", "Bastion": "t2.micro"},
    images={
        reference: Image("ami-12345678", AWS_IMAGE.partition("/")[2], "amd64", "/dev/xvda")
        for reference in (AWS_IMAGE, f"099720109477/{AWS_IMAGE.partition('/')[2]}", "ami-12345678")
    },
    networks={"vpc-12345678": CloudNetwork("vpc-12345678", "172.20.0.0/16", subnets=_AWS_SUBNETS)},
    hosted_zones=(
        CloudDNSZone("Z1AFAKE1ZON3YO", "example.com"),
        CloudDNSZone("Z2AFAKE1ZON3NO", "internal.example.com", private=True),
        CloudDNSZone("Z3AFAKE1ZOMORE", "private.example.com", private=True),
    ),
    any_type=True,
)
# The cases of creation have another network of that id, with two subnets more.
_AWS_AT_CREATION = replace(
    _AWS,
    networks={
        "vpc-12345678": CloudNetwork(
            "vpc-12345678",
            "10.0.0.0/12",
            subnets=(
                *_AWS_SUBNETS,
                CloudSubnet("subnet-1", "us-test-1a", "10.10.0.0/24"),
                CloudSubnet("subnet-2", "us-test-1a", "10.11.0.0/24"),
            ),
        )
    },
)
_GCE = FakeFacts(
    region="us-test1",
    zone_names=("us-test1-a", "us-test1-b", "us-test1-c"),
    networks={"default": CloudNetwork("default", "")},
    hosted_zones=(CloudDNSZone("1", "example.com"),),
)
_OPENSTACK = FakeFacts(
    region="us-test1",
    types={
        "n1-standard-1": InstanceType("n1-standard-1", vcpus=4, memory_mib=8192),
        "n1-standard-2": InstanceType("n1-standard-2", vcpus=8, memory_mib=8192),
    },
    default_types=dict.fromkeys(("ControlPlane", "Node", "Bastion"), "n1-standard-1"),
    images={"Ubuntu-26.04": Image("Ubuntu-26.04", "Ubuntu-26.04")},
    networks={"external": CloudNetwork("external", "172.20.0.0/22")},
    hosted_zones=(
        CloudDNSZone("minimal-openstack.k8s.local", "minimal-openstack.k8s.local"),
        CloudDNSZone("example.net", "example.net"),
    ),
)
_HETZNER = FakeFacts(
    region="eu-central",
    zone_names=("fsn1", "hel1", "nbg1"),
    types={name: InstanceType(name, ("amd64",), vcpus=2, memory_mib=4096) for name in ("cx23", "cx33", "cpx22")},
    images={"ubuntu-26.04": Image("ubuntu-26.04", "ubuntu-26.04", "amd64")},
)
_AZURE_ACCOUNTS = (
    "/subscriptions/sub-321/resourceGroups/resource-group-name/providers/Microsoft.Storage/storageAccounts"
)
_CLOUDS = {
    "aws": _AWS,
    "gce": _GCE,
    "hetzner": _HETZNER,
    "openstack": _OPENSTACK,
    "azure": FakeFacts(
        region="eastus",
        zone_names=("eastus-1", "eastus-2", "eastus-3"),
        storage_accounts={"teststorage": f"{_AZURE_ACCOUNTS}/teststorage"},
    ),
}


def update_cluster_facts(cloud: str) -> FakeFacts:
    """What the cases of update_cluster assume of a cloud ("aws", "gce", "hetzner" ...)."""
    return _CLOUDS.get(cloud) or FakeFacts(region="test")


def create_cluster_facts(cloud: str) -> FakeFacts:
    """What the cases of create_cluster assume of a cloud."""
    return _AWS_AT_CREATION if cloud == "aws" else update_cluster_facts(cloud)
