# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The egress-only internet gateway: the way out for IPv6 of private subnets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ..cloud import from_tags, intersect_tags, tag_specifications
from ..ownership import is_owned
from ._ec2 import id_of, link, refer, require_shared, settling, update_tags
from ._task import AWSTask
from .vpc import VPC

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class EgressOnlyInternetGateway(AWSTask):
    """shared: it does not belong to the cluster and is only found, by its id or else by the (shared) VPC."""

    id: str | None = computed()
    vpc: VPC | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc"})
    # A shared gateway's id stands in other resources, so it must be found before it can be rendered.
    found_before_rendering: ClassVar[bool] = True
    cloudformation_type = "AWS::EC2::EgressOnlyInternetGateway"

    def find(self, cloud: AWSCloud) -> EgressOnlyInternetGateway | None:
        gateway = self._read(cloud)
        if gateway is None:
            return None
        return EgressOnlyInternetGateway(
            name=self.name,
            id=gateway["EgressOnlyInternetGatewayId"],
            vpc=refer(VPC, _attached(gateway)),
            shared=self.shared,
            tags=self.tags if self.shared else intersect_tags(gateway.get("Tags"), self.tags),
        )

    def _read(self, cloud: AWSCloud) -> dict[str, Any] | None:
        if self.vpc is not None and self.vpc.id is None:
            return None
        for gateway in cloud.once(_read_gateways):
            if self.vpc is None:
                matches = gateway["EgressOnlyInternetGatewayId"] == self.id
            else:
                matches = _attached(gateway) == id_of(self.vpc) and (self.shared or self._is_ours(cloud, gateway))
            if matches:
                return gateway
        return None

    def _is_ours(self, cloud: AWSCloud, gateway: dict[str, Any]) -> bool:
        tags = gateway.get("Tags")
        return is_owned(cloud, tags) and from_tags(tags).get("Name") == self.name

    def check(self, cloud: AWSCloud, actual: EgressOnlyInternetGateway | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        of = self.id if self.vpc is None else f"of the VPC {id_of(self.vpc)}"
        require_shared(self, actual, f"egress-only internet gateway {of}")

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            with settling():
                answer = cloud.client("ec2").create_egress_only_internet_gateway(
                    VpcId=id_of(self.vpc),
                    TagSpecifications=tag_specifications("egress-only-internet-gateway", self.tags),
                )
            self.id = answer["EgressOnlyInternetGateway"]["EgressOnlyInternetGatewayId"]

    def update(self, cloud: AWSCloud, actual: EgressOnlyInternetGateway, changes: dict[str, Change]) -> None:
        if not self.shared:
            update_tags(cloud, self, actual, changes)

    @property
    def existing(self) -> str | None:
        """The id of a shared one. Raises KopsError when it has not been found."""
        return str(self.terraform_link()) if self.shared else None

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {"Tags": tags(self.tags), "VpcId": target.ref(self.vpc)}

    def terraform(self, target: TerraformTarget) -> None:
        if not self.shared:
            target.resource(
                "aws_egress_only_internet_gateway", self.name, {"tags": self.tags, "vpc_id": link(self.vpc)}
            )

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_egress_only_internet_gateway", self.name, str(self.id))

    def terraform_link(self) -> Literal | str:
        """The gateway's id as other resources write it. Raises KopsError when a shared one has not been found."""
        if not self.shared:
            return reference("aws_egress_only_internet_gateway", self.name)
        if self.id is None:
            raise KopsError(f"{self.key}: the shared VPC has no egress-only internet gateway to refer to")
        return self.id


def _attached(gateway: dict[str, Any]) -> str | None:
    return next((entry["VpcId"] for entry in gateway.get("Attachments", ())), None)


def _read_gateways(cloud: AWSCloud) -> list[dict[str, Any]]:
    # EC2 filters this kind by tags only, and a shared one need not have any of ours.
    return cloud.paged("ec2", "describe_egress_only_internet_gateways", "EgressOnlyInternetGateways")
