# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a stack, told as they come, to the end of the operation."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.stacks import events
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError

ID = "arn:aws:cloudformation:us-east-1:123456789012:stack/demo/1"
PART = "arn:aws:cloudformation:us-east-1:123456789012:stack/demo-Groups1/2"
HANDLER = 'Resource handler returned message: "{}" (RequestToken: 1, HandlerErrorCode: InvalidRequest)'


class Cloud:
    """A stack with as many events as have come by now: each look finds some more.

    Those whose names begin with "part." are of a stack nested in it, "Groups1".
    """

    def __init__(self, *looks: list[tuple[str, str, str]]) -> None:
        self.looks, self.events = [*looks], list[dict[str, Any]]()
        self.asked = 0

    def client(self, service: str) -> Cloud:
        assert service == "cloudformation"
        return self

    def get_paginator(self, operation: str) -> Cloud:
        assert operation == "describe_stack_events"
        return self

    def paginate(self, StackName: str) -> Any:
        if StackName == ID:
            self.asked += 1
            for event in self.looks.pop(0) if self.looks else ():
                self.add(*event)
        newest = [each for each in self.events[::-1] if each["StackId"] == StackName]
        return [{"StackEvents": newest[:2]}, {"StackEvents": newest[2:]}]

    def add(self, name: str, status: str, reason: str) -> None:
        place, _dot, name = name.rpartition(".")
        known = {"demo": ID, "Groups1": PART, "demo-Groups1": PART}
        event = {"EventId": str(len(self.events)), "LogicalResourceId": name, "Timestamp": len(self.events)}
        event |= {"StackId": PART if place else ID, "PhysicalResourceId": known.get(name, "vpc-1")}
        event |= {"ResourceType": "AWS::CloudFormation::Stack" if name in known else "AWS::EC2::VPC"}
        self.events.append({**event, "ResourceStatus": status, "ResourceStatusReason": reason})


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "FIRST_PAUSE", 0.0)


def follow(cloud: Any, since: str, lines: list[str], **more: Any) -> events.Operation:
    return events.follow(cloud, ID, since, {"Net": "VPC/demo"}, tell=lines.append, **more)


def test_each_is_told_once_with_its_name_in_the_plan() -> None:
    begun = [("demo", "UPDATE_IN_PROGRESS", "User Initiated"), ("Net", "UPDATE_IN_PROGRESS", "")]
    cloud = Cloud(
        [("demo", "CREATE_COMPLETE", "")],
        begun,
        [("Net", "UPDATE_COMPLETE", ""), ("Other", "CREATE_COMPLETE", "")],
        [("demo", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", ""), ("demo", "UPDATE_COMPLETE", "")],
    )
    lines: list[str] = []
    operation = follow(cloud, events.last_event(cloud, ID), lines, expected=2)
    assert lines == ["[1/2] changed VPC/demo", "[2/2] created Other"]
    operation.raise_unless_done("demo")


def test_what_failed_first_is_said_without_what_it_has_cancelled() -> None:
    cloud = Cloud(
        [
            ("demo", "UPDATE_IN_PROGRESS", "User Initiated"),
            ("Net", "UPDATE_FAILED", HANDLER.format("The limit is 5")),
            ("Other", "CREATE_FAILED", "Resource creation cancelled"),
            ("demo", "UPDATE_ROLLBACK_IN_PROGRESS", "The following resource(s) failed to update: [Net]. "),
            ("Net", "UPDATE_COMPLETE", ""),
            ("demo", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", ""),
            ("demo", "UPDATE_ROLLBACK_COMPLETE", ""),
        ],
    )
    lines: list[str] = []
    operation = follow(cloud, "", lines)
    assert lines == ["failed: VPC/demo: The limit is 5", "CloudFormation undoes what it has done"]
    with pytest.raises(ApplyError) as failed:
        operation.raise_unless_done("demo")
    assert str(failed.value).endswith("when this is mended:\n- VPC/demo: The limit is 5")


def test_what_is_done_in_a_nested_stack_is_told_as_if_it_were_in_this_one() -> None:
    cloud = Cloud(
        [("part.Net", "CREATE_COMPLETE", "")],
        [
            ("demo", "UPDATE_IN_PROGRESS", "User Initiated"),
            ("Groups1", "UPDATE_IN_PROGRESS", ""),
            ("part.demo-Groups1", "UPDATE_IN_PROGRESS", ""),
            ("part.Net", "UPDATE_COMPLETE", ""),
        ],
        [
            ("part.demo-Groups1", "UPDATE_COMPLETE", ""),
            ("Groups1", "UPDATE_COMPLETE", ""),
            ("Other", "CREATE_COMPLETE", ""),
            ("demo", "UPDATE_COMPLETE", ""),
        ],
    )
    lines: list[str] = []
    assert follow(cloud, "", lines, expected=2).is_done
    assert lines == ["[1/2] changed VPC/demo", "[2/2] created Other"]


EMBEDDED = f"Embedded stack {PART} was not successfully updated. Currently in UPDATE_ROLLBACK_IN_PROGRESS"


@pytest.mark.parametrize(
    ("inside", "failed"),
    [
        ([("part.Net", "UPDATE_FAILED", HANDLER.format("The limit is 5"))], {"VPC/demo": "The limit is 5"}),
        ([("part.Net", "UPDATE_FAILED", "Resource update cancelled")], {"Stack/Groups1": EMBEDDED}),
    ],
)
def test_a_nested_stack_is_named_only_if_it_does_not_say_what_failed(
    inside: list[tuple[str, str, str]], failed: dict[str, str]
) -> None:
    cloud = Cloud(
        [
            ("demo", "UPDATE_IN_PROGRESS", "User Initiated"),
            ("Groups1", "UPDATE_IN_PROGRESS", ""),
            *inside,
            ("part.demo-Groups1", "UPDATE_ROLLBACK_IN_PROGRESS", "The following resource(s) failed to update: [Net]."),
            ("part.Net", "UPDATE_COMPLETE", ""),
            ("Groups1", "UPDATE_FAILED", EMBEDDED),
            ("demo", "UPDATE_ROLLBACK_IN_PROGRESS", "The following resource(s) failed to update: [Groups1]."),
            ("demo", "UPDATE_ROLLBACK_COMPLETE", ""),
        ]
    )
    lines: list[str] = []
    assert follow(cloud, "", lines).failed == failed
    assert not [each for each in lines if "changed" in each]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("ROLLBACK_COMPLETE", "could not make the stack demo, and has taken away what it had made"),
        ("ROLLBACK_FAILED", "aws cloudformation delete-stack --stack-name demo"),
        ("UPDATE_ROLLBACK_FAILED", "aws cloudformation continue-update-rollback --stack-name demo"),
        ("DELETE_FAILED", "could not delete all of the stack demo"),
        ("SOMETHING_NEW", "the stack demo is SOMETHING_NEW"),
    ],
)
def test_every_bad_end_is_explained(status: str, said: str) -> None:
    with pytest.raises(ApplyError, match=said):
        events.Operation(status, {"VPC/demo": "in use"}).raise_unless_done("demo")


def test_an_operation_that_goes_on_is_followed_from_its_beginning() -> None:
    cloud: Any = Cloud(
        [
            ("demo", "CREATE_COMPLETE", ""),
            ("demo", "UPDATE_IN_PROGRESS", "User Initiated"),
            ("Net", "UPDATE_FAILED", "no"),
        ],
        [("demo", "UPDATE_ROLLBACK_IN_PROGRESS", ""), ("demo", "UPDATE_ROLLBACK_COMPLETE", "")],
    )
    since = events.start_of_operation(cloud, ID)
    assert since == "0"
    assert follow(cloud, since, []).failed == {"VPC/demo": "no"}
