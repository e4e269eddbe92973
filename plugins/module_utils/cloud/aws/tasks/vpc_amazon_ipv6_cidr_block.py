# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The IPv6 block that Amazon gives to the VPC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.task import Change, TryAgainLater, computed
from ..ownership import cluster_tag
from ._ec2 import VPCS, forget, id_of, refer, require_shared, settling
from ._task import AWSTask
from .vpc import VPC, ipv6_association, ipv6_cidr, read_vpc

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class VPCAmazonIPv6CIDRBlock(AWSTask):
    """An IPv6 /56 of Amazon's. Done when AWS has assigned it: subnets are cut from it."""

    id: str | None = computed()
    vpc: VPC | None = None
    shared: bool | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc"})
    cloudformation_type = "AWS::EC2::VPCCidrBlock"

    def find(self, cloud: AWSCloud) -> VPCAmazonIPv6CIDRBlock | None:
        vpc = read_vpc(cloud, id_of(self.vpc))
        association = ipv6_association(vpc) if vpc is not None else None
        if vpc is None or association is None or ipv6_cidr(vpc) is None:
            return None
        return VPCAmazonIPv6CIDRBlock(
            name=self.name, id=association["AssociationId"], vpc=refer(VPC, vpc["VpcId"]), shared=self.shared
        )

    def check(self, cloud: AWSCloud, actual: VPCAmazonIPv6CIDRBlock | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_shared(self, actual, "IPv6 block of Amazon in the VPC")

    def create(self, cloud: AWSCloud) -> None:
        vpc = read_vpc(cloud, id_of(self.vpc))
        if vpc is None or ipv6_association(vpc) is None:
            with settling():
                cloud.client("ec2").associate_vpc_cidr_block(VpcId=id_of(self.vpc), AmazonProvidedIpv6CidrBlock=True)

    def wait(self, cloud: AWSCloud) -> None:
        forget(cloud, VPCS, "tag-key", cluster_tag(cloud))
        vpc = read_vpc(cloud, id_of(self.vpc))
        assigned = ipv6_cidr(vpc) if vpc else None
        if assigned is None or self.vpc is None:
            raise TryAgainLater(f"{self.key}: Amazon has not assigned the IPv6 block yet")
        self.vpc.ipv6_cidr = assigned

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "AmazonProvidedIpv6CidrBlock": True,
            "VpcId": target.ref(self.vpc),
        }

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: an argument of the aws_vpc resource asks for the block."""
