# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of DigitalOcean for completion and validation: regions, sizes, images, VPCs, domains."""

from __future__ import annotations

from ...api.facts import CloudDNSZone, CloudNetwork, Image, InstanceType
from . import catalog
from .cloud import DigitalOceanCloud
from .kinds import DOMAIN, VPC
from .ownership import described

_GPUS = ("gpu-",)


class DigitalOceanFacts:
    """:class:`api.facts.CloudFacts` for one account and region. Every answer is read once. All raise KopsError."""

    def __init__(self, cloud: DigitalOceanCloud) -> None:
        self.cloud = cloud
        self.region = cloud.region

    def zones(self) -> list[str]:
        """The region, which is its only zone; nothing if it takes no new droplets."""
        return [self.region] if catalog.region(self.cloud, self.region) else []

    def instance_type(self, name: str) -> InstanceType | None:
        """The size of that slug; None if the region has none."""
        found = catalog.size(self.cloud, name)
        if found is None:
            return None
        return InstanceType(
            name=name,
            vcpus=int(found["vcpus"]),
            memory_mib=int(found["memory"]),
            gpu=bool(found.get("gpu_info")) or name.startswith(_GPUS),
        )

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """None: the table of clouds has kops' choice."""
        return None

    def image(self, reference: str) -> Image | None:
        """The image of that slug or id; None if the region has none. All are for amd64."""
        found = catalog.image(self.cloud, reference)
        return None if found is None else Image(str(found["id"]), reference)

    def network(self, network_id: str) -> CloudNetwork | None:
        """The VPC of that id, which has no subnets; for "" the region's own. None if the account has none."""
        for each in self.cloud.once(described, VPC):
            is_it = each["id"] == network_id if network_id else each.get("default") and each["region"] == self.region
            if is_it:
                return CloudNetwork(str(each["id"]), cidr=str(each["ip_range"]))
        return None

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """None: a VPC has no subnets."""
        return None

    def dns_zones(self) -> list[CloudDNSZone]:
        """Every domain of the account."""
        return [CloudDNSZone(each["name"], each["name"]) for each in self.cloud.once(described, DOMAIN)]
