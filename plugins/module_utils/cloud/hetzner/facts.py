# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What completion and validation ask of a project of Hetzner Cloud: locations, types, images and networks."""

from __future__ import annotations

from ...api.clouds import HETZNER
from ...api.facts import CloudDNSZone, CloudNetwork, CloudSubnet, Image, InstanceType
from . import catalog
from .cloud import Described, HetznerCloud, described
from .kinds import NETWORK

_MIB = 1024
# Where kops' own choice cannot be had: what a server must have, at least. memory: in GB.
_LEAST_CORES, _LEAST_MEMORY = 2, 4.0


class HetznerFacts:
    """:class:`api.facts.CloudFacts` for one network zone. Every answer is read once. All raise KopsError."""

    def __init__(self, cloud: HetznerCloud) -> None:
        self.cloud, self.region = cloud, cloud.region

    def zones(self) -> list[str]:
        """Names of the locations of the network zone, sorted; without one, of all."""
        found = catalog.locations(self.cloud)
        return sorted(str(each["name"]) for each in found if self.region in ("", each["network_zone"]))

    def instance_type(self, name: str) -> InstanceType | None:
        """The server type of that name; None if there is none."""
        found = catalog.server_type(self.cloud, name)
        if found is None:
            return None
        return InstanceType(
            name=name,
            architectures=(catalog.architecture_of(found),),
            vcpus=int(found["cores"]),
            memory_mib=int(float(found["memory"]) * _MIB),
        )

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """The choice of kops, if these locations have it; else the smallest that is enough; None if there is none.

        kops names its choice everywhere, also where Hetzner does not offer it.
        """
        known = [each for each in catalog.server_types(self.cloud) if self._fits(each, zones, architecture)]
        preferred = HETZNER.machine_types.get(role, HETZNER.machine_types["Node"])
        if any(each["name"] == preferred for each in known):
            return preferred
        enough = [each for each in known if each["cores"] >= _LEAST_CORES and each["memory"] >= _LEAST_MEMORY]
        # Shared processors cost less than those of one's own.
        order = sorted(enough, key=lambda each: (each.get("cpu_type") != "shared", each["memory"], each["name"]))
        return str(order[0]["name"]) if order else None

    def _fits(self, found: Described, zones: list[str], architecture: str | None) -> bool:
        fits = catalog.architecture_of(found) == (architecture or "amd64")
        return fits and all(catalog.offers(found, zone) for zone in zones)

    def image(self, reference: str) -> Image | None:
        """The image of that name or id. Of a name, there is one for each architecture: then it is that for amd64."""
        found = catalog.image(self.cloud, reference)
        if found is None:
            return None
        return Image(str(found["id"]), reference, catalog.architecture_of(found))

    def network(self, network_id: str) -> CloudNetwork | None:
        """The network of that id or name, with its subnets; None if the project has none."""
        for each in self.cloud.once(described, NETWORK):
            if network_id in (str(each["id"]), each["name"]):
                # Subnets are in no location, and have no ids.
                subnets = tuple(CloudSubnet(subnet["ip_range"], "", subnet["ip_range"]) for subnet in each["subnets"])
                return CloudNetwork(network_id, cidr=str(each["ip_range"]), subnets=subnets)
        return None

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """None: a subnet is known within its network only."""
        return None

    def dns_zones(self) -> list[CloudDNSZone]:
        """None: kops keeps no names in Hetzner's DNS."""
        return []
