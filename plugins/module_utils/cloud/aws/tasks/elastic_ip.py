# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A public address that stays: the one that a zone's private subnets are seen with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed, internal
from ..cloud import intersect_tags, tag_specifications
from ._ec2 import ADDRESSES, GATEWAY_ATTACHMENT, require_shared, update_tags
from ._nat_gateways import routed_nat_gateway
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud
    from .route_table import RouteTable


@dataclass(eq=False, repr=False)
class ElasticIP(AWSTask):
    """An elastic IP address.

    public_ip: given to use an address that exists. shared: it exists, named by its allocation id.
    associated_nat_gateway_route_table: leads through a NAT gateway to the address.
    """

    id: str | None = computed()
    public_ip: str | None = computed()
    shared: bool | None = None
    tags: dict[str, str] | None = None
    associated_nat_gateway_route_table: RouteTable | None = internal()

    cloudformation_type = "AWS::EC2::EIP"

    def prepare(self, cloud: AWSCloud) -> None:
        if self.shared:
            ADDRESSES.want(cloud, self.id)
        elif self.public_ip:
            cloud.want("public-ip", self.public_ip)

    def find(self, cloud: AWSCloud) -> ElasticIP | None:
        address = self._read(cloud)
        if address is None:
            return None
        return ElasticIP(
            name=self.name,
            id=address["AllocationId"],
            public_ip=address["PublicIp"],
            shared=self.shared,
            tags=intersect_tags(address.get("Tags"), self.tags),
        )

    def _read(self, cloud: AWSCloud) -> dict[str, Any] | None:
        if self.shared:
            return ADDRESSES.by_id(ADDRESSES.wanted(cloud), self.id)
        if self.public_ip and self.id is None:
            given = ADDRESSES.where(cloud, "public-ip", *cloud.wanted("public-ip"))
            return next((address for address in given if address["PublicIp"] == self.public_ip), None)
        return self._routed(cloud) or ADDRESSES.owned(cloud, self)

    def _routed(self, cloud: AWSCloud) -> dict[str, Any] | None:
        gateway = routed_nat_gateway(cloud, self.associated_nat_gateway_route_table)
        allocations = [entry.get("AllocationId") for entry in (gateway or {}).get("NatGatewayAddresses", ())]
        if not gateway or len(allocations) != 1 or allocations[0] is None:
            return None
        known = ADDRESSES.by_id(ADDRESSES.tagged(cloud), allocations[0])
        return known or next(iter(ADDRESSES.where(cloud, ADDRESSES.id_filter, allocations[0])), None)

    def check(self, cloud: AWSCloud, actual: ElasticIP | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_shared(self, actual, f"elastic IP {self.id}")
        if actual is None and self.public_ip and self.id is None:
            raise KopsError(f"{self.key}: the account has no elastic IP with the address {self.public_ip}")

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            answer = cloud.client("ec2").allocate_address(
                Domain="vpc", TagSpecifications=tag_specifications("elastic-ip", self.tags)
            )
            self.id, self.public_ip = answer["AllocationId"], answer["PublicIp"]

    def update(self, cloud: AWSCloud, actual: ElasticIP, changes: dict[str, Change]) -> None:
        update_tags(cloud, self, actual, changes)

    def cloudformation(self, target: CloudFormationTarget) -> None:
        if not self.shared:
            properties = {"Domain": "vpc", "Tags": tags(self.tags)}
            target.resource(self, self.cloudformation_type, properties, after=[GATEWAY_ATTACHMENT])

    def terraform(self, target: TerraformTarget) -> None:
        if not self.shared:
            target.resource("aws_eip", self.name, {"domain": "vpc", "tags": self.tags})

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_eip", self.name, str(self.id))

    def terraform_link(self) -> Literal | str:
        """The address' allocation id as other resources write it."""
        return str(self.id) if self.shared else reference("aws_eip", self.name)
