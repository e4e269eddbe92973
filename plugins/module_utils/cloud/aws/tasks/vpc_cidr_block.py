# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A further IPv4 block of the VPC."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ._ec2 import id_of, link, refer, require_shared, settling
from ._task import AWSTask
from .vpc import VPC, is_associated, read_vpc

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class VPCCIDRBlock(AWSTask):
    """An IPv4 block beside the VPC's primary one; VPC.deletions() removes what is no longer listed."""

    id: str | None = computed()
    vpc: VPC | None = None
    cidr_block: str | None = None
    shared: bool | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc", "cidr_block"})
    cloudformation_type = "AWS::EC2::VPCCidrBlock"

    def find(self, cloud: AWSCloud) -> VPCCIDRBlock | None:
        vpc = read_vpc(cloud, id_of(self.vpc))
        if vpc is None:
            return None
        for block in vpc.get("CidrBlockAssociationSet", ()):
            if block["CidrBlock"] == self.cidr_block and is_associated(block["CidrBlockState"]):
                return dataclasses.replace(self, vpc=refer(VPC, vpc["VpcId"]), id=block["AssociationId"])
        return None

    def check(self, cloud: AWSCloud, actual: VPCCIDRBlock | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_shared(self, actual, f"CIDR block {self.cidr_block} of the VPC")

    def create(self, cloud: AWSCloud) -> None:
        with settling():
            answer = cloud.client("ec2").associate_vpc_cidr_block(VpcId=id_of(self.vpc), CidrBlock=self.cidr_block)
        self.id = answer["CidrBlockAssociation"]["AssociationId"]

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "CidrBlock": self.cidr_block,
            "VpcId": target.ref(self.vpc),
        }

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "aws_vpc_ipv4_cidr_block_association",
            f"cidr-{self.name}",
            {"cidr_block": self.cidr_block, "vpc_id": link(self.vpc)},
        )

    def terraform_imports(self) -> Iterator[Import]:
        # That of a VPC that is shared stays its owner's.
        if not self.shared:
            yield Import("aws_vpc_ipv4_cidr_block_association", f"cidr-{self.name}", str(self.id))
