# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of OpenStack for completion and validation: zones, flavors, images, networks, zones of names."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from ...api.facts import CloudDNSZone, CloudNetwork, CloudSubnet, Image, InstanceType
from ..errors import explained
from . import catalog, designate
from .cloud import OpenStackCloud
from .errors import explain
from .kinds import NETWORK, SUBNET
from .tasks._openstack import described

# Glance's names for processors -> Kubernetes'.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_GPU_SPECS = ("pci_passthrough:alias", "resources:VGPU")


@dataclass(frozen=True)
class _Least:
    """What a flavor has to have, where none is named (kops' DefaultInstanceType). memory: in MiB."""

    memory: int
    vcpus: int = 1


_LEAST = {"ControlPlane": _Least(4096), "Node": _Least(4096, 2), "Bastion": _Least(1024)}


class OpenStackFacts:
    """:class:`api.facts.CloudFacts` for one project and region. Every answer is read once. All raise KopsError."""

    def __init__(self, cloud: OpenStackCloud) -> None:
        self.cloud = cloud
        self.region = cloud.region

    def zones(self) -> list[str]:
        """Names of the zones of servers, sorted."""
        with self._explained("reading the availability zones"):
            return sorted(self.cloud.once(_read_zones))

    def instance_type(self, name: str) -> InstanceType | None:
        """The flavor of that name; None when the project has none."""
        found = catalog.flavor(self.cloud, name)
        if found is None:
            return None
        specs = found.get("extra_specs") or {}
        return InstanceType(
            name=name,
            vcpus=int(found["vcpus"]),
            memory_mib=int(found["ram"]),
            gpu=any(spec in specs for spec in _GPU_SPECS),
        )

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """The smallest flavor that is enough for a group of that role; None when there is none.

        One without a disk of its own is only taken if there is no other: Nova boots it from a volume alone. kops takes
        it as well, and is refused. Flavors say nothing of zones and processors.
        """
        least = _LEAST.get(role, _LEAST["Node"])
        known = self.cloud.once(catalog.flavors)
        enough = [each for each in known if each["ram"] >= least.memory and each["vcpus"] >= least.vcpus]
        chosen = [each for each in enough if each["disk"]] or enough
        smallest = min(chosen, key=lambda each: (each["ram"], each["vcpus"], each["disk"], each["name"]), default=None)
        return str(smallest["name"]) if smallest else None

    def image(self, reference: str) -> Image | None:
        """The image of that name or id; of several of one name, the newest."""
        newest = catalog.image(self.cloud, reference)
        if newest is None:
            return None
        architecture = str(newest.get("architecture") or "x86_64")
        return Image(newest["id"], reference, ARCHITECTURES.get(architecture, architecture))

    def network(self, network_id: str) -> CloudNetwork | None:
        """The network of that id with its subnets; None when the project sees none. It has no range of its own."""
        if not any(each["id"] == network_id for each in self.cloud.once(described, NETWORK)):
            return None
        subnets = [each for each in self.cloud.once(described, SUBNET) if each["network_id"] == network_id]
        ranges = [str(each["cidr"]) for each in subnets]
        return CloudNetwork(
            network_id,
            cidr=ranges[0] if ranges else "",
            additional_cidrs=tuple(ranges[1:]),
            # Subnets are in no zone.
            subnets=tuple(CloudSubnet(each["id"], "", each["cidr"]) for each in subnets),
        )

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """The network that a subnet lies in; None when the project sees no such subnet."""
        found = next((each for each in self.cloud.once(described, SUBNET) if each["id"] == subnet_id), None)
        return self.network(found["network_id"]) if found else None

    def dns_zones(self) -> list[CloudDNSZone]:
        """Every zone of Designate that the project has."""
        return [CloudDNSZone(each["id"], each["name"].rstrip(".")) for each in self.cloud.once(designate.zones)]

    def _explained(self, what: str) -> AbstractContextManager[None]:
        return explained(explain, f"OpenStack, {what}")


def _read_zones(cloud: OpenStackCloud) -> list[str]:
    return [str(each.name) for each in cloud.service("compute").availability_zones()]
