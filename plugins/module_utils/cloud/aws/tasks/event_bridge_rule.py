# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: an EventBridge rule, which picks the events that a cluster's queue gets."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.targets.hcl import Literal, reference
from ....engine.task import Change, Task, computed, internal
from ..cloud import AWSCloud, error_code, intersect_tags, missing_tags, to_tags
from ..documents import as_found

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget
    from .sqs_queue import SQS


def describe_rules(cloud: AWSCloud, prefix: str) -> dict[str, dict[str, Any]]:
    """The rules whose names begin with a prefix, by name."""
    return {
        rule["Name"]: rule for rule in cloud.paged("events", "list_rules", "Rules", **({"NamePrefix": prefix} if prefix else {}))
    }


@dataclass(eq=False)
class EventBridgeRule(Task):
    """A rule; its task name is its name. event_pattern: JSON text; None means that there shall be no such rule."""

    id: str | None = computed()
    event_pattern: str | None = None
    sqs_queue: SQS | None = internal()
    tags: dict[str, str] | None = None
    arn: str | None = computed()

    def identity(self) -> str:
        """Its name, by which AWS knows it."""
        return self.name

    def prepare(self, cloud: AWSCloud) -> None:
        cloud.want("event-rule", self.name)

    def _existing(self, cloud: AWSCloud) -> dict[str, Any] | None:
        prefix = os.path.commonprefix(cloud.wanted("event-rule"))
        return cloud.once(describe_rules, prefix).get(self.name)

    def find(self, cloud: AWSCloud) -> EventBridgeRule | None:
        rule = self._existing(cloud)
        if rule is None:
            return None
        tags = cloud.client("events").list_tags_for_resource(ResourceARN=rule["Arn"])["Tags"]
        return dataclasses.replace(
            self,
            arn=rule["Arn"],
            event_pattern=as_found(rule.get("EventPattern", ""), self.event_pattern),
            tags=intersect_tags(tags, self.tags),
        )

    def create(self, cloud: AWSCloud) -> None:
        answer = cloud.client("events").put_rule(
            Name=self.name, EventPattern=self.event_pattern, Tags=to_tags(self.tags)
        )
        self.arn = answer["RuleArn"]

    def update(self, cloud: AWSCloud, actual: EventBridgeRule, changes: dict[str, Change]) -> None:
        events = cloud.client("events")
        if "event_pattern" in changes:
            # Tags count only when a rule is made.
            events.put_rule(Name=self.name, EventPattern=self.event_pattern)
        if "tags" in changes:
            events.tag_resource(ResourceARN=actual.arn, Tags=to_tags(missing_tags(actual.tags, self.tags)))

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
