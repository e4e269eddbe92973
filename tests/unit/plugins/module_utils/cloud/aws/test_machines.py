# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of a cluster as validation and rolling updates see them: AWS' answers in, what counts out."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.looking import AWSLooking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import InstancesOfGroup

NAME = "demo.example.com"
OWNER = {"Key": f"kubernetes.io/cluster/{NAME}", "Value": "owned"}
LAUNCHED = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


class Cloud:
    """An AWSCloud with the answers of two calls. What they show is the cluster's own, unless its tags say otherwise."""

    cluster_name = NAME

    def __init__(self, groups: list[dict[str, Any]], instances: list[dict[str, Any]]) -> None:
        self.answers = {"describe_auto_scaling_groups": groups, "describe_instances": [{"Instances": instances}]}
        self.calls: list[str] = []

    def once(self, read: Any) -> Any:
        return read(self)

    def forget(self, read: Any) -> None:
        """Nothing is remembered."""

    def paged(self, service: str, operation: str, key: str, **more: Any) -> list[Any]:
        self.calls.append(operation)
        if operation == "describe_instances":
            return [{"Instances": [_owned(each) for each in found["Instances"]]} for found in self.answers[operation]]
        return [_owned(each) for each in self.answers[operation]]


def _owned(item: dict[str, Any]) -> dict[str, Any]:
    tags = item.get("Tags") or []
    owner = [] if any(tag["Key"].startswith("kubernetes.io/cluster/") for tag in tags) else [OWNER]
    return {"State": {"Name": "running"}, **item, "Tags": [*tags, *owner]}


def group(name: str, wanted: int, **states: str) -> dict[str, Any]:
    members = [{"InstanceId": f"i-{each}", "LifecycleState": state} for each, state in states.items()]
    tags = [{"Key": "kops.k8s.io/instancegroup", "Value": name}]
    return {"AutoScalingGroupName": name, "DesiredCapacity": wanted, "Instances": members, "Tags": tags}


def counted(found: dict[str, InstancesOfGroup]) -> dict[str, tuple[int, list[str]]]:
    return {name: (group.wanted, [each.name for each in group.machines]) for name, group in found.items()}


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
    found = AWSLooking().instances(cloud)
    assert counted(found) == {"nodes": (3, ["i-1", "i-2", "i-3"])}
    first, second, _third = found["nodes"].machines
    assert (first.by_address, first.launched, first.addresses) == (
        "ip-10-0-0-1.ec2.internal",
        LAUNCHED,
        ("1.2.3.4", "10.0.0.1"),
    )
    assert (second.by_address, second.launched, second.addresses) == ("", None, ())
    assert cloud.calls == ["describe_auto_scaling_groups", "describe_instances"]


def test_what_a_filter_lets_through_is_not_the_clusters_own() -> None:
    """Its own tags say so: what a rolling update, a repair or delete_instance works on comes from here."""
    other = {"Key": "kubernetes.io/cluster/other.example.com", "Value": "owned"}
    shared = {**OWNER, "Value": "shared"}
    ours, theirs = group("nodes", 1, **{"1": "InService"}), group("nodes-of-others", 1, **{"2": "InService"})
    theirs["Tags"].append(other)
    instances = [
        {"InstanceId": "i-1"},
        {"InstanceId": "i-2", "Tags": [other]},
        {"InstanceId": "i-3", "Tags": [*theirs["Tags"], shared]},
        {**tagged("i-4", group="nodes"), "State": {"Name": "terminated"}},
    ]
    cloud: Any = Cloud([ours, theirs], instances)
    cloud.answers["describe_launch_templates"] = []
    assert counted(AWSLooking().instances(cloud)) == {"nodes": (1, ["i-1"])}
    assert {name: [each.name for each in found] for name, found in AWSLooking().machines(cloud).items()} == {
        "nodes": ["i-1"]
    }


def test_without_instances_one_call_is_enough() -> None:
    cloud: Any = Cloud([group("nodes", 0)], [])
    assert counted(AWSLooking().instances(cloud)) == {"nodes": (0, [])}
    assert cloud.calls == ["describe_auto_scaling_groups"]


def member(name: str, version: str, state: str = "InService", template: str = "lt-1") -> dict[str, Any]:
    made_from = {"LaunchTemplateId": template, "Version": version}
    return {"InstanceId": name, "LifecycleState": state, "HealthStatus": "Healthy", "LaunchTemplate": made_from}


def tagged(name: str, **tags: str) -> dict[str, Any]:
    names = {"group": "kops.k8s.io/instancegroup", "detached": "kops.k8s.io/detached-from-asg"}
    return {"InstanceId": name, "Tags": [{"Key": names[key], "Value": value} for key, value in tags.items()]}


def test_machines_are_compared_with_what_their_group_starts() -> None:
    names = ("i-new", "i-old", "i-other", "i-warm", "i-ending")
    known = [{"InstanceId": name, "State": {"Name": "running"}} for name in names]
    known += [
        tagged("i-detached", group="nodes", detached="nodes.demo"),
        tagged("i-karpenter", group="karpenter"),
        # Somebody has taken it out of its group: a rolling update leaves it alone, a repair does not.
        tagged("i-away", group="nodes"),
    ]
    nodes = {
        **group("nodes", 3),
        "AutoScalingGroupName": "nodes.demo",
        "Instances": [
            member("i-new", "3"),
            member("i-old", "2"),
            member("i-other", "3", template="lt-2"),
            member("i-ending", "3", "Terminating:Wait"),
            member("i-gone", "3"),
        ],
        "LaunchTemplate": {"LaunchTemplateId": "lt-1", "Version": "$Latest"},
        "WarmPoolConfiguration": {"MinSize": 1},
    }
    cloud: Any = Cloud([nodes], known)
    template = {"LaunchTemplateName": "nodes", "LaunchTemplateId": "lt-1"}
    cloud.answers["describe_launch_templates"] = [{**template, "LatestVersionNumber": 3, "DefaultVersionNumber": 2}]
    cloud.answers["describe_warm_pool"] = [member("i-warm", "2", "Warmed:Stopped")]
    found = AWSLooking().machines(cloud)
    old, other = (
        "it is of version 2 of its launch template, which has 3 now",
        "its group has another launch template now",
    )
    assert [(each.name, each.state, each.within, each.outdated) for each in found.pop("nodes")] == [
        ("i-new", "serving", "nodes.demo", ""),
        ("i-old", "serving", "nodes.demo", old),
        ("i-other", "serving", "nodes.demo", other),
        ("i-warm", "warm", "nodes.demo", old),
        ("i-detached", "detached", "nodes.demo", ""),
        ("i-away", "stray", "", ""),
    ]
    (started,) = found.pop("karpenter")
    assert (started.name, started.state, started.within, started.outdated) == ("i-karpenter", "serving", "", "")
    assert not found
    assert sorted(cloud.calls) == [
        "describe_auto_scaling_groups",
        "describe_instances",
        "describe_launch_templates",
        "describe_warm_pool",
    ]


@pytest.mark.parametrize("version", ["$Default", "2", None])
def test_a_group_may_start_instances_from_another_version_than_the_latest(version: str | None) -> None:
    wanted = {"LaunchTemplateId": "lt-1", **({"Version": version} if version else {})}
    mixed = {"MixedInstancesPolicy": {"LaunchTemplate": {"LaunchTemplateSpecification": wanted}}}
    nodes = {**group("nodes", 2), **mixed, "Instances": [member("i-1", "2"), member("i-2", "3")]}
    cloud: Any = Cloud([nodes], [{"InstanceId": "i-1"}, {"InstanceId": "i-2"}])
    template = {"LaunchTemplateName": "nodes", "LaunchTemplateId": "lt-1"}
    cloud.answers["describe_launch_templates"] = [{**template, "LatestVersionNumber": 3, "DefaultVersionNumber": 2}]
    assert [bool(each.outdated) for each in AWSLooking().machines(cloud)["nodes"]] == [False, True]
