# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What completion and validation learn about bare metal before the inventory is read: nothing."""

from __future__ import annotations

from ...api.facts import CloudDNSZone, CloudNetwork, Image, InstanceType


class MetalFacts:
    """:class:`api.facts.CloudFacts` where there is no cloud to ask."""

    region = ""

    def zones(self) -> list[str]:
        """None: zones are names that the user gives."""
        return []

    def instance_type(self, name: str) -> InstanceType | None:
        """None: machines have no types."""
        return None

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """None: machines have no types."""
        return None

    def image(self, reference: str) -> Image | None:
        """None: the hosts have their system already."""
        return None

    def network(self, network_id: str) -> CloudNetwork | None:
        """None: the network is the hosts'."""
        return None

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """None: the network is the hosts'."""
        return None

    def dns_zones(self) -> list[CloudDNSZone]:
        """None."""
        return []
