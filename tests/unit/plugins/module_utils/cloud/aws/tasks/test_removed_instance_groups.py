# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What instance groups leave behind that are no longer in the state store."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws import iam as iam_reads
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.removed_instance_groups import (
    DETACHED_TAG,
    RemovedInstanceGroups,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle

from ..conftest import CLUSTER

BASTION = "k8s.io/role/bastion"
OLD = f"old.{CLUSTER}"
ROLE = f"bastions.{CLUSTER}"
# The kept group's tag; another cluster's group; one that no instance group has made; one that is only used.
OTHERS = {
    f"nodes.{CLUSTER}": {f"kubernetes.io/cluster/{CLUSTER}": "owned", "kops.k8s.io/instancegroup": "nodes"},
    "old.other.example.com": {"kubernetes.io/cluster/other.example.com": "owned", "kops.k8s.io/instancegroup": "old"},
    f"own.{CLUSTER}": {f"kubernetes.io/cluster/{CLUSTER}": "owned"},
    f"shared.{CLUSTER}": {f"kubernetes.io/cluster/{CLUSTER}": "shared", "kops.k8s.io/instancegroup": "old"},
}
LEFT = {f"kubernetes.io/cluster/{CLUSTER}": "owned", "kops.k8s.io/instancegroup": "old", BASTION: "1"}
POLICY = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "ec2:*", "Resource": "*"}]}'
WHY = "its instance group old is not in the state store any more"


def pairs(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def make_group(cloud, name: str, tags: dict[str, str], size: int = 0) -> None:
    """An autoscaling group and its launch template, both tagged so."""
    ec2 = cloud.client("ec2")
    template = ec2.create_launch_template(
        LaunchTemplateName=name,
        LaunchTemplateData={"ImageId": "ami-12c6146b", "InstanceType": "t3.medium"},
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": pairs(tags)}],
    )["LaunchTemplate"]["LaunchTemplateId"]
    cloud.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=name,
        MinSize=size,
        MaxSize=size,
        LaunchTemplate={"LaunchTemplateId": template, "Version": "$Latest"},
        VPCZoneIdentifier=ec2.describe_subnets()["Subnets"][0]["SubnetId"],
        Tags=[{**tag, "PropagateAtLaunch": True} for tag in pairs(tags)],
    )


def make_identity(cloud, name: str = ROLE, owner: str = "owned") -> None:
    """A role with a policy, in a profile of its name."""
    iam, tags = cloud.client("iam"), pairs({f"kubernetes.io/cluster/{CLUSTER}": owner})
    iam.create_role(RoleName=name, AssumeRolePolicyDocument="{}", Tags=tags)
    iam.put_role_policy(RoleName=name, PolicyName=name, PolicyDocument=POLICY)
    iam.create_instance_profile(InstanceProfileName=name, Tags=tags)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)


def detach_an_instance(cloud, group: str) -> str:
    ec2 = cloud.client("ec2")
    (instance,) = ec2.run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1)["Instances"]
    tags = {f"kubernetes.io/cluster/{CLUSTER}": "owned", DETACHED_TAG: group}
    ec2.create_tags(Resources=[instance["InstanceId"]], Tags=pairs(tags))
    return str(instance["InstanceId"])


def names(cloud) -> tuple[set[str], set[str]]:
    """The autoscaling groups and the launch templates that exist."""
    groups = cloud.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    templates = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"]
    return {each["AutoScalingGroupName"] for each in groups}, {each["LaunchTemplateName"] for each in templates}


def living(cloud) -> set[str]:
    """The instances that run."""
    reservations = cloud.client("ec2").describe_instances()["Reservations"]
    instances = [instance for each in reservations for instance in each["Instances"]]
    return {each["InstanceId"] for each in instances if each["State"]["Name"] == "running"}


def removed(**fields) -> RemovedInstanceGroups:
    return RemovedInstanceGroups(CLUSTER, groups=["nodes"], **fields)


def test_only_what_carries_both_tags_and_a_groups_name_that_is_gone_is_deleted(run, cloud, calls) -> None:
    for name, tags in {**OTHERS, OLD: LEFT}.items():
        make_group(cloud, name, tags)
    calls.clear()
    planned = run([removed()], apply=False)
    assert [(entry["task"], entry["reason"]) for entry in planned.plan.as_data()] == [
        (f"AutoscalingGroup/{OLD}", WHY),
        (f"LaunchTemplate/{OLD}", WHY),
    ]
    text = " ".join(planned.plan.text().split())
    assert text.endswith(f"- AutoscalingGroup/{OLD} ({WHY}) - LaunchTemplate/{OLD} ({WHY})")
    assert calls.writes == []
    run([removed()])
    assert names(cloud) == (set(OTHERS), set(OTHERS))
    calls.clear()
    assert not run([removed()]).plan.changed
    assert calls == ["autoscaling.DescribeAutoScalingGroups", "ec2.DescribeLaunchTemplates"]


def test_instances_end_with_their_group_even_those_that_are_detached(run, cloud) -> None:
    make_group(cloud, OLD, LEFT, size=2)
    make_group(cloud, f"nodes.{CLUSTER}", OTHERS[f"nodes.{CLUSTER}"], size=1)
    detach_an_instance(cloud, OLD)
    kept = detach_an_instance(cloud, f"nodes.{CLUSTER}")
    assert len(living(cloud)) == 5
    planned = run([removed()], apply=False)
    assert planned.plan.as_data()[0]["reason"] == f"{WHY}; 3 instances will be ended"
    run([removed()])
    assert len(living(cloud)) == 2
    assert kept in living(cloud)


@pytest.mark.parametrize("gone", ["group", "template"])
def test_a_run_that_was_killed_is_completed(run, cloud, gone) -> None:
    make_group(cloud, OLD, LEFT)
    if gone == "group":
        cloud.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=OLD, ForceDelete=True)
    else:
        cloud.client("ec2").delete_launch_template(LaunchTemplateName=OLD)
    assert run([removed()]).plan.changed
    assert names(cloud) == (set(), set())


def test_what_is_gone_when_its_turn_comes_is_no_error(run, cloud) -> None:
    make_group(cloud, OLD, LEFT)
    planned = run([removed()], apply=False)
    run([removed()])
    for deletion in planned.deletions:
        deletion.run()


def test_a_role_that_no_group_has_any_more(run, cloud, calls) -> None:
    make_group(cloud, OLD, LEFT)
    make_identity(cloud)
    wanted = {"unused_roles": {BASTION: ROLE}}
    calls.clear()
    planned = run([removed()], apply=False)
    assert calls.of("GetAccountAuthorizationDetails") == 0
    assert {deletion.kind for deletion in planned.deletions} == {"AutoscalingGroup", "LaunchTemplate"}
    planned = run([removed(**wanted)])
    identity = [deletion for deletion in planned.deletions if deletion.kind.startswith("IAM")]
    assert [(deletion.kind, deletion.item) for deletion in identity] == [
        ("IAMInstanceProfile", ROLE),
        ("IAMRole", ROLE),
    ]
    assert {deletion.reason for deletion in identity} == {"no instance group has this role any more"}
    iam = cloud.client("iam")
    assert (iam.list_roles()["Roles"], iam.list_instance_profiles()["InstanceProfiles"]) == ([], [])
    assert not run([removed(**wanted)]).plan.changed


def test_roles_of_others_stay(run, cloud) -> None:
    make_identity(cloud, owner="shared")
    assert not run([removed(unused_roles={BASTION: ROLE})]).plan.changed


@pytest.mark.parametrize("left", [True, False])
def test_in_a_large_account_a_role_is_asked_for_when_something_of_it_is_left(
    run, cloud, calls, monkeypatch, left
) -> None:
    make_identity(cloud)
    if left:
        make_group(cloud, OLD, LEFT)
    monkeypatch.setattr(iam_reads, "_account_roles", lambda cloud: ({}, False))
    calls.clear()
    kinds = {deletion.kind for deletion in run([removed(unused_roles={BASTION: ROLE})], apply=False).deletions}
    assert ("IAMRole" in kinds) == left
    assert calls.of("GetRole") == int(left)


def test_a_lifecycle_that_only_looks_deletes_nothing(run, cloud) -> None:
    make_group(cloud, OLD, LEFT)
    for lifecycle in (Lifecycle.IGNORE, Lifecycle.EXISTS_AND_VALIDATES, Lifecycle.EXISTS_AND_WARN_IF_CHANGES):
        assert run([removed(lifecycle=lifecycle)]).deletions == []
