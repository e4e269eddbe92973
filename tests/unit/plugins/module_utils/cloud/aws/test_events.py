# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The termination queue, its rules and their targets against moto's server."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.event_bridge_rule import EventBridgeRule
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.event_bridge_target import (
    EventBridgeTarget,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.sqs_queue import SQS
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater

from .conftest import CLUSTER

QUEUE = "demo-example-com-nth"
EVENTS = ("ASGLifecycle", "SpotInterruption")


def owned(name: str) -> dict[str, str]:
    return {"Name": name, "KubernetesCluster": CLUSTER, f"kubernetes.io/cluster/{CLUSTER}": "owned"}


def policy(services=("events.amazonaws.com", "sqs.amazonaws.com")) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": list(services)},
        "Action": "sqs:SendMessage",
        "Resource": f"arn:aws:sqs:us-east-1:123456789012:{QUEUE}",
    }
    return json.dumps({"Statement": [statement], "Version": "2012-10-17"}, indent=2)


def tasks(events=EVENTS, retention: int = 300, document: str = "", tags=None, source: str = "aws.ec2") -> list:
    queue = SQS(
        QUEUE, message_retention_period=retention, policy=document or policy(), tags={**owned(QUEUE), **(tags or {})}
    )
    found: list = [queue]
    for event in events:
        name = f"{CLUSTER}-{event}"
        pattern = f'{{"source": ["{source}"],"detail-type": ["{event}"]}}'
        rule = EventBridgeRule(name, event_pattern=pattern, sqs_queue=queue, tags={**owned(name), **(tags or {})})
        found += [rule, EventBridgeTarget(f"{name}-Target", rule=rule, sqs_queue=queue)]
    return found


def test_the_queue_and_its_rules_are_made_and_found_again(run, calls) -> None:
    assert set(run(tasks()).actions.values()) == {"create"}
    calls.clear()
    again = run(tasks())
    assert (again.actions, again.deletions) == ({}, [])
    assert sorted(calls) == [
        "events.ListRuleNamesByTarget",
        "events.ListRules",
        "events.ListTagsForResource",
        "events.ListTagsForResource",
        "sqs.GetQueueAttributes",
        "sqs.GetQueueUrl",
        "sqs.ListQueueTags",
    ]


def test_changes_are_made_in_place(run, cloud) -> None:
    run(tasks())
    changed = {
        "retention": 600,
        "document": policy(["events.amazonaws.com"]),
        "tags": {"team": "a"},
        "source": "aws.health",
    }
    result = run(tasks(**changed))
    assert result.changes[f"SQS/{QUEUE}"].keys() == {"message_retention_period", "policy", "tags"}
    assert result.changes[f"EventBridgeRule/{CLUSTER}-ASGLifecycle"].keys() == {"event_pattern", "tags"}
    assert run(tasks(**changed)).actions == {}
    url = cloud.client("sqs").get_queue_url(QueueName=QUEUE)["QueueUrl"]
    assert cloud.client("sqs").list_queue_tags(QueueUrl=url)["Tags"]["team"] == "a"
    assert cloud.client("events").list_targets_by_rule(Rule=f"{CLUSTER}-ASGLifecycle")["Targets"][0]["Id"] == "1"


def test_the_order_of_principals_means_nothing(run) -> None:
    run(tasks())
    assert run(tasks(document=policy(["sqs.amazonaws.com", "events.amazonaws.com"]))).actions == {}


def test_a_rule_that_is_not_wanted_any_more_goes_with_its_target(run, cloud) -> None:
    run(tasks([*EVENTS, "RebalanceRecommendation"]))
    events = cloud.client("events")
    # Somebody else's rule that begins the same.
    events.put_rule(Name=f"{CLUSTER}-theirs", EventPattern='{"source": ["aws.ec2"]}')
    result = run(tasks())
    assert [(deletion.item, deletion.deferred) for deletion in result.deletions] == [
        (f"{CLUSTER}-RebalanceRecommendation", False)
    ]
    names = sorted(rule["Name"] for rule in events.list_rules()["Rules"])
    assert names == [f"{CLUSTER}-ASGLifecycle", f"{CLUSTER}-SpotInterruption", f"{CLUSTER}-theirs"]
    # What is gone already is no error.
    result.deletions[0].run()
    assert run(tasks()).deletions == []


def test_a_killed_run_is_completed(run, cloud) -> None:
    queue, rule, *_rest = tasks()
    queue.create(cloud)
    rule.create(cloud)
    assert run(tasks()).actions == {
        f"EventBridgeTarget/{CLUSTER}-ASGLifecycle-Target": "create",
        f"EventBridgeRule/{CLUSTER}-SpotInterruption": "create",
        f"EventBridgeTarget/{CLUSTER}-SpotInterruption-Target": "create",
    }


def test_a_target_waits_for_its_rule(run, cloud) -> None:
    queue, _rule, target, *_rest = tasks()
    queue.create(cloud)
    with pytest.raises(TryAgainLater, match="does not know the rule"):
        target.create(cloud)


def test_a_queue_name_is_free_again_only_after_a_minute(cloud, monkeypatch) -> None:
    from botocore.exceptions import ClientError

    def refuse(**_given):
        answer = {"Error": {"Code": "AWS.SimpleQueueService.QueueDeletedRecently", "Message": "wait"}}
        raise ClientError(answer, "CreateQueue")

    # moto gives the name at once.
    monkeypatch.setattr(cloud.client("sqs"), "create_queue", refuse)
    with pytest.raises(TryAgainLater, match="a minute after"):
        tasks()[0].create(cloud)


def test_terraform_keeps_the_text_of_documents() -> None:
    target = TerraformTarget(PROVIDERS[AWS], {"region": "us-test-1"})
    files = target.render(tasks(["ASGLifecycle"]))
    assert files[f"data/aws_sqs_queue_{QUEUE}_policy"].decode() == policy()
    pattern = files[f"data/aws_cloudwatch_event_rule_{CLUSTER}-ASGLifecycle_event_pattern"].decode()
    assert pattern == '{"source": ["aws.ec2"],"detail-type": ["ASGLifecycle"]}'
    assert "rule = aws_cloudwatch_event_rule.demo-example-com-ASGLifecycle.id" in files["kubernetes.tf"].decode()
