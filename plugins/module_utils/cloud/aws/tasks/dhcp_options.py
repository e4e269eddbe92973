# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DHCP options of the cluster's VPC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ..cloud import from_tags, intersect_tags, tag_specifications
from ._ec2 import DHCP_OPTIONS, add_tags, update_tags
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class DHCPOptions(AWSTask):
    """What instances learn by DHCP. domain_name_servers: comma-separated."""

    id: str | None = computed()
    domain_name: str | None = None
    domain_name_servers: str | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"domain_name", "domain_name_servers"})
    cloudformation_type = "AWS::EC2::DHCPOptions"

    def find(self, cloud: AWSCloud) -> DHCPOptions | None:
        options = DHCP_OPTIONS.owned(cloud, self)
        if options is None:
            return None
        values = {
            entry["Key"]: ",".join(value["Value"] for value in entry["Values"])
            for entry in options.get("DhcpConfigurations", ())
        }
        return DHCPOptions(
            name=self.name,
            id=options["DhcpOptionsId"],
            domain_name=values.get("domain-name"),
            domain_name_servers=values.get("domain-name-servers"),
            shared=self.shared,
            tags=intersect_tags(options.get("Tags"), self.tags),
        )

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            values = {
                "domain-name": [self.domain_name] if self.domain_name else [],
                "domain-name-servers": (self.domain_name_servers or "").split(",") if self.domain_name_servers else [],
            }
            answer = cloud.client("ec2").create_dhcp_options(
                DhcpConfigurations=[{"Key": key, "Values": value} for key, value in values.items() if value],
                TagSpecifications=tag_specifications("dhcp-options", self.tags),
            )
            self.id = answer["DhcpOptions"]["DhcpOptionsId"]
            # EC2's look-alikes (moto) take no tags in this call; EC2 does, and then this writes nothing.
            add_tags(cloud, str(self.id), self.tags, from_tags(answer["DhcpOptions"].get("Tags")))

    def update(self, cloud: AWSCloud, actual: DHCPOptions, changes: dict[str, Change]) -> None:
        update_tags(cloud, self, actual, changes)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "DomainName": self.domain_name,
            "DomainNameServers": self.domain_name_servers.split(",") if self.domain_name_servers else None,
            "Tags": tags(self.tags),
        }

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "aws_vpc_dhcp_options",
            self.name,
            {
                "domain_name": self.domain_name,
                "domain_name_servers": self.domain_name_servers.split(",") if self.domain_name_servers else None,
                "tags": self.tags,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_vpc_dhcp_options", self.name, str(self.id))

    def terraform_link(self) -> Literal:
        """The options' id as other resources write it."""
        return reference("aws_vpc_dhcp_options", self.name)
