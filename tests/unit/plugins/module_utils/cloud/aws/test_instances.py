# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of a cluster as validation sees them: AWS' answers in, what counts out."""

from __future__ import annotations

import base64
import datetime
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.instances import instances_by_group, last_line
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import Instance, InstancesOfGroup

NAME = "demo.example.com"
LAUNCHED = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


class Cloud:
    """An AWSCloud with the answers of two calls."""

    owned_filter: list[dict[str, Any]] = []

    def __init__(self, groups: list[dict[str, Any]], instances: list[dict[str, Any]]) -> None:
        self.answers = {"describe_auto_scaling_groups": groups, "describe_instances": [{"Instances": instances}]}
        self.calls: list[str] = []

    def once(self, read: Any) -> Any:
        return read(self)

    def forget(self, read: Any) -> None:
        """Nothing is remembered."""

    def paged(self, service: str, operation: str, key: str, **more: Any) -> list[Any]:
        self.calls.append(operation)
        return self.answers[operation]


def group(name: str, wanted: int, **states: str) -> dict[str, Any]:
    members = [{"InstanceId": f"i-{each}", "LifecycleState": state} for each, state in states.items()]
    tags = [{"Key": "kops.k8s.io/instancegroup", "Value": name}]
    return {"AutoScalingGroupName": name, "DesiredCapacity": wanted, "Instances": members, "Tags": tags}


def test_instances_that_serve_or_will_are_those_of_their_group() -> None:
    about = {
        "InstanceId": "i-1",
        "LaunchTime": LAUNCHED,
        "PrivateIpAddress": "10.0.0.1",
        "PublicIpAddress": "1.2.3.4",
        "PrivateDnsName": "ip-10-0-0-1.ec2.internal",
    }
    serving = {"1": "InService", "2": "Pending:Wait", "3": "Standby"}
    others = {"4": "Terminating:Wait", "5": "Warmed:Stopped", "6": "Detached"}
    cloud: Any = Cloud([group("nodes", 3, **serving, **others), {"AutoScalingGroupName": "other's"}], [about])
    first = Instance("i-1", "ip-10-0-0-1.ec2.internal", LAUNCHED, ("1.2.3.4", "10.0.0.1"))
    assert instances_by_group(cloud) == {"nodes": InstancesOfGroup(3, [first, Instance("i-2"), Instance("i-3")])}
    assert cloud.calls == ["describe_auto_scaling_groups", "describe_instances"]


def test_without_instances_one_call_is_enough() -> None:
    cloud: Any = Cloud([group("nodes", 0)], [])
    assert instances_by_group(cloud) == {"nodes": InstancesOfGroup(0, [])}
    assert cloud.calls == ["describe_auto_scaling_groups"]


@pytest.mark.parametrize("refused", ["", "UnsupportedOperation", "UnauthorizedOperation"])
def test_the_last_line_of_the_node_program(refused: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine types of old have no latest output, but one."""
    import boto3
    from botocore.stub import Stubber

    client = boto3.client("ec2", "us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    cloud: Any = Cloud([], [])
    cloud.client = lambda service: client
    output = (
        "boot\r\n[   9.1] python3[7]: kubeops: this is i-1\r\n[  10.2] python3[7]: kubeops: waiting\r\n[  11.0] end\r\n"
    )
    answer = {"Output": base64.b64encode(output.encode()).decode()}
    with Stubber(client) as stub:
        if refused:
            latest = {"InstanceId": "i-1", "Latest": True}
            stub.add_client_error("get_console_output", refused, expected_params=latest)
        if refused != "UnauthorizedOperation":
            stub.add_response("get_console_output", answer)
            assert last_line(cloud, "i-1") == "kubeops: waiting"
        else:
            assert last_line(cloud, "i-1") == ""
        stub.assert_no_pending_responses()
