# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: the queue that an EventBridge rule sends its events to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....base.errors import KopsError
from ....engine.targets.imports import Import
from ....engine.task import TryAgainLater, computed
from ..cloud import AWSCloud
from ..errors import error_code
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from .event_bridge_rule import EventBridgeRule
    from .sqs_queue import SQS

# A rule of ours has one target; this is what kops calls it.
TARGET_ID = "1"


def rules_of_queue(cloud: AWSCloud, queue_arn: str) -> set[str]:
    """Names of the rules that send to a queue: one call for all of them."""
    return set(cloud.paged("events", "list_rule_names_by_target", "RuleNames", TargetArn=queue_arn))


@dataclass(eq=False, repr=False)
class EventBridgeTarget(AWSTask):
    """A rule's target: a queue."""

    id: str | None = computed()
    rule: EventBridgeRule | None = None
    sqs_queue: SQS | None = None

    def identity(self) -> str:
        """Its name."""
        return self.name

    def _ends(self) -> tuple[EventBridgeRule, SQS]:
        if self.rule is None or self.sqs_queue is None:
            raise KopsError(f"{self.key} needs a rule and a queue")
        return self.rule, self.sqs_queue

    def find(self, cloud: AWSCloud) -> EventBridgeTarget | None:
        rule, queue = self._ends()
        if not rule.arn or not queue.arn or rule.name not in cloud.once(rules_of_queue, queue.arn):
            return None
        return dataclasses.replace(self, id=TARGET_ID)

    def create(self, cloud: AWSCloud) -> None:
        rule, queue = self._ends()
        try:
            answer = cloud.client("events").put_targets(Rule=rule.name, Targets=[{"Id": TARGET_ID, "Arn": queue.arn}])
        except Exception as error:
            if error_code(error) == "ResourceNotFoundException":
                raise TryAgainLater(f"AWS does not know the rule {rule.name} everywhere yet") from error
            raise
        for failed in answer.get("FailedEntries") or ():
            raise KopsError(f"{self.key}: {failed.get('ErrorCode')}: {failed.get('ErrorMessage')}")
        self.id = TARGET_ID

    def cloudformation(self, target: CloudFormationTarget) -> None:
        rule, queue = self._ends()
        target.add(rule, "Targets", {"Arn": target.attribute(queue, "Arn"), "Id": TARGET_ID})

    def terraform(self, target: TerraformTarget) -> None:
        rule, queue = self._ends()
        target.resource(
            "aws_cloudwatch_event_target", self.name, {"arn": queue.terraform_link(), "rule": rule.terraform_link()}
        )

    def terraform_imports(self) -> Iterator[Import]:
        rule, _queue = self._ends()
        yield Import("aws_cloudwatch_event_target", self.name, f"{rule.name}/{TARGET_ID}")
