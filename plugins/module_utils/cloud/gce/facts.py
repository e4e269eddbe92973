# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of Google Cloud for completion and validation: zones, machine types, images, networks, hosted zones."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ...api.cloud_names import safe_cluster_name
from ...api.facts import CloudDNSZone, CloudNetwork, CloudSubnet, Image, InstanceType
from ..errors import CloudError, NoLogin, explained
from .errors import explain
from .identifiers import last_component, split_network_id

if TYPE_CHECKING:
    from .cloud import GCECloud

# Google's architectures by Kubernetes' names. Machine types of old have none: they are x86.
ARCHITECTURES = {"X86_64": "amd64", "ARM64": "arm64"}

# kops' choice where nothing is chosen.
DEFAULT_TYPES = {"ControlPlane": "e2-medium", "APIServer": "e2-medium", "Node": "e2-medium", "Bastion": "e2-micro"}


class GCEFacts:
    """:class:`api.facts.CloudFacts` for one project and region.

    Every answer is read once. All methods raise KopsError, with what to do, when Google Cloud cannot be asked; but the
    cluster's own network is taken for one that is yet to be, so that a first configuration needs no credentials.
    """

    def __init__(self, cloud: GCECloud) -> None:
        self.cloud = cloud
        self.region = cloud.region

    def zones(self) -> list[str]:
        """Names of the zones of the region, sorted; empty without credentials. KopsError for an unknown region."""
        try:
            with self._explained("reading the zones"):
                region = self.cloud.once(_read_region)
        except NoLogin:
            return []
        if region is None:
            raise CloudError(f"Google Cloud has no region {self.region} for project {self.cloud.project}")
        return sorted(map(last_component, region.get("zones", ())))

    def instance_type(self, name: str) -> InstanceType | None:
        """The machine type of that name; None when no zone of the region has it."""
        with self._explained(f"reading the machine type {name}"):
            found = self.cloud.once(_read_machine_type, name)
        if found is None:
            return None
        architecture = found.get("architecture", "X86_64")
        return InstanceType(
            name=name,
            architectures=(ARCHITECTURES.get(architecture, architecture),),
            vcpus=found.get("guestCpus", 0),
            memory_mib=found.get("memoryMb", 0),
            gpu=bool(found.get("accelerators")),
        )

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """The type for a group of that role where none is chosen, the same in every zone."""
        return DEFAULT_TYPES.get(role)

    def image(self, reference: str) -> Image | None:
        """The image that reference names: <project>/<image>, or <image> of the cluster's project."""
        project, _slash, name = reference.rpartition("/")
        with self._explained(f"looking for the image {reference}"):
            found = self.cloud.get("compute", f"{project or self.cloud.project}/global/images/{name}")
        if found is None:
            return None
        architecture = found.get("architecture", "X86_64")
        return Image(id=found["selfLink"], name=name, architecture=ARCHITECTURES.get(architecture, architecture))

    def network(self, network_id: str) -> CloudNetwork | None:
        """The network <name> or <project>/<name> with its subnets in all regions; None when there is none.

        additional_cidrs: the secondary ranges of the subnets; the zone of a subnet is its region.
        """
        given, name = split_network_id(network_id)
        project = given or self.cloud.project
        try:
            with self._explained(f"reading the network {network_id}"):
                found = self.cloud.once(_read_network, project, name)
                subnets = self.cloud.once(_read_subnets, project, name) if found else []
        except NoLogin:
            if network_id != safe_cluster_name(self.cloud.cluster_name):
                raise
            return None
        if found is None:
            return None
        secondary = (extra for subnet in subnets for extra in subnet.get("secondaryIpRanges", ()))
        return CloudNetwork(
            id=network_id,
            cidr=found.get("IPv4Range", ""),
            additional_cidrs=tuple(extra["ipCidrRange"] for extra in secondary),
            subnets=tuple(
                CloudSubnet(subnet["name"], last_component(subnet["region"]), subnet.get("ipCidrRange", ""))
                for subnet in subnets
            ),
        )

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """The network that a subnet of the region lies in; None when there is no such subnet."""
        with self._explained(f"reading the subnet {subnet_id}"):
            found = self.cloud.get("compute", f"{self.cloud.project}/regions/{self.region}/subnetworks/{subnet_id}")
        return self.network(last_component(found["network"])) if found else None

    def dns_zones(self) -> list[CloudDNSZone]:
        """Every managed zone of the project."""
        with self._explained("reading the managed zones of Cloud DNS"):
            zones = self.cloud.once(_read_managed_zones)
        return [
            CloudDNSZone(
                id=str(zone["id"]), name=zone["dnsName"].rstrip("."), private=zone.get("visibility") == "private"
            )
            for zone in zones
        ]

    def _explained(self, what: str) -> AbstractContextManager[None]:
        return explained(explain, f"Google Cloud project {self.cloud.project}, {self.region}, {what}")


def _read_region(cloud: GCECloud) -> dict[str, Any] | None:
    return cloud.get("compute", f"{cloud.project}/regions/{cloud.region}")


def _read_machine_type(cloud: GCECloud, name: str) -> Mapping[str, Any] | None:
    found = cloud.aggregated(f"{cloud.project}/aggregated/machineTypes", "machineTypes", filter=f'name = "{name}"')
    in_region = (item for scope, item in found if scope.startswith(f"zones/{cloud.region}-"))
    return next(in_region, None)


def _read_network(cloud: GCECloud, project: str, name: str) -> dict[str, Any] | None:
    return cloud.get("compute", f"{project}/global/networks/{name}")


def _read_subnets(cloud: GCECloud, project: str, network: str) -> list[Mapping[str, Any]]:
    found = cloud.aggregated(f"{project}/aggregated/subnetworks", "subnetworks")
    own = f"/projects/{project}/global/networks/{network}"
    return [subnet for _scope, subnet in found if subnet["network"].endswith(own)]


def _read_managed_zones(cloud: GCECloud) -> list[dict[str, Any]]:
    return [
        zone for page in cloud.pages("dns", f"{cloud.project}/managedZones") for zone in page.get("managedZones", ())
    ]
