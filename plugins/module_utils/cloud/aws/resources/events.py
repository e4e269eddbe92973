# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: the queue and the event rules through which instances learn that they are about to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....engine.resource import Resource
from ..cloud import AWSCloud
from ..errors import error_code
from ..ownership import is_owned, says_owned
from .gone import call, is_gone, removal

# kops cuts the cluster's name to this length in the names of event rules.
RULE_PREFIX = 40


def events(cloud: AWSCloud) -> Iterator[Resource]:
    """EventBridge rules with their targets, then SQS queues. A name alone proves nothing: the tags decide."""
    prefix = cloud.cluster_name[: RULE_PREFIX // 2]
    for rule in cloud.paged("events", "list_rules", "Rules", NamePrefix=prefix):
        tags = cloud.client("events").list_tags_for_resource(ResourceARN=rule["Arn"])["Tags"]
        if is_owned(cloud, tags):
            yield Resource("event-rule", rule["Name"], _rule_removal(cloud, rule["Name"]), rule["Name"])
    for url in cloud.paged("sqs", "list_queues", "QueueUrls", QueueNamePrefix=cloud.cluster_name.replace(".", "-")):
        if says_owned(cloud, _queue_tags(cloud, url)):
            delete = removal(cloud, "sqs", "delete_queue", QueueUrl=url)
            yield Resource("queue", url, delete, url.rsplit("/", 1)[-1])


def _queue_tags(cloud: AWSCloud, url: str) -> dict[str, str]:
    try:
        return dict(cloud.client("sqs").list_queue_tags(QueueUrl=url).get("Tags", {}))
    except Exception as error:
        if is_gone(error_code(error)):
            return {}
        raise


def _rule_removal(cloud: AWSCloud, name: str) -> Callable[[], None]:
    def delete() -> None:
        targets = call(cloud, "events", "list_targets_by_rule", Rule=name)
        if targets is None:
            return
        if targets["Targets"]:
            call(cloud, "events", "remove_targets", Rule=name, Ids=[target["Id"] for target in targets["Targets"]])
        call(cloud, "events", "delete_rule", Name=name)

    return delete
