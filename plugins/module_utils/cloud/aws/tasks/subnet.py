# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A subnet of the VPC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, function, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, Deletion, ImmutableField, TryAgainLater, computed, internal
from ..cloud import intersect_tags, tag_specifications
from ._cidr import canonical, numbered_subnet, subnet_of
from ._ec2 import SUBNETS, already_gone, given, id_of, link, refer, require_shared, settling, update_tags
from ._task import AWSTask
from .vpc import VPC, is_associated

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud
    from .vpc_amazon_ipv6_cidr_block import VPCAmazonIPv6CIDRBlock
    from .vpc_cidr_block import VPCCIDRBlock

_IPV6_BITS = 128


@dataclass(eq=False, repr=False)
class Subnet(AWSTask):
    """A subnet in one zone.

    short_name: its name in the cluster's spec, for Terraform outputs. cidr: None for an IPv6-only subnet.
    ipv6_cidr: a block, or "/64#<hexadecimal number>" of the VPC's block.
    vpccidr_block, amazon_ipv6_cidr: what must be there before the subnet can be.
    resource_based_naming: instances are named after their id (None leaves it alone).
    assign_ipv6_address_on_creation: follows from ipv6_cidr where nothing else is said.
    shared: it exists, named by id; only the cluster's tags are added to it.
    """

    short_name: str | None = internal()
    id: str | None = computed()
    vpc: VPC | None = None
    vpccidr_block: VPCCIDRBlock | None = internal()
    amazon_ipv6_cidr: VPCAmazonIPv6CIDRBlock | None = internal()
    availability_zone: str | None = None
    cidr: str | None = None
    ipv6_cidr: str | None = None
    resource_based_naming: bool | None = None
    assign_ipv6_address_on_creation: bool | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc", "availability_zone", "cidr"})
    cloudformation_type = "AWS::EC2::Subnet"

    def prepare(self, cloud: AWSCloud) -> None:
        if not self.shared and self.assign_ipv6_address_on_creation is None:
            self.assign_ipv6_address_on_creation = self.ipv6_cidr is not None

    def find(self, cloud: AWSCloud) -> Subnet | None:
        subnet = self._read(cloud)
        if subnet is None:
            return None
        block = next(iter(_ipv6_blocks(subnet)), None)
        return Subnet(
            name=self.name,
            id=subnet["SubnetId"],
            vpc=refer(VPC, subnet["VpcId"]),
            availability_zone=subnet["AvailabilityZone"],
            cidr=self._as_wanted(self.cidr, subnet.get("CidrBlock")),
            ipv6_cidr=self._as_wanted(self.ipv6_cidr, block["Ipv6CidrBlock"] if block else None),
            resource_based_naming=self.resource_based_naming if self.shared else _names_by_resource(subnet),
            assign_ipv6_address_on_creation=subnet.get("AssignIpv6AddressOnCreation"),
            shared=self.shared,
            tags=intersect_tags(subnet.get("Tags"), self.tags),
        )

    def _read(self, cloud: AWSCloud) -> dict[str, Any] | None:
        if self.vpc is None or self.vpc.id is None:
            return None
        subnets = SUBNETS.where(cloud, "vpc-id", self.vpc.id)
        if self.shared:
            return SUBNETS.by_id(subnets, self.id)
        if self.tags:
            return SUBNETS.owned(cloud, self, subnets)
        # Tagging of subnets can be switched off in the spec; then its block is all that tells which one it is.
        cidr = canonical(self.cidr)
        return next((subnet for subnet in subnets if cidr and subnet.get("CidrBlock") == cidr), None)

    def _as_wanted(self, wanted: str | None, have: str | None) -> str | None:
        """A block that means the same as what is wanted, in the spelling that is wanted."""
        parent = self.vpc.ipv6_cidr if self.vpc else None
        if wanted is None or have is None or (wanted.startswith("/") and parent is None):
            return have
        meant = subnet_of(parent, wanted) if wanted.startswith("/") and parent else canonical(wanted)
        return wanted if meant == canonical(have) else have

    def check(self, cloud: AWSCloud, actual: Subnet | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_shared(self, actual, f"subnet {self.id} of the VPC {id_of(self.vpc)}")
        if actual is None and not (self.cidr or self.ipv6_cidr):
            raise KopsError(f"{self.key}: a subnet needs a CIDR or an IPv6 CIDR")
        if actual is not None and "ipv6_cidr" in changes:
            if actual.ipv6_cidr is not None:
                raise ImmutableField(
                    f"{self.key} has the IPv6 block {actual.ipv6_cidr} and cannot change to {self.ipv6_cidr}"
                )
            if self.shared:
                raise KopsError(
                    f"{self.key}: the shared subnet {self.id} has no IPv6 block, and {self.ipv6_cidr} is asked for"
                )

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            with settling():
                answer = cloud.client("ec2").create_subnet(
                    **given(
                        VpcId=id_of(self.vpc),
                        AvailabilityZone=self.availability_zone,
                        CidrBlock=self.cidr,
                        Ipv6CidrBlock=self._ipv6_block(),
                        Ipv6Native=None if self.cidr else True,
                    ),
                    TagSpecifications=tag_specifications("subnet", self.tags),
                )
            self.id = answer["Subnet"]["SubnetId"]
        with settling():
            if self.assign_ipv6_address_on_creation:
                self._modify(cloud, AssignIpv6AddressOnCreation={"Value": True})
            if self.resource_based_naming:
                self._set_naming(cloud, True)

    def update(self, cloud: AWSCloud, actual: Subnet, changes: dict[str, Change]) -> None:
        if not self.shared:
            if "ipv6_cidr" in changes:
                cloud.client("ec2").associate_subnet_cidr_block(SubnetId=self.id, Ipv6CidrBlock=self._ipv6_block())
            if "assign_ipv6_address_on_creation" in changes:
                value = bool(self.assign_ipv6_address_on_creation)
                self._modify(cloud, AssignIpv6AddressOnCreation={"Value": value})
            if "resource_based_naming" in changes:
                self._set_naming(cloud, bool(self.resource_based_naming))
        update_tags(cloud, self, actual, changes)

    def _ipv6_block(self) -> str | None:
        if self.ipv6_cidr is None:
            return None
        parent = self.vpc.ipv6_cidr if self.vpc else None
        if parent is None and self.ipv6_cidr.startswith("/"):
            raise TryAgainLater(f"{self.key}: the VPC has no IPv6 block yet")
        return subnet_of(parent or "", self.ipv6_cidr)

    def _set_naming(self, cloud: AWSCloud, by_resource: bool) -> None:
        # The records come last: _names_by_resource takes them as the sign that all of this was done.
        self._modify(cloud, PrivateDnsHostnameTypeOnLaunch=_hostname_type(by_resource))
        if not self.cidr:
            self._modify(cloud, EnableDns64={"Value": True})
        if self.ipv6_cidr:
            self._modify(cloud, EnableResourceNameDnsAAAARecordOnLaunch={"Value": by_resource})
        if self.cidr:
            self._modify(cloud, EnableResourceNameDnsARecordOnLaunch={"Value": by_resource})

    def _modify(self, cloud: AWSCloud, **attribute: Any) -> None:
        # EC2 takes one attribute in one call.
        cloud.client("ec2").modify_subnet_attribute(SubnetId=self.id, **attribute)

    def deletions(self, cloud: AWSCloud, actual: Subnet | None) -> list[Deletion]:
        subnet = None if self.shared else self._read(cloud)
        if subnet is None:
            return []
        return [
            Deletion(
                task=self.key,
                kind="SubnetIPv6CIDRBlock",
                item=f"{subnet['VpcId']}: ipv6cidr={block['Ipv6CidrBlock']}",
                run=partial(_disassociate, cloud, block["AssociationId"]),
            )
            for block in _ipv6_blocks(subnet)
            if self._as_wanted(self.ipv6_cidr, block["Ipv6CidrBlock"]) != self.ipv6_cidr
        ]

    def cloudformation(self, target: CloudFormationTarget) -> None:
        if self.shared:
            return
        before = [each for each in (self.vpccidr_block, self.amazon_ipv6_cidr) if each is not None]
        after = [target.id_of(each) for each in before]
        target.resource(self, self.cloudformation_type, self.resource_properties(target), after=after)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        naming = self.resource_based_naming
        names = given(
            EnableResourceNameDnsARecord=naming if self.cidr else None,
            EnableResourceNameDnsAAAARecord=naming if self.ipv6_cidr else None,
            HostnameType=None if naming is None else _hostname_type(naming),
        )
        return {
            "AssignIpv6AddressOnCreation": True if self.ipv6_cidr else None,
            "AvailabilityZone": self.availability_zone,
            "CidrBlock": self.cidr,
            "EnableDns64": None if self.cidr else True,
            "Ipv6CidrBlock": self._ipv6_in_template(target),
            "Ipv6Native": None if self.cidr else True,
            "PrivateDnsNameOptionsOnLaunch": names or None,
            "Tags": tags(self.tags),
            "VpcId": target.ref(self.vpc),
        }

    def _ipv6_in_template(self, target: CloudFormationTarget) -> Any:
        """Its block: a part of the one that AWS gives the VPC. Raises KopsError where no template can say it."""
        if self.ipv6_cidr is None or not self.ipv6_cidr.startswith("/"):
            return self.ipv6_cidr
        if self.vpc is not None and self.vpc.shared:
            if self.vpc.ipv6_cidr is None:
                raise KopsError(f"{self.key}: the IPv6 block of the shared VPC {self.vpc.id} is not known")
            return subnet_of(self.vpc.ipv6_cidr, self.ipv6_cidr)
        length, number = numbered_subnet(self.ipv6_cidr)
        block = {"Fn::Select": [0, target.attribute(self.vpc, "Ipv6CidrBlocks")]}
        return {"Fn::Select": [number, {"Fn::Cidr": [block, number + 1, _IPV6_BITS - length]}]}

    def terraform(self, target: TerraformTarget) -> None:
        if self.short_name:
            target.output(f"subnet_{self.short_name}_id", self.terraform_link())
        if self.shared:
            target.output_list("subnet_ids", Literal(f'"{self.id}"'))
            return
        naming = self.resource_based_naming
        target.resource(
            "aws_subnet",
            self.name,
            {
                "assign_ipv6_address_on_creation": True if self.ipv6_cidr else None,
                "availability_zone": self.availability_zone,
                "cidr_block": self.cidr,
                "enable_dns64": None if self.cidr else True,
                "enable_resource_name_dns_a_record_on_launch": naming if self.cidr else None,
                "enable_resource_name_dns_aaaa_record_on_launch": naming if self.ipv6_cidr else None,
                "ipv6_cidr_block": _terraform_ipv6(self.ipv6_cidr),
                "ipv6_native": None if self.cidr else True,
                "private_dns_hostname_type_on_launch": None if naming is None else _hostname_type(naming),
                "tags": self.tags,
                "vpc_id": link(self.vpc),
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_subnet", self.name, str(self.id))

    def terraform_link(self) -> Literal | str:
        """The subnet's id as other resources write it."""
        return str(self.id) if self.shared else reference("aws_subnet", self.name)


def _hostname_type(by_resource: bool) -> str:
    return "resource-name" if by_resource else "ip-name"


def _terraform_ipv6(cidr: str | None) -> Literal | str | None:
    if cidr is None or not cidr.startswith("/"):
        return cidr
    length, number = numbered_subnet(cidr)
    new_bits = Literal(f"{length} - local.vpc_ipv6_cidr_length")
    return function("cidrsubnet", Literal("local.vpc_ipv6_cidr_block"), new_bits, number)


def _ipv6_blocks(subnet: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        block for block in subnet.get("Ipv6CidrBlockAssociationSet", ()) if is_associated(block["Ipv6CidrBlockState"])
    ]


def _names_by_resource(subnet: dict[str, Any]) -> bool:
    options = subnet.get("PrivateDnsNameOptionsOnLaunch", {})
    if subnet.get("CidrBlock"):
        return bool(options.get("EnableResourceNameDnsARecord"))
    return bool(options.get("EnableResourceNameDnsAAAARecord") and subnet.get("EnableDns64"))


def _disassociate(cloud: AWSCloud, association: str) -> None:
    with already_gone():
        cloud.client("ec2").disassociate_subnet_cidr_block(AssociationId=association)
