# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DNS record that points at a load balancer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ....base.errors import KopsError
from ....engine.targets.cloudformation import Resource
from ....engine.targets.hcl import Block, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, TryAgainLater
from ._ec2 import link
from ._task import AWSTask
from .dns_zone import DNSZone

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


class AliasTarget(Resource, Protocol):
    """A load balancer that a record can be an alias of."""

    @property
    def dns_name(self) -> str | None:
        """Host name of the load balancer; None while there is none."""

    @property
    def hosted_zone_id(self) -> str | None:
        """The zone of that name, as AWS has it."""


@dataclass(eq=False, repr=False)
class DNSName(AWSTask):
    """One record set of a zone.

    resource_name: the DNS name. resource_type: A or AAAA.
    target_load_balancer: the record is an alias of it; text is what a record that exists leads to instead.
    """

    zone: DNSZone | None = None
    resource_name: str | None = None
    resource_type: str | None = None
    target_load_balancer: AliasTarget | str | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"zone", "resource_name", "resource_type"})
    cloudformation_type = "AWS::Route53::RecordSet"

    def find(self, cloud: AWSCloud) -> DNSName | None:
        if self.zone is None or self.zone.zone_id is None:
            return None
        record = find_record(cloud, self.zone.zone_id, self.resource_name, self.resource_type)
        if record is None:
            return None
        return DNSName(
            name=self.name,
            zone=self.zone,
            resource_name=self.resource_name,
            resource_type=self.resource_type,
            target_load_balancer=self._target(record),
        )

    def _target(self, record: dict[str, Any]) -> AliasTarget | str | None:
        """The wanted load balancer where the record leads to it, else what the record says, as text."""
        alias = _plain(record.get("AliasTarget", {}).get("DNSName"))
        wanted = _plain(getattr(self.target_load_balancer, "dns_name", None))
        if alias and alias in (wanted, f"dualstack.{wanted}"):
            return self.target_load_balancer
        return alias or ",".join(value["Value"] for value in record.get("ResourceRecords", ())) or None

    def check(self, cloud: AWSCloud, actual: DNSName | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        missing = [
            name
            for name in ("zone", "resource_name", "resource_type", "target_load_balancer")
            if not getattr(self, name)
        ]
        if missing:
            raise KopsError(f"{self.key}: a DNS record needs {', '.join(missing)}")

    def create(self, cloud: AWSCloud) -> None:
        balancer = self.target_load_balancer
        if self.zone is None or balancer is None or isinstance(balancer, str) or not balancer.dns_name:
            raise TryAgainLater(f"{self.key}: the load balancer has no DNS name yet")
        record = {
            "Name": self.resource_name,
            "Type": self.resource_type,
            "AliasTarget": {
                "DNSName": balancer.dns_name,
                "HostedZoneId": balancer.hosted_zone_id,
                "EvaluateTargetHealth": False,
            },
        }
        cloud.client("route53").change_resource_record_sets(
            HostedZoneId=self.zone.zone_id,
            ChangeBatch={"Changes": [{"Action": "UPSERT", "ResourceRecordSet": record}]},
        )

    def update(self, cloud: AWSCloud, actual: DNSName, changes: dict[str, Change]) -> None:
        self.create(cloud)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        balancer = self.target_load_balancer
        alias = None
        if balancer is not None and not isinstance(balancer, str):
            alias = {
                "DNSName": target.attribute(balancer, "DNSName"),
                "EvaluateTargetHealth": False,
                "HostedZoneId": target.attribute(balancer, "CanonicalHostedZoneID"),
            }
        return {
            "AliasTarget": alias,
            "HostedZoneId": target.ref(self.zone),
            "Name": self.resource_name,
            "Type": self.resource_type,
        }

    def terraform(self, target: TerraformTarget) -> None:
        balancer = self.target_load_balancer
        alias = None
        if balancer is not None and not isinstance(balancer, str):
            alias = Block(
                evaluate_target_health=False,
                name=reference("aws_lb", balancer.name, "dns_name"),
                zone_id=reference("aws_lb", balancer.name, "zone_id"),
            )
        target.resource(
            "aws_route53_record",
            self.name,
            {"alias": alias, "name": self.resource_name, "type": self.resource_type, "zone_id": link(self.zone)},
        )

    def terraform_imports(self) -> Iterator[Import]:
        zone = self.needed(self.zone, "names no zone").existing
        yield Import("aws_route53_record", self.name, f"{zone}_{self.resource_name}_{self.resource_type}")


def _plain(name: str | None) -> str:
    return (name or "").rstrip(".").lower()


def find_record(cloud: AWSCloud, zone_id: str, name: str | None, record_type: str | None) -> dict[str, Any] | None:
    """The record set of that name and type in a zone."""
    for record in cloud.once(read_records, zone_id):
        if record["Type"] == record_type and _plain(record["Name"]) == _plain(name):
            return record
    return None


def read_records(cloud: AWSCloud, zone_id: str) -> list[dict[str, Any]]:
    """Every record set of a zone."""
    return cloud.paged("route53", "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=zone_id)
