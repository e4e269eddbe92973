# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The queue from which the node termination handler learns that an instance will go.

Source: pkg/model/awsmodel/nodeterminationhandler.go of kops.
"""

from __future__ import annotations

from ...addons.aws.node_termination_handler import queue_name, termination_handler, uses_termination_queue
from ...cloud.aws.tasks.autoscaling_group import AutoscalingGroup
from ...cloud.aws.tasks.autoscaling_lifecycle_hook import AutoscalingLifecycleHook
from ...cloud.aws.tasks.event_bridge_rule import EventBridgeRule
from ...cloud.aws.tasks.event_bridge_target import EventBridgeTarget
from ...cloud.aws.tasks.sqs_queue import SQS
from ...iam.account import Account
from ...iam.policy import VERSION, render
from ..context import ModelContext
from . import names, tags

# Seconds that a message waits, and that an instance waits for its message to be handled.
RETENTION = 300

# The patterns are kops' text: a rule is changed when its text is.
EVENTS = {
    "ASGLifecycle": '{"source":["aws.autoscaling"],"detail-type":["EC2 Instance-terminate Lifecycle Action"]}',
    "SpotInterruption": '{"source": ["aws.ec2"],"detail-type": ["EC2 Spot Instance Interruption Warning"]}',
    "InstanceStateChange": '{"source": ["aws.ec2"],"detail-type": ["EC2 Instance State-change Notification"]}',
    "InstanceScheduledChange": (
        '{"source": ["aws.health"],"detail-type": ["AWS Health Event"],'
        '"detail": {"service": ["EC2"],"eventTypeCategory": ["scheduledChange"]}}'
    ),
}
REBALANCE = {
    "RebalanceRecommendation": ('{"source": ["aws.ec2"],"detail-type": ["EC2 Instance Rebalance Recommendation"]}'),
}


def build(context: ModelContext) -> None:
    """Queue, rules and hooks; nothing when the handler does not read a queue."""
    if not uses_termination_queue(context.cluster):
        return
    for group in context.updated_groups:
        if group.spec.manager == "CloudGroup":
            _hook(context, str(group.metadata.name), names.autoscaling_group(group, context.name))
    queue = _queue(context)
    handler = termination_handler(context.cluster)
    rebalance = REBALANCE if handler and handler.enable_rebalance_draining else {}
    for event, pattern in {**EVENTS, **rebalance}.items():
        _rule(context, queue, names.event_rule(event, context.name), pattern)


def _hook(context: ModelContext, group: str, autoscaling_group: str) -> None:
    context.add(
        AutoscalingLifecycleHook(
            f"{group}-NTHLifecycleHook",
            context.layers.cluster,
            autoscaling_group=context.get(AutoscalingGroup, autoscaling_group),
            default_result="CONTINUE",
            heartbeat_timeout=RETENTION,
            lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
            enabled=True,
        )
    )


def _queue(context: ModelContext) -> SQS:
    name = queue_name(context.name)
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
        "Action": "sqs:SendMessage",
        "Resource": Account.of(context.account).arn("sqs", name, context.region),
    }
    return context.add(
        SQS(
            name,
            context.layers.cluster,
            message_retention_period=RETENTION,
            policy=render({"Statement": [statement], "Version": VERSION}),
            tags=tags.of_object(context.cluster, name),
        )
    )


def _rule(context: ModelContext, queue: SQS, name: str, pattern: str) -> None:
    layer = context.layers.cluster
    rule = context.add(
        EventBridgeRule(name, layer, event_pattern=pattern, sqs_queue=queue, tags=tags.of_object(context.cluster, name))
    )
    context.add(EventBridgeTarget(f"{name}-Target", layer, rule=rule, sqs_queue=queue))
