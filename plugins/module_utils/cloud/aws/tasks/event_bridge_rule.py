# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: an EventBridge rule, which picks the events that a cluster's queue gets."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, Deletion, computed, internal
from ..cloud import AWSCloud, from_tags, intersect_tags, missing_tags, to_tags
from ..documents import as_found
from ..errors import error_code
from ..ownership import says_owned
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from .sqs_queue import SQS


def describe_rules(cloud: AWSCloud) -> dict[str, dict[str, Any]]:
    """The rules that begin like all the announced ones (kops' begin with the cluster's name), by name."""
    prefix = os.path.commonprefix(cloud.wanted("event-rule"))
    selection = {"NamePrefix": prefix} if prefix else {}
    return {rule["Name"]: rule for rule in cloud.paged("events", "list_rules", "Rules", **selection)}


def describe_tags(cloud: AWSCloud, arn: str) -> dict[str, str]:
    """The tags of a rule (AWS answers for one at a time)."""
    return from_tags(cloud.client("events").list_tags_for_resource(ResourceARN=arn)["Tags"])


@dataclass(eq=False, repr=False)
class EventBridgeRule(AWSTask):
    """A rule; its task name is its name. event_pattern: JSON text. sqs_queue: what its target sends events to."""

    id: str | None = computed()
    event_pattern: str | None = None
    sqs_queue: SQS | None = internal()
    tags: dict[str, str] | None = None
    arn: str | None = computed()

    cloudformation_type = "AWS::Events::Rule"

    def identity(self) -> str:
        """Its name, by which AWS knows it."""
        return self.name

    def prepare(self, cloud: AWSCloud) -> None:
        cloud.want("event-rule", self.name)

    def find(self, cloud: AWSCloud) -> EventBridgeRule | None:
        rule = cloud.once(describe_rules).get(self.name)
        if rule is None:
            return None
        return dataclasses.replace(
            self,
            arn=rule["Arn"],
            event_pattern=as_found(rule.get("EventPattern", ""), self.event_pattern),
            tags=intersect_tags(to_tags(describe_tags(cloud, rule["Arn"])), self.tags),
        )

    def create(self, cloud: AWSCloud) -> None:
        answer = cloud.client("events").put_rule(
            Name=self.name, EventPattern=self.event_pattern, Tags=to_tags(self.tags)
        )
        self.arn = answer["RuleArn"]

    def update(self, cloud: AWSCloud, actual: EventBridgeRule, changes: dict[str, Change]) -> None:
        events = cloud.client("events")
        if "event_pattern" in changes:
            # AWS takes tags only when a rule is made.
            events.put_rule(Name=self.name, EventPattern=self.event_pattern)
        if "tags" in changes:
            events.tag_resource(ResourceARN=actual.arn, Tags=to_tags(missing_tags(actual.tags, self.tags)))

    def deletions(self, cloud: AWSCloud, actual: EventBridgeRule | None) -> list[Deletion]:
        """The cluster's rules that are not wanted any more; the first of the wanted ones names them all."""
        wanted = cloud.wanted("event-rule")
        if self.name != wanted[0]:
            return []
        stray = [rule for name, rule in sorted(cloud.once(describe_rules).items()) if name not in wanted]
        return [
            Deletion(self.key, "event-bridge-rule", rule["Name"], partial(_delete, cloud, rule["Name"]))
            for rule in stray
            if says_owned(cloud, describe_tags(cloud, rule["Arn"]))
        ]

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "EventPattern": json.loads(self.event_pattern or "{}"),
            "Name": self.name,
            "Tags": tags(self.tags),
        }

    def terraform_link(self) -> Literal:
        """The rule's name as a Terraform expression."""
        return reference("aws_cloudwatch_event_rule", self.name)

    def terraform(self, target: TerraformTarget) -> None:
        pattern = self.event_pattern or ""
        target.resource(
            "aws_cloudwatch_event_rule",
            self.name,
            {
                "event_pattern": target.file("aws_cloudwatch_event_rule", self.name, "event_pattern", pattern),
                "name": self.name,
                "tags": self.tags,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_cloudwatch_event_rule", self.name, self.name)


def _delete(cloud: AWSCloud, name: str) -> None:
    events = cloud.client("events")
    try:
        targets = [target["Id"] for target in cloud.paged("events", "list_targets_by_rule", "Targets", Rule=name)]
        if targets:
            events.remove_targets(Rule=name, Ids=targets)
        events.delete_rule(Name=name)
    except Exception as error:
        if error_code(error) != "ResourceNotFoundException":
            raise
