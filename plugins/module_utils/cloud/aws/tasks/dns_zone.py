# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Route 53 hosted zone of the cluster's names."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal
from ....engine.task import Change, ImmutableField, computed, internal
from ._ec2 import given, id_of, link, settling
from ._task import AWSTask
from .vpc import VPC

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class DNSZone(AWSTask):
    """A hosted zone, nearly always one that exists; it is never tagged and never deleted.

    dns_name: without the trailing dot. zone_id: given instead of dns_name to name one of several zones.
    private, private_vpc: a private zone, and the VPC that must see it (added to the zone's VPCs).
    """

    dns_name: str | None = None
    zone_id: str | None = computed()
    private: bool | None = None
    private_vpc: VPC | None = None
    associated: bool = internal(False)

    immutable: ClassVar[frozenset[str]] = frozenset({"dns_name", "private"})
    # Terraform never creates the zone, so its id must be found before it can be rendered.
    found_before_rendering: ClassVar[bool] = True

    def find(self, cloud: AWSCloud) -> DNSZone | None:
        zone = self._read(cloud)
        if zone is None:
            return None
        zone_id = short_id(zone["Id"])
        if self.private_vpc is not None and self.private_vpc.id is not None:
            seen_by = cloud.once(_read_vpcs, zone_id)
            self.associated = (cloud.region, self.private_vpc.id) in seen_by
        return DNSZone(
            name=self.name,
            dns_name=zone["Name"].rstrip("."),
            zone_id=zone_id,
            private=bool(zone["Config"]["PrivateZone"]),
            private_vpc=self.private_vpc if self.associated else None,
        )

    def _read(self, cloud: AWSCloud) -> dict[str, Any] | None:
        zones = cloud.once(read_hosted_zones)
        if self.zone_id is not None:
            return next((zone for zone in zones if short_id(zone["Id"]) == short_id(self.zone_id)), None)
        found = [
            zone
            for zone in zones
            if zone["Name"].rstrip(".") == (self.dns_name or "").rstrip(".")
            and bool(zone["Config"]["PrivateZone"]) == bool(self.private)
        ]
        if len(found) > 1:
            identifiers = ", ".join(sorted(short_id(zone["Id"]) for zone in found))
            raise KopsError(
                f"several hosted zones are called {self.dns_name} ({identifiers}): name one by its id in spec.dnsZone"
            )
        return found[0] if found else None

    def check(self, cloud: AWSCloud, actual: DNSZone | None, changes: dict[str, Change]) -> None:
        wrong = sorted(self.immutable & changes.keys()) if actual is not None else []
        if "private" in wrong:
            kind = "private" if self.private else "public"
            raise ImmutableField(
                f"{self.key}: the hosted zone {self.zone_id} is not {kind}, as the cluster's DNS is to be"
            )
        super().check(cloud, actual, changes)
        if actual is None and not self.dns_name:
            raise KopsError(f"{self.key}: the account has no hosted zone {self.zone_id}")

    def create(self, cloud: AWSCloud) -> None:
        with settling():
            answer = cloud.client("route53").create_hosted_zone(
                **given(Name=self.dns_name, CallerReference=str(uuid.uuid4()), VPC=self._vpc(cloud)),
                HostedZoneConfig={"PrivateZone": bool(self.private)},
            )
        self.zone_id = short_id(answer["HostedZone"]["Id"])

    def update(self, cloud: AWSCloud, actual: DNSZone, changes: dict[str, Change]) -> None:
        if "private_vpc" in changes:
            with settling():
                cloud.client("route53").associate_vpc_with_hosted_zone(
                    HostedZoneId=actual.zone_id, VPC=self._vpc(cloud)
                )

    def _vpc(self, cloud: AWSCloud) -> dict[str, Any] | None:
        if self.private_vpc is None:
            return None
        return {"VPCRegion": cloud.region, "VPCId": id_of(self.private_vpc)}

    @property
    def existing(self) -> str:
        """Its id. Raises KopsError when it was not found."""
        if self.zone_id is None:
            raise KopsError(
                f"{self.key}: the account has no hosted zone {self.dns_name}, and no template is to create one: create"
                " the zone first"
            )
        return short_id(self.zone_id)

    def cloudformation(self, target: CloudFormationTarget) -> None:
        if self.existing and self.private_vpc is not None and not self.associated:
            target.left.append(f"associates the private hosted zone {self.existing} with the VPC")

    def terraform(self, target: TerraformTarget) -> None:
        if self.zone_id is None:
            raise KopsError(
                f"{self.key}: the account has no hosted zone {self.dns_name}, and Terraform is not to create one: "
                "create the zone first"
            )
        if self.private_vpc is not None and not self.associated:
            target.resource(
                "aws_route53_zone_association",
                self.name,
                {"vpc_id": link(self.private_vpc), "zone_id": self.terraform_link()},
            )

    def terraform_link(self) -> Literal | str:
        """The zone's id as other resources write it."""
        return f"/hostedzone/{short_id(str(self.zone_id))}"


def short_id(zone_id: str) -> str:
    """A hosted zone's id without the path that Route 53 writes before it."""
    return zone_id.rsplit("/", 1)[-1]


def read_hosted_zones(cloud: AWSCloud) -> list[dict[str, Any]]:
    """Every hosted zone of the account, as Route 53 lists them."""
    return cloud.paged("route53", "list_hosted_zones", "HostedZones")


def _read_vpcs(cloud: AWSCloud, zone_id: str) -> set[tuple[str, str]]:
    answer = cloud.client("route53").get_hosted_zone(Id=zone_id)
    return {(vpc["VPCRegion"], vpc["VPCId"]) for vpc in answer.get("VPCs", ())}
