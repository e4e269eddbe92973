# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of a vCenter."""

from __future__ import annotations

from ...api.clouds import VSPHERE
from ...api.facts import CloudDNSZone, CloudNetwork, Image, InstanceType
from .cloud import VSphereCloud
from .inventory import Unclear, network, template
from .machine_types import read_type


class VSphereFacts:
    """:class:`api.facts.CloudFacts` for one datacenter. Every answer is read once. All raise KopsError."""

    def __init__(self, cloud: VSphereCloud) -> None:
        self.cloud, self.region = cloud, cloud.region

    def zones(self) -> list[str]:
        """None: what a zone is, vSphere leaves to its users."""
        return []

    def instance_type(self, name: str) -> InstanceType | None:
        """What the name says; None if it is no machine type."""
        found = read_type(name)
        return InstanceType(name, vcpus=found.cpus, memory_mib=found.memory) if found else None

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """That of the table of clouds."""
        return VSPHERE.machine_types.get(role, VSPHERE.machine_types["Node"])

    def image(self, reference: str) -> Image | None:
        """The template of that name or path. None if there is none, or several."""
        try:
            found = template(self.cloud, reference)
        except Unclear:
            return None
        return Image(str(found["id"]), reference)

    def network(self, network_id: str) -> CloudNetwork | None:
        """The network of that name or path, of which vCenter knows no range; None if there is none, or several."""
        try:
            found = network(self.cloud, network_id)
        except Unclear:
            return None
        return CloudNetwork(str(found["id"]), cidr="")

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """None: vCenter knows no subnets."""
        return None

    def dns_zones(self) -> list[CloudDNSZone]:
        """None: vSphere has no DNS."""
        return []
