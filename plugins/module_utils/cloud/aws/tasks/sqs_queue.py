# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: the queue that tells a cluster which of its instances will go."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, TryAgainLater, computed
from ..cloud import AWSCloud, intersect_tags, missing_tags, to_tags
from ..documents import as_found
from ..errors import error_code
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

ATTRIBUTES = ["MessageRetentionPeriod", "Policy", "QueueArn"]


@dataclass(eq=False, repr=False)
class SQS(AWSTask):
    """A queue; its task name is its name. message_retention_period: seconds. policy: JSON text."""

    arn: str | None = computed()
    url: str | None = computed()
    message_retention_period: int | None = None
    policy: str | None = None
    tags: dict[str, str] | None = None

    cloudformation_type = "AWS::SQS::Queue"

    def find(self, cloud: AWSCloud) -> SQS | None:
        sqs = cloud.client("sqs")
        try:
            url = sqs.get_queue_url(QueueName=self.name)["QueueUrl"]
        except Exception as error:
            if error_code(error) in ("AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"):
                return None
            raise
        attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=ATTRIBUTES)["Attributes"]
        tags = sqs.list_queue_tags(QueueUrl=url).get("Tags")
        return dataclasses.replace(
            self,
            arn=attributes["QueueArn"],
            url=url,
            message_retention_period=int(attributes["MessageRetentionPeriod"]),
            policy=as_found(attributes.get("Policy", ""), self.policy),
            tags=intersect_tags(to_tags(tags), self.tags),
        )

    def _attributes(self) -> dict[str, str]:
        attributes = {"MessageRetentionPeriod": str(self.message_retention_period)}
        if self.policy:
            attributes["Policy"] = self.policy
        return attributes

    def create(self, cloud: AWSCloud) -> None:
        sqs = cloud.client("sqs")
        try:
            self.url = sqs.create_queue(QueueName=self.name, Attributes=self._attributes(), tags=self.tags or {})[
                "QueueUrl"
            ]
        except Exception as error:
            if error_code(error) in ("AWS.SimpleQueueService.QueueDeletedRecently", "QueueDeletedRecently"):
                raise TryAgainLater(f"AWS gives a queue's name again a minute after {self.name} was deleted") from error
            raise
        answer = sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=["QueueArn"])
        self.arn = answer["Attributes"]["QueueArn"]

    def update(self, cloud: AWSCloud, actual: SQS, changes: dict[str, Change]) -> None:
        sqs = cloud.client("sqs")
        if changes.keys() - {"tags"}:
            sqs.set_queue_attributes(QueueUrl=self.url, Attributes=self._attributes())
        if "tags" in changes:
            sqs.tag_queue(QueueUrl=self.url, Tags=missing_tags(actual.tags, self.tags))

    def cloudformation(self, target: CloudFormationTarget) -> None:
        super().cloudformation(target)
        if self.policy:
            policy = {"PolicyDocument": json.loads(self.policy), "Queues": [target.ref(self)]}
            target.resource(self, "AWS::SQS::QueuePolicy", policy, part="Policy")

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "MessageRetentionPeriod": self.message_retention_period,
            "QueueName": self.name,
            "Tags": tags(self.tags),
        }

    def terraform_link(self) -> Literal:
        """The queue's ARN as a Terraform expression."""
        return reference("aws_sqs_queue", self.name, "arn")

    def terraform(self, target: TerraformTarget) -> None:
        attributes: dict[str, Any] = {
            "message_retention_seconds": self.message_retention_period,
            "name": self.name,
            "policy": target.file("aws_sqs_queue", self.name, "policy", self.policy or ""),
            "tags": self.tags,
        }
        target.resource("aws_sqs_queue", self.name, attributes)

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_sqs_queue", self.name, str(self.url))
