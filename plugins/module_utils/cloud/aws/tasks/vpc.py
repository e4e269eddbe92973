# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VPC: the cluster's own, or one that exists and is only verified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, data_reference, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, Deletion, computed, internal
from ..cloud import intersect_tags, tag_specifications
from ._ec2 import VPCS, already_gone, id_of, require_shared, settling, update_tags
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud

IPV6_LENGTH = 'local.vpc_ipv6_cidr_block == "" ? null : tonumber(regex(".*/(\\\\d+)", local.vpc_ipv6_cidr_block)[0])'
ASSOCIATION_GONE = ("disassociating", "disassociated", "failing", "failed")


@dataclass(eq=False, repr=False)
class VPC(AWSTask):
    """A virtual network.

    id: given for a shared VPC. cidr: the primary IPv4 block. ipv6_cidr: Amazon's, once it is assigned.
    amazon_ipv6: Terraform only; otherwise the task VPCAmazonIPv6CIDRBlock asks for the block.
    associate_extra_cidr_blocks: further IPv4 blocks that may stay (VPCCIDRBlock tasks make them); others are removed.
    """

    id: str | None = computed()
    cidr: str | None = None
    amazon_ipv6: bool | None = internal()
    ipv6_cidr: str | None = computed()
    enable_dns_hostnames: bool | None = None
    enable_dns_support: bool | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None
    associate_extra_cidr_blocks: list[str] | None = internal()

    immutable: ClassVar[frozenset[str]] = frozenset({"cidr"})
    cloudformation_type = "AWS::EC2::VPC"

    def prepare(self, cloud: AWSCloud) -> None:
        if self.shared:
            VPCS.want(cloud, self.id)

    def find(self, cloud: AWSCloud) -> VPC | None:
        vpc = read_vpc(cloud, self.id) if self.shared else VPCS.owned(cloud, self)
        if vpc is None:
            return None
        return VPC(
            name=self.name,
            id=vpc["VpcId"],
            cidr=vpc["CidrBlock"],
            ipv6_cidr=ipv6_cidr(vpc),
            enable_dns_hostnames=self._attribute(cloud, vpc, "enableDnsHostnames", self.enable_dns_hostnames),
            enable_dns_support=self._attribute(cloud, vpc, "enableDnsSupport", self.enable_dns_support),
            shared=self.shared,
            tags=intersect_tags(vpc.get("Tags"), self.tags),
        )

    @staticmethod
    def _attribute(cloud: AWSCloud, vpc: dict[str, Any], name: str, wanted: bool | None) -> bool | None:
        return None if wanted is None else cloud.once(_read_attribute, vpc["VpcId"], name)

    def check(self, cloud: AWSCloud, actual: VPC | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_shared(self, actual, f"VPC {self.id}")
        if actual is None and not self.cidr:
            raise KopsError(f"{self.key}: a VPC needs a CIDR")
        if self.shared and "enable_dns_support" in changes:
            raise KopsError(
                f"{self.key}: the shared VPC {self.id} must have DNS support (enableDnsSupport) switched on"
            )

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            answer = cloud.client("ec2").create_vpc(
                CidrBlock=self.cidr, TagSpecifications=tag_specifications("vpc", self.tags)
            )
            self.id = answer["Vpc"]["VpcId"]
        with settling():
            # A new VPC has DNS support, and no DNS host names.
            if self.enable_dns_support is False:
                self._modify(cloud, "EnableDnsSupport", False)
            if self.enable_dns_hostnames:
                self._modify(cloud, "EnableDnsHostnames", True)

    def update(self, cloud: AWSCloud, actual: VPC, changes: dict[str, Change]) -> None:
        if self.shared:
            return
        # Host names need support, so support comes first.
        if "enable_dns_support" in changes:
            self._modify(cloud, "EnableDnsSupport", bool(self.enable_dns_support))
        if "enable_dns_hostnames" in changes:
            self._modify(cloud, "EnableDnsHostnames", bool(self.enable_dns_hostnames))
        update_tags(cloud, self, actual, changes)

    def _modify(self, cloud: AWSCloud, attribute: str, value: bool) -> None:
        cloud.client("ec2").modify_vpc_attribute(VpcId=self.id, **{attribute: {"Value": value}})

    def deletions(self, cloud: AWSCloud, actual: VPC | None) -> list[Deletion]:
        vpc = read_vpc(cloud, id_of(actual)) if not self.shared else None
        if vpc is None:
            return []
        keep = {vpc["CidrBlock"], *(self.associate_extra_cidr_blocks or ())}
        return [
            Deletion(
                task=self.key,
                kind="VPCCIDRBlock",
                item=f"{vpc['VpcId']}: cidr={block['CidrBlock']}",
                run=partial(_disassociate, cloud, block["AssociationId"]),
            )
            for block in vpc.get("CidrBlockAssociationSet", ())
            if block["CidrBlock"] not in keep and block["CidrBlockState"]["State"] == "associated"
        ]

    def cloudformation(self, target: CloudFormationTarget) -> None:
        super().cloudformation(target)
        target.output("VpcId", target.ref(self), "The VPC")

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "CidrBlock": self.cidr,
            "EnableDnsHostnames": self.enable_dns_hostnames,
            "EnableDnsSupport": self.enable_dns_support,
            "Tags": tags(self.tags),
        }

    def terraform(self, target: TerraformTarget) -> None:
        target.output("vpc_id", self.terraform_link())
        target.output("vpc_ipv6_cidr_length", Literal(IPV6_LENGTH))
        link = data_reference if self.shared else reference
        target.output("vpc_cidr_block", link("aws_vpc", self.name, "cidr_block"))
        target.output("vpc_ipv6_cidr_block", link("aws_vpc", self.name, "ipv6_cidr_block"))
        if self.shared:
            target.data("aws_vpc", self.name, {"id": self.id})
            return
        target.resource(
            "aws_vpc",
            self.name,
            {
                "assign_generated_ipv6_cidr_block": self.amazon_ipv6,
                "cidr_block": self.cidr,
                "enable_dns_hostnames": self.enable_dns_hostnames,
                "enable_dns_support": self.enable_dns_support,
                "tags": self.tags,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_vpc", self.name, str(self.id))

    def terraform_link(self) -> Literal | str:
        """The VPC's id as other resources write it."""
        return str(self.id) if self.shared else reference("aws_vpc", self.name)


def read_vpc(cloud: AWSCloud, identifier: str | None) -> dict[str, Any] | None:
    """The cluster's VPC as AWS describes it; a shared one was announced by prepare()."""
    return VPCS.by_id(VPCS.wanted(cloud) or VPCS.tagged(cloud), identifier) if identifier else None


def is_associated(state: dict[str, Any]) -> bool:
    """Whether an address block is, or is about to be, part of the VPC or subnet: by its state as EC2 writes it."""
    return state.get("State") not in ASSOCIATION_GONE


def ipv6_association(vpc: dict[str, Any]) -> dict[str, Any] | None:
    """The IPv6 block that the cluster's subnets are cut from: Amazon's, else the first one of the VPC."""
    present = [
        block for block in vpc.get("Ipv6CidrBlockAssociationSet", ()) if is_associated(block["Ipv6CidrBlockState"])
    ]
    return next((block for block in present if block.get("Ipv6Pool") == "Amazon"), next(iter(present), None))


def ipv6_cidr(vpc: dict[str, Any]) -> str | None:
    """The VPC's IPv6 block once AWS has assigned it: the address is only there in state "associated"."""
    block = ipv6_association(vpc)
    usable = block is not None and block["Ipv6CidrBlockState"]["State"] == "associated"
    return block["Ipv6CidrBlock"] if block is not None and usable else None


def _read_attribute(cloud: AWSCloud, identifier: str, name: str) -> bool:
    answer = cloud.client("ec2").describe_vpc_attribute(VpcId=identifier, Attribute=name)
    return bool(answer[name[0].upper() + name[1:]]["Value"])


def _disassociate(cloud: AWSCloud, association: str) -> None:
    with already_gone():
        cloud.client("ec2").disassociate_vpc_cidr_block(AssociationId=association)
