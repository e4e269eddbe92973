# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The internet gateway of the VPC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, ImmutableField, computed
from ..cloud import intersect_tags, tag_specifications
from ._ec2 import GATEWAY_ATTACHMENT, INTERNET_GATEWAYS, id_of, link, refer, require_shared, settling, update_tags
from ._task import AWSTask
from .vpc import VPC

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class InternetGateway(AWSTask):
    """A VPC's way to and from the internet.

    shared: it does not belong to the cluster and is only found, by its id or else by the shared VPC of the cluster.
    """

    id: str | None = computed()
    vpc: VPC | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None

    # A shared gateway's id stands in other resources, so it must be found before it can be rendered.
    found_before_rendering: ClassVar[bool] = True
    cloudformation_type = "AWS::EC2::InternetGateway"

    def prepare(self, cloud: AWSCloud) -> None:
        if self.shared:
            INTERNET_GATEWAYS.want(cloud, self.id)

    def find(self, cloud: AWSCloud) -> InternetGateway | None:
        gateway = self._read(cloud)
        if gateway is None:
            return None
        attached = next((entry["VpcId"] for entry in gateway.get("Attachments", ())), None)
        return InternetGateway(
            name=self.name,
            id=gateway["InternetGatewayId"],
            vpc=refer(VPC, attached),
            shared=self.shared,
            tags=self.tags if self.shared else intersect_tags(gateway.get("Tags"), self.tags),
        )

    def _read(self, cloud: AWSCloud) -> dict[str, Any] | None:
        if self.shared and self.vpc is None:
            return INTERNET_GATEWAYS.by_id(INTERNET_GATEWAYS.wanted(cloud), self.id)
        if id_of(self.vpc) is None:
            return None
        if self.shared:
            attached = INTERNET_GATEWAYS.where(cloud, "attachment.vpc-id", str(id_of(self.vpc)))
            return next(iter(attached), None)
        return INTERNET_GATEWAYS.owned(cloud, self)

    def check(self, cloud: AWSCloud, actual: InternetGateway | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        where = f"internet gateway {self.id}" if self.vpc is None else f"internet gateway of the VPC {id_of(self.vpc)}"
        require_shared(self, actual, where)
        if actual is not None and "vpc" in changes and actual.vpc is not None:
            raise ImmutableField(
                f"{self.key} is attached to the VPC {id_of(actual.vpc)} and will not be moved to {id_of(self.vpc)}"
            )

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            answer = cloud.client("ec2").create_internet_gateway(
                TagSpecifications=tag_specifications("internet-gateway", self.tags)
            )
            self.id = answer["InternetGateway"]["InternetGatewayId"]
        self._attach(cloud)

    def update(self, cloud: AWSCloud, actual: InternetGateway, changes: dict[str, Change]) -> None:
        if self.shared:
            return
        if "vpc" in changes:
            self._attach(cloud)
        update_tags(cloud, self, actual, changes)

    def _attach(self, cloud: AWSCloud) -> None:
        with settling():
            cloud.client("ec2").attach_internet_gateway(InternetGatewayId=self.id, VpcId=id_of(self.vpc))

    @property
    def existing(self) -> str | None:
        """The id of a shared one. Raises KopsError when it has not been found."""
        return str(self.terraform_link()) if self.shared else None

    def cloudformation(self, target: CloudFormationTarget) -> None:
        super().cloudformation(target)
        if not self.shared:
            ends = {"InternetGatewayId": target.ref(self), "VpcId": target.ref(self.vpc)}
            target.resource(self, GATEWAY_ATTACHMENT, ends, part="Attachment")

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {"Tags": tags(self.tags)}

    def terraform(self, target: TerraformTarget) -> None:
        if not self.shared:
            target.resource("aws_internet_gateway", self.name, {"tags": self.tags, "vpc_id": link(self.vpc)})

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_internet_gateway", self.name, str(self.id))

    def terraform_link(self) -> Literal | str:
        """The gateway's id as other resources write it. Raises KopsError when a shared one has not been found."""
        if not self.shared:
            return reference("aws_internet_gateway", self.name)
        if self.id is None:
            raise KopsError(f"{self.key}: the shared VPC has no internet gateway to refer to")
        return self.id
