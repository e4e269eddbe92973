# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: a target group, the instances that a load balancer forwards to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Block, Literal, expression, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, Deletion, computed, internal
from ..cloud import AWSCloud, intersect_tags, to_tags
from ..elb import (
    REVISION_TAG,
    Tagged,
    describe_target_groups,
    latest,
    read_network,
    revision_name,
    write_tags,
)
from ..errors import error_code
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from .network_load_balancer import NetworkLoadBalancer

from .vpc import VPC

CONNECTION_TERMINATION = "deregistration_delay.connection_termination.enabled"
DEREGISTRATION_DELAY = "deregistration_delay.timeout_seconds"
# Whether targets see the addresses of clients, or those of the load balancer.
PRESERVE_CLIENT_IP = "preserve_client_ip.enabled"
# What AWS has where nothing was set: for targets that are instances, behind TCP.
_DEFAULTS = {PRESERVE_CLIENT_IP: "true"}
# What counts as healthy for HTTP checks: what AWS itself takes when a network load balancer's group is created.
HEALTHY_CODES = "200-399"
HEALTH_FIELDS = frozenset({"healthy_threshold", "unhealthy_threshold", "health_check_protocol", "health_check_path"})


def describe_attributes(cloud: AWSCloud, arn: str) -> dict[str, str]:
    """The attributes of a target group (AWS answers for one at a time)."""
    answer = cloud.client("elbv2").describe_target_group_attributes(TargetGroupArn=arn)
    return {found["Key"]: found.get("Value", "") for found in answer["Attributes"]}


@dataclass(eq=False, repr=False)
class TargetGroup(AWSTask):
    """A target group; its task name is its AWS name (at most 32 characters) and its tag Name.

    arn: given for a shared one. attributes: AWS' attribute keys. interval: seconds between health checks; it counts
    at creation only. network_load_balancer: a group belongs to one load balancer, so that each revision of that
    load balancer gets a group of its own.
    """

    vpc: VPC | None = None
    tags: dict[str, str] | None = None
    port: int | None = None
    protocol: str | None = None
    arn: str | None = computed()
    shared: bool | None = internal()
    attributes: dict[str, str] | None = None
    interval: int | None = None
    healthy_threshold: int | None = None
    unhealthy_threshold: int | None = None
    health_check_protocol: str | None = None
    health_check_path: str | None = None
    network_load_balancer: NetworkLoadBalancer | None = internal()

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc", "port", "protocol"})
    cloudformation_type = "AWS::ElasticLoadBalancingV2::TargetGroup"

    @property
    def _revision(self) -> str:
        return self.network_load_balancer.revision if self.network_load_balancer else ""

    def _candidates(self, cloud: AWSCloud) -> list[Tagged]:
        if self.vpc is None or not self.vpc.id:
            return []
        return [
            found
            for found in cloud.once(read_network, self.vpc.id).target_groups
            # A group of an old kops may have no tag Name.
            if self.name in (found.tags.get("Name"), found.description["TargetGroupName"])
        ]

    def find(self, cloud: AWSCloud) -> TargetGroup | None:
        if self.shared:
            known = {found["TargetGroupArn"] for found in cloud.once(describe_target_groups)}
            return dataclasses.replace(self) if self.arn in known else None
        found = latest(self._candidates(cloud))
        if found is None or found.revision != self._revision:
            return None
        about = found.description
        attributes = {**_DEFAULTS, **describe_attributes(cloud, found.arn)} if self.attributes else {}
        return dataclasses.replace(
            self,
            arn=found.arn,
            vpc=VPC(name=about["VpcId"], id=about["VpcId"]),
            port=about.get("Port"),
            protocol=about.get("Protocol"),
            tags=intersect_tags(to_tags(found.plain_tags), self.tags),
            attributes={key: attributes[key] for key in self.attributes or {} if key in attributes},
            healthy_threshold=about.get("HealthyThresholdCount"),
            unhealthy_threshold=about.get("UnhealthyThresholdCount"),
            health_check_protocol=about.get("HealthCheckProtocol"),
            health_check_path=about.get("HealthCheckPath"),
        )

    def check(self, cloud: AWSCloud, actual: TargetGroup | None, changes: dict[str, Change]) -> None:
        if self.shared and actual is None:
            raise KopsError(f"the target group {self.arn} that the specification names does not exist")
        super().check(cloud, actual, changes)

    def create(self, cloud: AWSCloud) -> None:
        if self.arn is None:
            self.arn = self._create_group(cloud)
        self._write_attributes(cloud)

    def _create_group(self, cloud: AWSCloud) -> str:
        tags, name = dict(self.tags or {}), self.name
        if self._revision:
            tags[REVISION_TAG] = self._revision
            name = revision_name(self.name + self._revision)
        request: dict[str, Any] = {
            "Name": name,
            "Port": self.port,
            "Protocol": self.protocol,
            "VpcId": self.vpc.id if self.vpc else None,
            "HealthCheckIntervalSeconds": self.interval,
            "HealthyThresholdCount": self.healthy_threshold,
            "UnhealthyThresholdCount": self.unhealthy_threshold,
            "HealthCheckProtocol": self.health_check_protocol,
            "HealthCheckPath": self.health_check_path,
            "Tags": to_tags(tags),
        }
        given = {key: value for key, value in request.items() if value is not None}
        return str(cloud.client("elbv2").create_target_group(**given)["TargetGroups"][0]["TargetGroupArn"])

    def _write_attributes(self, cloud: AWSCloud) -> None:
        if self.attributes:
            cloud.client("elbv2").modify_target_group_attributes(
                TargetGroupArn=self.arn, Attributes=to_tags(self.attributes)
            )

    def update(self, cloud: AWSCloud, actual: TargetGroup, changes: dict[str, Change]) -> None:
        if "tags" in changes:
            write_tags(cloud, str(self.arn), actual.tags, self.tags)
        if "attributes" in changes:
            self._write_attributes(cloud)
        if changes.keys() & HEALTH_FIELDS:
            cloud.client("elbv2").modify_target_group(**self._health_check())

    def _health_check(self) -> dict[str, Any]:
        request: dict[str, Any] = {
            "TargetGroupArn": self.arn,
            "HealthCheckProtocol": self.health_check_protocol,
            "HealthyThresholdCount": self.healthy_threshold,
            "UnhealthyThresholdCount": self.unhealthy_threshold,
        }
        if self.health_check_protocol in ("HTTP", "HTTPS"):
            request["HealthCheckPath"] = self.health_check_path
            request["Matcher"] = {"HttpCode": HEALTHY_CODES}
        return {key: value for key, value in request.items() if value is not None}

    def deletions(self, cloud: AWSCloud, actual: TargetGroup | None) -> list[Deletion]:
        kept = actual.arn if actual else None
        return [
            Deletion(self.key, "target-group", found.arn, partial(_delete, cloud, found.arn), deferred=True)
            for found in self._candidates(cloud)
            if not self.shared and found.arn != kept
        ]

    @property
    def existing(self) -> str | None:
        """The ARN of a shared one."""
        return str(self.arn) if self.shared else None

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "HealthCheckIntervalSeconds": self.interval,
            "HealthCheckPath": self.health_check_path,
            "HealthCheckProtocol": self.health_check_protocol,
            "HealthyThresholdCount": self.healthy_threshold,
            "Name": self.name,
            "Port": self.port,
            "Protocol": self.protocol,
            "Tags": tags(self.tags),
            "TargetGroupAttributes": tags(self.attributes),
            "UnhealthyThresholdCount": self.unhealthy_threshold,
            "VpcId": target.ref(self.vpc),
        }

    def terraform_link(self) -> Literal:
        """The group's ARN as a Terraform expression."""
        if self.shared:
            return Literal(expression(self.arn))
        return reference("aws_lb_target_group", self.name)

    def terraform(self, target: TerraformTarget) -> None:
        if self.shared:
            return
        if self.vpc is None:
            raise KopsError(f"{self.key} has no network")
        attributes = self.attributes or {}
        target.resource(
            "aws_lb_target_group",
            self.name,
            {
                "connection_termination": attributes.get(CONNECTION_TERMINATION, ""),
                "deregistration_delay": attributes.get(DEREGISTRATION_DELAY, ""),
                "health_check": Block(
                    healthy_threshold=self.healthy_threshold,
                    interval=self.interval,
                    path=self.health_check_path,
                    protocol=self.health_check_protocol,
                    unhealthy_threshold=self.unhealthy_threshold,
                ),
                "name": self.name,
                "port": self.port,
                "protocol": self.protocol,
                "tags": self.tags,
                "vpc_id": self.vpc.terraform_link(),
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_lb_target_group", self.name, str(self.arn))


def _delete(cloud: AWSCloud, arn: str) -> None:
    try:
        cloud.client("elbv2").delete_target_group(TargetGroupArn=arn)
    except Exception as error:
        if error_code(error) != "TargetGroupNotFound":
            raise
