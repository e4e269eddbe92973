# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""the route table that a subnet uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.hcl import reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ._ec2 import id_of, link, refer, settling
from ._task import AWSTask
from .route_table import RouteTable, read_route_tables
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.hcl import Literal
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class RouteTableAssociation(AWSTask):
    """The subnet is what identifies it: an association with another table is replaced in place."""

    id: str | None = computed()
    route_table: RouteTable | None = None
    subnet: Subnet | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"subnet"})
    cloudformation_type = "AWS::EC2::SubnetRouteTableAssociation"

    def find(self, cloud: AWSCloud) -> RouteTableAssociation | None:
        if self.subnet is None or self.subnet.id is None:
            return None
        subnet = id_of(self.subnet)
        for table in read_route_tables(cloud, self.subnet.vpc):
            for association in table.get("Associations", ()):
                if association.get("SubnetId") == subnet:
                    return RouteTableAssociation(
                        name=self.name,
                        id=association["RouteTableAssociationId"],
                        route_table=refer(RouteTable, table["RouteTableId"]),
                        subnet=refer(Subnet, subnet),
                    )
        return None

    def create(self, cloud: AWSCloud) -> None:
        with settling():
            answer = cloud.client("ec2").associate_route_table(
                RouteTableId=id_of(self.route_table), SubnetId=id_of(self.subnet)
            )
        self.id = answer["AssociationId"]

    def update(self, cloud: AWSCloud, actual: RouteTableAssociation, changes: dict[str, Change]) -> None:
        with settling():
            answer = cloud.client("ec2").replace_route_table_association(
                AssociationId=actual.id, RouteTableId=id_of(self.route_table)
            )
        self.id = answer["NewAssociationId"]

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "RouteTableId": target.ref(self.route_table),
            "SubnetId": target.ref(self.subnet),
        }

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "aws_route_table_association",
            self.name,
            {"route_table_id": link(self.route_table), "subnet_id": link(self.subnet)},
        )

    def terraform_imports(self) -> Iterator[Import]:
        ends = f"{id_of(self.subnet)}/{id_of(self.route_table)}"
        yield Import("aws_route_table_association", self.name, ends)

    def terraform_link(self) -> Literal:
        """The association's id as other resources write it."""
        return reference("aws_route_table_association", self.name)
