# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A route table of the VPC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ..cloud import from_tags, intersect_tags, tag_specifications
from ..ownership import cluster_tag
from ._ec2 import ROUTE_TABLES, id_of, link, refer, settling, update_tags
from ._task import AWSTask
from .vpc import VPC

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud

# Tells the cluster's route tables apart where they carry no name of ours ("public", "private-us-east-1a").
ROLE_TAG = "kubernetes.io/kops/role"


@dataclass(eq=False, repr=False)
class RouteTable(AWSTask):
    """A route table.

    shared: every subnet that uses it is shared, so that deleting the cluster leaves it. It is created all the same.
    """

    id: str | None = computed()
    vpc: VPC | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc"})
    cloudformation_type = "AWS::EC2::RouteTable"

    def find(self, cloud: AWSCloud) -> RouteTable | None:
        if id_of(self.vpc) is None:
            return None
        candidates = [table for table in read_route_tables(cloud, self.vpc) if self._is_mine(cloud, table)]
        table = ROUTE_TABLES.single(cloud, self, candidates)
        if table is None:
            return None
        return RouteTable(
            name=self.name,
            id=table["RouteTableId"],
            vpc=refer(VPC, table["VpcId"]),
            shared=self.shared,
            tags=intersect_tags(table.get("Tags"), self.tags),
        )

    def _is_mine(self, cloud: AWSCloud, table: dict[str, Any]) -> bool:
        if self.id is not None:
            return bool(table["RouteTableId"] == self.id)
        wanted, present = self.tags or {}, from_tags(table.get("Tags"))
        if cluster_tag(cloud) not in present:
            return False
        distinguishing = "Name" if "Name" in wanted else ROLE_TAG
        return distinguishing in wanted and present.get(distinguishing) == wanted[distinguishing]

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            with settling():
                answer = cloud.client("ec2").create_route_table(
                    VpcId=id_of(self.vpc), TagSpecifications=tag_specifications("route-table", self.tags)
                )
            self.id = answer["RouteTable"]["RouteTableId"]

    def update(self, cloud: AWSCloud, actual: RouteTable, changes: dict[str, Change]) -> None:
        update_tags(cloud, self, actual, changes)

    @property
    def existing(self) -> None:
        """None: it is made all the same."""
        return

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "Tags": tags(self.tags),
            "VpcId": target.ref(self.vpc),
        }

    def terraform(self, target: TerraformTarget) -> None:
        role = (self.tags or {}).get(ROLE_TAG)
        if role:
            target.output(f"route_table_{role}_id", self.terraform_link())
        target.resource("aws_route_table", self.name, {"tags": self.tags, "vpc_id": link(self.vpc)})

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_route_table", self.name, str(self.id))

    def terraform_link(self) -> Literal:
        """The table's id as other resources write it."""
        return reference("aws_route_table", self.name)


def read_route_tables(cloud: AWSCloud, vpc: VPC | None) -> list[dict[str, Any]]:
    """Every route table of the VPC, other people's too: one of our subnets may still be associated with such a one."""
    identifier = id_of(vpc)
    return [] if identifier is None else ROUTE_TABLES.where(cloud, "vpc-id", identifier)


def read_route_table(cloud: AWSCloud, table: RouteTable | None) -> dict[str, Any] | None:
    """The route table as AWS describes it; None when it does not exist yet."""
    if table is None or table.id is None:
        return None
    return ROUTE_TABLES.by_id(read_route_tables(cloud, table.vpc), table.id)
