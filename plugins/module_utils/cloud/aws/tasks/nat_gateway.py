# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A NAT gateway: the way out for IPv4 of one zone's private subnets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed, internal
from ..cloud import intersect_tags, tag_specifications
from ._ec2 import NAT_GATEWAYS, add_tags, id_of, link, refer, require_shared, settling, update_tags
from ._nat_gateways import routed_nat_gateway, usable
from ._task import AWSTask
from .elastic_ip import ElasticIP
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud
    from .route_table import RouteTable

# On a route table: the shared NAT gateway that it uses, so that deleting the cluster spares it (kops' tag).
SHARED_TAG = "AssociatedNatgateway"


@dataclass(eq=False, repr=False)
class NatGateway(AWSTask):
    """A NAT gateway with one address.

    shared: it exists, named by id (egress: nat-...). associated_route_table: the table that routes through it.
    """

    elastic_ip: ElasticIP | None = None
    subnet: Subnet | None = None
    id: str | None = computed()
    shared: bool | None = None
    tags: dict[str, str] | None = None
    associated_route_table: RouteTable | None = internal()

    immutable: ClassVar[frozenset[str]] = frozenset({"elastic_ip"})
    cloudformation_type = "AWS::EC2::NatGateway"

    def prepare(self, cloud: AWSCloud) -> None:
        if self.shared:
            NAT_GATEWAYS.want(cloud, self.id)

    def find(self, cloud: AWSCloud) -> NatGateway | None:
        gateway = self._read(cloud)
        if gateway is None:
            return None
        addresses = [
            entry["AllocationId"] for entry in gateway.get("NatGatewayAddresses", ()) if "AllocationId" in entry
        ]
        return NatGateway(
            name=self.name,
            id=gateway["NatGatewayId"],
            elastic_ip=refer(ElasticIP, next(iter(addresses), None)),
            # Not compared: which of a zone's utility subnets it stands in makes no difference to what it does.
            subnet=self.subnet,
            shared=self.shared,
            tags=intersect_tags(gateway.get("Tags"), self.tags),
        )

    def _read(self, cloud: AWSCloud) -> dict[str, Any] | None:
        if self.shared:
            return NAT_GATEWAYS.by_id(usable(NAT_GATEWAYS.wanted(cloud)), self.id)
        routed = routed_nat_gateway(cloud, self.associated_route_table)
        if routed is not None:
            return routed
        # Made by a run that was stopped before it made the route.
        if self.subnet is None or self.subnet.vpc is None or self.subnet.id is None:
            return None
        candidates = usable(NAT_GATEWAYS.where(cloud, "vpc-id", str(self.subnet.vpc.id)))
        return NAT_GATEWAYS.owned(cloud, self, candidates)

    def check(self, cloud: AWSCloud, actual: NatGateway | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_shared(self, actual, f"NAT gateway {self.id}")
        if actual is None and (self.elastic_ip is None or self.subnet is None):
            raise KopsError(f"{self.key}: a NAT gateway needs an address and a subnet")

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            with settling():
                answer = cloud.client("ec2").create_nat_gateway(
                    AllocationId=id_of(self.elastic_ip),
                    SubnetId=id_of(self.subnet),
                    TagSpecifications=tag_specifications("natgateway", self.tags),
                )
            self.id = answer["NatGateway"]["NatGatewayId"]

    def update(self, cloud: AWSCloud, actual: NatGateway, changes: dict[str, Change]) -> None:
        table = id_of(self.associated_route_table)
        if self.shared and table is not None:
            # Before the gateway's own tags: as long as those are missing, both are written again.
            add_tags(cloud, table, {SHARED_TAG: str(self.id)}, {})
        update_tags(cloud, self, actual, changes)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "AllocationId": target.attribute(self.elastic_ip, "AllocationId"),
            "SubnetId": target.ref(self.subnet),
            "Tags": tags(self.tags),
        }

    def terraform(self, target: TerraformTarget) -> None:
        if not self.shared:
            target.resource(
                "aws_nat_gateway",
                self.name,
                {"allocation_id": link(self.elastic_ip), "subnet_id": link(self.subnet), "tags": self.tags},
            )

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_nat_gateway", self.name, str(self.id))

    def terraform_link(self) -> Literal | str:
        """The gateway's id as other resources write it."""
        return str(self.id) if self.shared else reference("aws_nat_gateway", self.name)
