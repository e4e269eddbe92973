# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A route in one of the cluster's route tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.imports import Import
from ....engine.task import Change
from ._cidr import canonical
from ._ec2 import GATEWAY_ATTACHMENT, given, id_of, link, refer, settling
from ._task import AWSTask
from .egress_only_internet_gateway import EgressOnlyInternetGateway
from .instance import Instance
from .internet_gateway import InternetGateway
from .nat_gateway import NatGateway
from .route_table import RouteTable, read_route_table

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud

# The possible next hops: field -> (EC2's argument and answer, Terraform's argument).
TARGETS = {
    "egress_only_internet_gateway": ("EgressOnlyInternetGatewayId", "egress_only_gateway_id"),
    "internet_gateway": ("GatewayId", "gateway_id"),
    "instance": ("InstanceId", "instance_id"),
    "nat_gateway": ("NatGatewayId", "nat_gateway_id"),
    "transit_gateway_id": ("TransitGatewayId", "transit_gateway_id"),
    "vpc_peering_connection_id": ("VpcPeeringConnectionId", "vpc_peering_connection_id"),
}


@dataclass(eq=False, repr=False)
class Route(AWSTask):
    """One destination (cidr or ipv6_cidr) and exactly one next hop."""

    route_table: RouteTable | None = None
    instance: Instance | None = None
    cidr: str | None = None
    ipv6_cidr: str | None = None
    egress_only_internet_gateway: EgressOnlyInternetGateway | None = None
    internet_gateway: InternetGateway | None = None
    nat_gateway: NatGateway | None = None
    transit_gateway_id: str | None = None
    vpc_peering_connection_id: str | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"route_table", "cidr", "ipv6_cidr"})
    cloudformation_type = "AWS::EC2::Route"

    def find(self, cloud: AWSCloud) -> Route | None:
        table = read_route_table(cloud, self.route_table)
        for route in (table or {}).get("Routes", ()):
            if self._goes_to(route):
                return self._existing(route)
        return None

    def _goes_to(self, route: dict[str, Any]) -> bool:
        if self.cidr:
            return route.get("DestinationCidrBlock") == canonical(self.cidr)
        return canonical(route.get("DestinationIpv6CidrBlock")) == canonical(self.ipv6_cidr)

    def _existing(self, route: dict[str, Any]) -> Route:
        # A black hole's next hop is gone: the route is there and leads nowhere.
        hops = {} if route.get("State") == "blackhole" else route
        return Route(
            name=self.name,
            route_table=refer(RouteTable, id_of(self.route_table)),
            cidr=self.cidr,
            ipv6_cidr=self.ipv6_cidr,
            egress_only_internet_gateway=refer(EgressOnlyInternetGateway, hops.get("EgressOnlyInternetGatewayId")),
            internet_gateway=refer(InternetGateway, hops.get("GatewayId")),
            instance=refer(Instance, hops.get("InstanceId")),
            nat_gateway=refer(NatGateway, hops.get("NatGatewayId")),
            transit_gateway_id=hops.get("TransitGatewayId"),
            vpc_peering_connection_id=hops.get("VpcPeeringConnectionId"),
        )

    def check(self, cloud: AWSCloud, actual: Route | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        if (self.cidr is None) == (self.ipv6_cidr is None):
            raise KopsError(f"{self.key}: a route needs either a CIDR or an IPv6 CIDR")
        hops = [name for name in TARGETS if getattr(self, name) is not None]
        if len(hops) != 1:
            raise KopsError(f"{self.key}: a route needs exactly one next hop, and has {', '.join(hops) or 'none'}")
        if self.cidr and self.egress_only_internet_gateway is not None:
            raise KopsError(f"{self.key}: an egress-only internet gateway does not carry IPv4")

    def create(self, cloud: AWSCloud) -> None:
        with settling():
            cloud.client("ec2").create_route(**self._arguments())

    def update(self, cloud: AWSCloud, actual: Route, changes: dict[str, Change]) -> None:
        with settling():
            cloud.client("ec2").replace_route(**self._arguments())

    def _arguments(self) -> dict[str, Any]:
        hops = {argument: getattr(self, name) for name, (argument, _attribute) in TARGETS.items()}
        return given(
            RouteTableId=id_of(self.route_table),
            DestinationCidrBlock=self.cidr,
            DestinationIpv6CidrBlock=self.ipv6_cidr,
            **{argument: hop if isinstance(hop, str) else id_of(hop) for argument, hop in hops.items()},
        )

    def cloudformation(self, target: CloudFormationTarget) -> None:
        target.resource(self, self.cloudformation_type, self.resource_properties(target), after=[GATEWAY_ATTACHMENT])

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        hops = {argument: getattr(self, name) for name, (argument, _attribute) in TARGETS.items()}
        return {
            "RouteTableId": target.ref(self.route_table),
            "DestinationCidrBlock": self.cidr,
            "DestinationIpv6CidrBlock": self.ipv6_cidr,
            **{argument: hop if isinstance(hop, str) else target.ref(hop) for argument, hop in hops.items()},
        }

    def terraform(self, target: TerraformTarget) -> None:
        hops = {attribute: getattr(self, name) for name, (_argument, attribute) in TARGETS.items()}
        target.resource(
            "aws_route",
            f"route-{self.name}",
            {
                "route_table_id": link(self.route_table),
                "destination_cidr_block": self.cidr,
                "destination_ipv6_cidr_block": self.ipv6_cidr,
                **{attribute: hop if isinstance(hop, str) else link(hop) for attribute, hop in hops.items()},
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_route", f"route-{self.name}", f"{id_of(self.route_table)}_{self.cidr or self.ipv6_cidr}")
