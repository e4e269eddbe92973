# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""the DHCP options that a VPC uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.imports import Import
from ....engine.task import Change
from ._ec2 import id_of, link, refer, settling
from ._task import AWSTask
from .dhcp_options import DHCPOptions
from .vpc import VPC, read_vpc

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class VPCDHCPOptionsAssociation(AWSTask):
    """A VPC always uses some DHCP options, at first the region's default ones: an existing VPC is only ever updated."""

    vpc: VPC | None = None
    dhcp_options: DHCPOptions | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc"})
    cloudformation_type = "AWS::EC2::VPCDHCPOptionsAssociation"

    def find(self, cloud: AWSCloud) -> VPCDHCPOptionsAssociation | None:
        vpc = read_vpc(cloud, id_of(self.vpc))
        if vpc is None:
            return None
        return VPCDHCPOptionsAssociation(
            name=self.name,
            vpc=refer(VPC, vpc["VpcId"]),
            dhcp_options=refer(DHCPOptions, vpc.get("DhcpOptionsId")),
        )

    def create(self, cloud: AWSCloud) -> None:
        with settling():
            cloud.client("ec2").associate_dhcp_options(VpcId=id_of(self.vpc), DhcpOptionsId=id_of(self.dhcp_options))

    def update(self, cloud: AWSCloud, actual: VPCDHCPOptionsAssociation, changes: dict[str, Change]) -> None:
        self.create(cloud)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "DhcpOptionsId": target.ref(self.dhcp_options),
            "VpcId": target.ref(self.vpc),
        }

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "aws_vpc_dhcp_options_association",
            self.name,
            {"dhcp_options_id": link(self.dhcp_options), "vpc_id": link(self.vpc)},
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_vpc_dhcp_options_association", self.name, str(id_of(self.vpc)))
