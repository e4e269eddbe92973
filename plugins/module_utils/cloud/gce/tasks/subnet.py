# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a subnetwork, which spans its region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Block, Literal, reference
from ....engine.task import Change, internal
from ..cloud import COMPUTE, GCECloud
from ..identifiers import last_component
from ..resources.listing import BY_NAME, SUBNET
from ._compute import ComputeTask, Described, refer
from .network import Network, described_at

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class Subnet(ComputeTask):
    """A subnetwork; its task name is its name.

    secondary_ip_ranges: name -> range, of which instances take aliases (pods, services).
    stack_type: IPV4_ONLY or IPV4_IPV6; with IPv6, ipv6_access_type EXTERNAL or INTERNAL.
    shared: it existed before the cluster.
    """

    network: Network | None = None
    region: str | None = None
    cidr: str | None = None
    stack_type: str | None = None
    ipv6_access_type: str | None = None
    secondary_ip_ranges: dict[str, str] | None = None
    shared: bool = internal(False)

    of = BY_NAME[SUBNET]
    resource = "google_compute_subnetwork"
    immutable: ClassVar[frozenset[str]] = frozenset({"network", "region", "cidr"})

    def collection(self, cloud: GCECloud) -> str:
        project = self.network.project if self.network else None
        return f"{project or cloud.project}/{self.scope(cloud)}/{self.of.collection}"

    def find(self, cloud: GCECloud) -> Subnet | None:
        found = self._given(cloud) if self.shared else self.described(cloud)
        if found is None:
            return None
        ranges = _ranges(found)
        if self.shared:
            # Others may have ranges of their own in it.
            ranges = {name: cidr for name, cidr in ranges.items() if name in (self.secondary_ip_ranges or {})}
        return Subnet(
            self.name,
            network=refer(found.get("network"), self.network, lambda each: each.path(cloud), Network),
            region=last_component(str(found.get("region", ""))),
            cidr=found.get("ipCidrRange"),
            stack_type=found.get("stackType"),
            ipv6_access_type=found.get("ipv6AccessType"),
            secondary_ip_ranges=ranges,
            shared=self.shared,
        )

    def _given(self, cloud: GCECloud) -> Described:
        """The subnetwork that the specification names. Raises KopsError if there is none."""
        found = cloud.once(described_at, self.path(cloud))
        if found is None:
            raise KopsError(
                f"spec.networking.subnets: {cloud.region} has no subnetwork {self.name} ({self.path(cloud)})"
            )
        return found

    def create(self, cloud: GCECloud) -> None:
        network = self.needed(self.network, "is in no network")
        ranges = self.secondary_ip_ranges or {}
        self.insert(
            cloud,
            network=network.url(cloud),
            ipCidrRange=self.cidr,
            stackType=self.stack_type,
            ipv6AccessType=self.ipv6_access_type,
            secondaryIpRanges=_listed(ranges) if ranges else None,
        )

    def update(self, cloud: GCECloud, actual: Subnet, changes: dict[str, Change]) -> None:
        families = {"stackType": self.stack_type, "ipv6AccessType": self.ipv6_access_type}
        if changes.keys() & {"stack_type", "ipv6_access_type"}:
            self._patch(cloud, {name: value for name, value in families.items() if value})
        if "secondary_ip_ranges" in changes:
            wanted = self.secondary_ip_ranges or {}
            # Google does not add and remove ranges in one request.
            self._patch(cloud, {"secondaryIpRanges": _listed({**self._present(cloud), **wanted})})
            if not self.shared:
                self._patch(cloud, {"secondaryIpRanges": _listed(wanted)})

    def _present(self, cloud: GCECloud) -> dict[str, str]:
        return _ranges(cloud.get(COMPUTE, self.path(cloud)) or {})

    def _patch(self, cloud: GCECloud, properties: Mapping[str, Any]) -> None:
        """Change properties of the subnetwork as it is at this moment."""
        found = cloud.get(COMPUTE, self.path(cloud)) or {}
        if any(found.get(name) != value for name, value in properties.items()):
            cloud.patch(self.path(cloud), {**properties, "fingerprint": found.get("fingerprint", "")})

    def terraform_link(self) -> Literal | str:
        """The subnetwork's name as other resources write it."""
        if self.shared:
            project = self.network.project if self.network else None
            return f"{project}/{self.name}" if project else self.name
        return reference(self.resource, self.name, "name")

    def terraform(self, target: TerraformTarget) -> None:
        if self.shared:
            return
        ranges = [
            Block(ip_cidr_range=cidr, range_name=name)
            for name, cidr in sorted((self.secondary_ip_ranges or {}).items())
        ]
        target.resource(
            self.resource,
            self.name,
            {
                "ip_cidr_range": self.cidr,
                "ipv6_access_type": self.ipv6_access_type,
                "name": self.name,
                "network": self.network.terraform_link() if self.network else None,
                "region": self.region,
                "secondary_ip_range": ranges,
                "stack_type": self.stack_type,
            },
        )


def _ranges(found: Described) -> dict[str, str]:
    return {each["rangeName"]: each["ipCidrRange"] for each in found.get("secondaryIpRanges") or ()}


def _listed(ranges: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"rangeName": name, "ipCidrRange": cidr} for name, cidr in sorted(ranges.items())]
