# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Launch templates, autoscaling groups, lifecycle hooks and warm pools against moto's server.

moto does not read back MaxInstanceLifetime, changes of CapacityRebalance, instance requirements and warm pools (in
the description of a group); what it drops is given to find() as AWS describes it.
"""

from __future__ import annotations

import base64
import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks import autoscaling_group, launch_template
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks._template_notes import HOOKS, read_note
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.autoscaling_group import AutoscalingGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.autoscaling_lifecycle_hook import (
    AutoscalingLifecycleHook,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.block_device_mapping import (
    BlockDeviceMapping,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.iam_instance_profile import (
    IAMInstanceProfile,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.instance_requirements import (
    InstanceRequirements,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.launch_template import LaunchTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group import SecurityGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.target_group import TargetGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.warm_pool import WarmPool
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater, differences

from .conftest import CLUSTER

NAME = f"nodes.{CLUSTER}"
IMAGE = "ami-12c6146b"
OTHER_IMAGE = "ami-03cf127a"
METRICS = ["GroupMinSize", "GroupMaxSize"]


def owned(name: str, **more: str) -> dict[str, str]:
    return {"Name": name, "KubernetesCluster": CLUSTER, f"kubernetes.io/cluster/{CLUSTER}": "owned", **more}


class Scaled:
    """A group in its network; fresh objects, as each run has them."""

    def __init__(self, name: str = NAME) -> None:
        self.vpc = VPC(CLUSTER, cidr="10.0.0.0/16", tags=owned(CLUSTER))
        self.subnets = [
            Subnet(
                f"us-east-1{zone}.{CLUSTER}",
                short_name=f"us-east-1{zone}",
                vpc=self.vpc,
                availability_zone=f"us-east-1{zone}",
                cidr=f"10.0.{number}.0/24",
                tags=owned(f"us-east-1{zone}.{CLUSTER}"),
            )
            for number, zone in enumerate("ab")
        ]
        self.security_group = SecurityGroup(
            f"nodes.{CLUSTER}", vpc=self.vpc, description="nodes", tags=owned(f"nodes.{CLUSTER}")
        )
        self.profile = IAMInstanceProfile(f"nodes.{CLUSTER}", tags=owned(f"nodes.{CLUSTER}"), shared=False)
        self.template = LaunchTemplate(
            name,
            associate_public_ip=True,
            block_device_mappings=[],
            cpu_credits="",
            http_put_response_hop_limit=1,
            http_tokens="required",
            http_protocol_ipv6="disabled",
            iam_instance_profile=self.profile,
            image_id=IMAGE,
            instance_monitoring=False,
            instance_type="t3.medium",
            ipv6_address_count=0,
            root_device_name="/dev/sda1",
            root_volume_iops=3000,
            root_volume_size=128,
            root_volume_throughput=125,
            root_volume_type="gp3",
            root_volume_encryption=True,
            root_volume_kms_key="",
            security_groups=[self.security_group],
            spot_price="",
            tags=owned(name, **{"k8s.io/role/node": "1"}),
            user_data="#!/bin/bash\necho \N{GREEK SMALL LETTER ALPHA}\n",
        )
        self.group = AutoscalingGroup(
            name,
            granularity="1Minute",
            instance_protection=False,
            launch_template=self.template,
            load_balancers=[],
            max_instance_lifetime=0,
            max_size=2,
            metrics=list(METRICS),
            min_size=1,
            subnets=list(self.subnets),
            suspend_processes=[],
            tags=owned(name, **{"k8s.io/role/node": "1"}),
            target_groups=[],
        )
        self.termination_hook = AutoscalingLifecycleHook(
            f"{name}-NTHLifecycleHook",
            autoscaling_group=self.group,
            default_result="CONTINUE",
            heartbeat_timeout=300,
            lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
            enabled=True,
        )
        self.warm_hook = AutoscalingLifecycleHook(
            f"kops-warmpool-{name}",
            hook_name="kops-warmpool",
            autoscaling_group=self.group,
            default_result="ABANDON",
            heartbeat_timeout=600,
            lifecycle_transition="autoscaling:EC2_INSTANCE_LAUNCHING",
            enabled=False,
        )
        self.warm_pool = WarmPool(name, enabled=False, autoscaling_group=self.group)

    @property
    def network(self) -> list:
        return [self.vpc, *self.subnets, self.security_group, self.profile]

    @property
    def own(self) -> list:
        return [self.template, self.group, self.termination_hook, self.warm_hook, self.warm_pool]

    @property
    def tasks(self) -> list:
        return [*self.network, *self.own]


def scaled(**changes) -> list:
    """The tasks, with attributes set: template__tags={...}."""
    found = Scaled()
    for path, value in changes.items():
        name, _dot, attribute = path.partition("__")
        setattr(getattr(found, name), attribute, value)
    return found.tasks


def scaling_calls(calls) -> list[str]:
    return sorted(call for call in calls if call.startswith("autoscaling.") or "LaunchTemplate" in call)


def describe(cloud) -> dict:
    (group,) = cloud.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    return group


def latest_data(cloud) -> dict:
    answer = cloud.client("ec2").describe_launch_template_versions(LaunchTemplateName=NAME, Versions=["$Latest"])
    return answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]


# -- groups ------------------------------------------------------------------------------------------------------------


def test_a_group_is_made_and_found_again(run, calls, cloud) -> None:
    created = run(scaled())
    assert {key for key in created.actions if NAME in key} >= {
        f"LaunchTemplate/{NAME}",
        f"AutoscalingGroup/{NAME}",
        f"AutoscalingLifecycleHook/{NAME}-NTHLifecycleHook",
    }
    # What is not wanted and does not exist is no action.
    assert f"WarmPool/{NAME}" not in created.actions
    assert f"AutoscalingLifecycleHook/kops-warmpool-{NAME}" not in created.actions
    group = describe(cloud)
    assert group["LaunchTemplate"]["Version"] == "$Latest"
    assert all(tag["PropagateAtLaunch"] for tag in group["Tags"])
    assert base64.b64decode(latest_data(cloud)["UserData"]).decode().endswith("\N{GREEK SMALL LETTER ALPHA}\n")
    calls.clear()
    again = run(scaled())
    assert (again.actions, again.deletions) == ({}, [])
    assert calls.writes == []


def test_reads_do_not_grow_with_the_number_of_groups(run, calls) -> None:
    def many() -> list:
        groups = [Scaled(f"nodes-{number}.{CLUSTER}") for number in range(12)]
        for group in groups[1:]:
            group.template.security_groups = groups[0].template.security_groups
            group.template.iam_instance_profile = groups[0].profile
            group.group.subnets = groups[0].subnets
        return [*groups[0].network, *(task for group in groups for task in group.own)]

    run(many())
    calls.clear()
    assert run(many()).actions == {}
    assert (calls.of("DescribeTags"), calls.of("DescribeLifecycleHooks")) == (1, 0)
    assert scaling_calls(calls) == [
        "autoscaling.DescribeAutoScalingGroups",
        "ec2.DescribeLaunchTemplateVersions",
        "ec2.DescribeLaunchTemplates",
    ]


def test_nothing_is_asked_about_templates_that_do_not_exist(run, calls) -> None:
    run(scaled(), apply=False)
    assert "ec2.DescribeLaunchTemplateVersions" not in calls


def test_a_group_is_changed_in_place(run, cloud) -> None:
    run(scaled())
    changed = {
        "group__min_size": 2,
        "group__max_size": 5,
        "group__metrics": ["GroupMaxSize", "GroupTotalInstances"],
        "group__suspend_processes": ["AZRebalance"],
        "group__instance_protection": True,
        "group__tags": owned(NAME, team="a"),
        "group__subnets": Scaled().subnets[:1],
    }
    wanted = Scaled()
    for path, value in changes_of(changed, wanted):
        setattr(wanted.group, path, value)
    result = run(wanted.tasks)
    assert result.changes[f"AutoscalingGroup/{NAME}"].keys() == {path.partition("__")[2] for path in changed}
    group = describe(cloud)
    assert (group["MinSize"], group["MaxSize"]) == (2, 5)
    assert {metric["Metric"] for metric in group["EnabledMetrics"]} >= {"GroupMaxSize", "GroupTotalInstances"}
    assert [process["ProcessName"] for process in group["SuspendedProcesses"]] == ["AZRebalance"]
    assert "k8s.io/role/node" not in {tag["Key"] for tag in group["Tags"]}
    again = Scaled()
    for path, value in changes_of(changed, again):
        setattr(again.group, path, value)
    assert run(again.tasks).actions == {}
    run(scaled())
    assert describe(cloud)["SuspendedProcesses"] == []
    assert run(scaled()).actions == {}


def changes_of(changed: dict, wanted: Scaled):
    for path, value in changed.items():
        name = path.partition("__")[2]
        yield name, wanted.subnets[:1] if name == "subnets" else value


def test_a_change_of_the_template_leaves_the_group_alone(run) -> None:
    run(scaled())
    assert run(scaled(template__instance_type="t3.large")).actions == {f"LaunchTemplate/{NAME}": "update"}


MIXED = {
    "group__mixed_instance_overrides": ["t3.medium", "t3.large"],
    "group__mixed_on_demand_base": 1,
    "group__mixed_on_demand_above_base": 50,
    "group__mixed_spot_allocation_strategy": "capacity-optimized",
    "group__mixed_spot_instance_pools": 2,
    "group__mixed_spot_max_price": "",
}


def test_a_group_gets_a_mixed_instances_policy_and_loses_it(run, cloud) -> None:
    run(scaled())
    run(scaled(**MIXED))
    policy = describe(cloud)["MixedInstancesPolicy"]
    assert [item["InstanceType"] for item in policy["LaunchTemplate"]["Overrides"]] == ["t3.medium", "t3.large"]
    assert policy["LaunchTemplate"]["LaunchTemplateSpecification"]["Version"] == "$Latest"
    assert run(scaled(**MIXED)).actions == {}
    more = {**MIXED, "group__mixed_instance_overrides": ["t3.large"], "group__mixed_on_demand_base": 2}
    assert run(scaled(**more)).changes[f"AutoscalingGroup/{NAME}"].keys() == {
        "mixed_instance_overrides",
        "mixed_on_demand_base",
    }
    result = run(scaled())
    assert result.changes[f"AutoscalingGroup/{NAME}"].keys() == {"mixed_instances"}
    assert not describe(cloud).get("MixedInstancesPolicy")
    assert run(scaled()).actions == {}


def test_a_group_that_follows_a_fixed_version_is_made_to_follow_the_latest(run, cloud) -> None:
    run(scaled())
    template = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"][0]["LaunchTemplateId"]
    cloud.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=NAME, LaunchTemplate={"LaunchTemplateId": template, "Version": "1"}
    )
    assert run(scaled()).changes[f"AutoscalingGroup/{NAME}"].keys() == {"launch_template_version"}
    assert describe(cloud)["LaunchTemplate"]["Version"] == "$Latest"


def test_target_groups_are_attached_ten_at_a_time_and_detached_when_pruned(run, cloud, calls) -> None:
    def balanced(number: int) -> list:
        wanted = Scaled()
        groups = [
            TargetGroup(
                f"tg-{index}", vpc=wanted.vpc, port=443, protocol="TCP", tags=owned(f"tg-{index}"), shared=False
            )
            for index in range(number)
        ]
        wanted.group.target_groups = groups
        return [*wanted.tasks, *groups]

    run(scaled())
    run(balanced(12))
    assert calls.of("AttachLoadBalancerTargetGroups") == 2
    assert len(describe(cloud)["TargetGroupARNs"]) == 12
    kept = run(balanced(11), delete=False)
    assert kept.actions == {}
    assert [(deletion.kind, deletion.deferred) for deletion in kept.deletions] == [("autoscaling-elb-attachment", True)]
    run(balanced(11))
    assert len(describe(cloud)["TargetGroupARNs"]) == 11


def test_classic_load_balancers_are_attached_and_detached(run, cloud) -> None:
    for name in ("one", "two"):
        cloud.client("elb").create_load_balancer(
            LoadBalancerName=name,
            AvailabilityZones=["us-east-1a"],
            Listeners=[{"Protocol": "tcp", "LoadBalancerPort": 80, "InstancePort": 80}],
        )
    run(scaled(group__load_balancers=["one"]))
    run(scaled(group__load_balancers=["two"]))
    assert describe(cloud)["LoadBalancerNames"] == ["two"]
    assert run(scaled(group__load_balancers=["two"])).actions == {}


def test_a_killed_run_is_completed(run, cloud) -> None:
    """The group exists, its metrics are not enabled, its processes run, its hook is missing."""
    first = Scaled()
    run(first.network)
    first.template.create(cloud)
    first.group.metrics, first.group.suspend_processes = [], []
    first.group.create(cloud)
    wanted = {"group__suspend_processes": ["AZRebalance"]}
    result = run(scaled(**wanted))
    assert result.actions == {
        f"AutoscalingGroup/{NAME}": "update",
        f"AutoscalingLifecycleHook/{NAME}-NTHLifecycleHook": "create",
    }
    assert run(scaled(**wanted)).actions == {}


@pytest.mark.parametrize(
    ("code", "message", "status", "expected"),
    [
        ("ValidationError", "Invalid IAM Instance Profile name", None, TryAgainLater),
        ("AlreadyExists", "by this name already exists", "Delete in progress", TryAgainLater),
        ("AlreadyExists", "by this name already exists", None, KopsError),
        ("LimitExceeded", "too many", None, Exception),
    ],
)
def test_a_refused_creation_says_what_it_means(cloud, monkeypatch, code, message, status, expected) -> None:
    from botocore.exceptions import ClientError

    def refuse(**_given):
        raise ClientError({"Error": {"Code": code, "Message": message}}, "CreateAutoScalingGroup")

    client = cloud.client("autoscaling")
    group = {"AutoScalingGroupName": NAME, **({"Status": status} if status else {})}
    monkeypatch.setattr(client, "create_auto_scaling_group", refuse)

    def describe_all(**given):
        # It does not carry the tag that the cluster's groups are selected by.
        return {"AutoScalingGroups": [] if "Filters" in given else [group]}

    monkeypatch.setattr(client, "describe_auto_scaling_groups", describe_all)
    with pytest.raises(expected) as caught:
        Scaled().group.create(cloud)
    if expected is Exception:
        assert isinstance(caught.value, ClientError)
    else:
        assert caught.type is expected


def test_a_creation_whose_answer_was_lost_goes_on(run, cloud, calls) -> None:
    wanted = Scaled()
    run([*wanted.network, wanted.template])
    metrics, wanted.group.metrics = wanted.group.metrics, []
    wanted.group.create(cloud)
    wanted.group.metrics = metrics
    calls.clear()
    wanted.group.create(cloud)
    assert calls.writes == ["autoscaling.CreateAutoScalingGroup", "autoscaling.EnableMetricsCollection"]
    assert {metric["Metric"] for metric in describe(cloud)["EnabledMetrics"]} == set(METRICS)


def test_bad_sizes_and_missing_subnets_are_refused(run) -> None:
    with pytest.raises(PlanError, match="smallest size 3 is above the largest 2"):
        run(scaled(group__min_size=3))
    with pytest.raises(PlanError, match="has no subnets"):
        run(scaled(group__subnets=[]))


def as_aws_describes(group: AutoscalingGroup, monkeypatch, cloud, **more) -> AutoscalingGroup:
    """What find() makes of a description that moto cannot give."""
    described = {
        "AutoScalingGroupName": group.name,
        "MinSize": 1,
        "MaxSize": 2,
        "LaunchTemplate": {"LaunchTemplateId": "lt-1", "Version": "$Latest"},
        **more,
    }
    cloud.forget(autoscaling_group.describe_groups)
    monkeypatch.setattr(cloud, "once", lambda read, *arguments: {group.name: described})
    found = group.find(cloud)
    assert found is not None
    return found


def test_what_moto_drops_is_read_from_what_aws_describes(cloud, monkeypatch) -> None:
    wanted = Scaled().group
    wanted.launch_template.id = "lt-1"
    wanted.max_instance_lifetime, wanted.capacity_rebalance = 604800, True
    wanted.instance_requirements = InstanceRequirements(
        cpu_min=2, cpu_max=4, memory_min=2048, excluded_instance_types=["t2.*"]
    )
    wanted.prepare(cloud)
    requirements = {
        "VCpuCount": {"Min": 2, "Max": 4},
        "MemoryMiB": {"Min": 2048},
        "BurstablePerformance": "included",
        "ExcludedInstanceTypes": ["t2.*"],
    }
    assert wanted.instance_requirements.override() == {"InstanceRequirements": requirements}
    specification = {"LaunchTemplateId": "lt-1", "LaunchTemplateName": NAME, "Version": "$Latest"}
    actual = as_aws_describes(
        wanted,
        monkeypatch,
        cloud,
        MaxInstanceLifetime=604800,
        CapacityRebalance=True,
        LaunchTemplate=None,
        MixedInstancesPolicy={
            "LaunchTemplate": {
                "LaunchTemplateSpecification": specification,
                "Overrides": [{"InstanceRequirements": requirements}],
            },
            "InstancesDistribution": {},
        },
    )
    same = {
        "max_instance_lifetime",
        "capacity_rebalance",
        "instance_requirements",
        "launch_template",
        "mixed_instances",
    }
    assert not same & differences(wanted, actual).keys()


def test_a_lifetime_is_sent_when_it_is_set_and_when_it_is_taken_back(run, cloud, monkeypatch) -> None:
    sent = []
    real = cloud.client("autoscaling").meta.events
    real.register("provide-client-params.autoscaling.*", lambda params, **_rest: sent.append(params))
    wanted = Scaled()
    run([*wanted.network, wanted.template])
    wanted.group.max_instance_lifetime = 86400
    wanted.group.create(cloud)
    assert sent[0]["MaxInstanceLifetime"] == 86400
    wanted.group.max_instance_lifetime = 0
    wanted.group.update(cloud, wanted.group, {"max_instance_lifetime": None})
    assert sent[-1]["MaxInstanceLifetime"] == 0


# -- launch templates --------------------------------------------------------------------------------------------------


def test_every_field_of_a_template_comes_back_and_changes_make_a_version(run, cloud) -> None:
    run(scaled())
    changed = {
        "template__associate_public_ip": False,
        "template__block_device_mappings": [
            BlockDeviceMapping(
                device_name="/dev/xvdd",
                ebs_delete_on_termination=True,
                ebs_encrypted=True,
                ebs_volume_size=20,
                ebs_volume_type="gp3",
                ebs_volume_iops=3000,
                ebs_volume_throughput=125,
            ),
            BlockDeviceMapping(device_name="/dev/sdc", virtual_name="ephemeral0"),
        ],
        "template__cpu_credits": "unlimited",
        "template__http_put_response_hop_limit": 3,
        "template__http_tokens": "optional",
        "template__http_protocol_ipv6": "enabled",
        "template__image_id": OTHER_IMAGE,
        "template__instance_monitoring": True,
        "template__instance_type": "m5.large",
        "template__ipv6_address_count": 1,
        "template__root_volume_size": 64,
        "template__root_volume_type": "gp2",
        "template__root_volume_iops": 0,
        "template__root_volume_throughput": None,
        "template__root_volume_kms_key": "arn:aws:kms:us-east-1:123456789012:key/1",
        "template__root_volume_optimization": True,
        "template__spot_price": "0.05",
        "template__instance_interruption_behavior": "terminate",
        "template__tags": owned(NAME, team="a"),
        "template__tenancy": "dedicated",
        "template__user_data": "#!/bin/sh\n",
    }
    result = run(scaled(**changed))
    # A field that is None is not compared.
    expected = {path.partition("__")[2] for path, value in changed.items() if value is not None}
    assert result.changes[f"LaunchTemplate/{NAME}"].keys() == expected
    assert run(scaled(**changed)).actions == {}
    (template,) = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"]
    assert (template["LatestVersionNumber"], template["DefaultVersionNumber"]) == (2, 2)
    own_tags = {tag["Key"] for tag in template["Tags"]}
    assert "team" in own_tags and "k8s.io/role/node" not in own_tags
    run(scaled())
    assert run(scaled()).actions == {}


def test_old_versions_go_when_they_are_pruned(run, cloud) -> None:
    for size in (1, 2, 3):
        run(scaled(template__root_volume_size=size * 10), delete=False)
    kept = run(scaled(template__root_volume_size=30), delete=False)
    (deletion,) = kept.deletions
    assert (deletion.item, deletion.deferred) == (f"{NAME} versions 1 to 2", True)
    deletion.run()
    versions = cloud.client("ec2").describe_launch_template_versions(LaunchTemplateName=NAME)["LaunchTemplateVersions"]
    assert [version["VersionNumber"] for version in versions] == [3]
    assert run(scaled(template__root_volume_size=30)).deletions == []


def test_old_versions_stay_where_they_cannot_be_deleted(run, cloud, monkeypatch) -> None:
    """moto by itself does not know the operation: nothing happens, and nothing is noted."""
    from botocore.parsers import ResponseParserError

    def refuse(**_given):
        raise ResponseParserError("no answer of AWS")

    for size in (10, 20):
        run(scaled(template__root_volume_size=size), delete=False)
    (template,) = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"]
    monkeypatch.setattr(cloud.client("ec2"), "delete_launch_template_versions", refuse)
    launch_template._delete_versions(cloud, template["LaunchTemplateId"], 1, 2)
    (kept,) = run(scaled(template__root_volume_size=20), apply=False).deletions
    assert kept.item == f"{NAME} version 1"


def test_pruned_versions_are_noted_and_not_named_again(run, cloud, monkeypatch) -> None:
    for size in (10, 20):
        run(scaled(template__root_volume_size=size), delete=False)
    (template,) = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"]
    asked = []
    monkeypatch.setattr(
        cloud.client("ec2"), "delete_launch_template_versions", lambda **given: asked.append(given["Versions"])
    )
    launch_template._delete_versions(cloud, template["LaunchTemplateId"], 1, 2)
    launch_template._delete_versions(cloud, template["LaunchTemplateId"], 2, 2)
    assert asked == [["1"]]
    assert run(scaled(template__root_volume_size=20)).deletions == []


def test_templates_with_kops_old_names_go(run, cloud) -> None:
    run(scaled())
    cloud.client("ec2").create_launch_template(
        LaunchTemplateName=f"{NAME}-20200101",
        LaunchTemplateData={"ImageId": IMAGE},
        TagSpecifications=[
            {
                "ResourceType": "launch-template",
                "Tags": [{"Key": key, "Value": value} for key, value in owned(NAME).items()],
            }
        ],
    )
    result = run(scaled())
    assert [(deletion.item, deletion.deferred) for deletion in result.deletions] == [(f"{NAME}-20200101", False)]
    result.deletions[0].run()
    assert run(scaled()).deletions == []


def test_a_default_version_that_stayed_behind_is_moved_up(run, cloud) -> None:
    """A run was killed between the new version and making it the default."""
    run(scaled())
    first = Scaled()
    run(first.tasks)
    first.template.user_data = "new"
    cloud.client("ec2").create_launch_template_version(
        LaunchTemplateId=first.template.id, LaunchTemplateData=first.template.data()
    )
    result = run(scaled(template__user_data="new"))
    assert result.changes[f"LaunchTemplate/{NAME}"].keys() == {"default_version"}
    (template,) = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"]
    assert (template["LatestVersionNumber"], template["DefaultVersionNumber"]) == (2, 2)


def test_security_groups_outside_of_the_interface_are_a_difference(cloud, run) -> None:
    run(scaled())
    wanted = Scaled()
    run(wanted.tasks)
    data = wanted.template.data()
    groups = data["NetworkInterfaces"][0].pop("Groups")
    cloud.client("ec2").create_launch_template_version(
        LaunchTemplateId=wanted.template.id, LaunchTemplateData={**data, "SecurityGroupIds": groups}
    )
    assert "security_groups" in run(scaled()).changes[f"LaunchTemplate/{NAME}"]


def test_versions_that_aws_does_not_show_yet_are_waited_for(run, cloud, monkeypatch) -> None:
    run(scaled())
    monkeypatch.setattr(launch_template, "describe_latest_versions", lambda cloud: {})
    with pytest.raises(TryAgainLater, match="does not show the versions"):
        Scaled().template.find(cloud)


def test_a_template_needs_an_image(run) -> None:
    with pytest.raises(PlanError, match="has no image"):
        run(scaled(template__image_id=None))


# -- hooks and warm pools ----------------------------------------------------------------------------------------------


def hooks(cloud) -> dict[str, dict]:
    answer = cloud.client("autoscaling").describe_lifecycle_hooks(AutoScalingGroupName=NAME)
    return {hook["LifecycleHookName"]: hook for hook in answer["LifecycleHooks"]}


def test_hooks_come_change_and_go(run, cloud, calls) -> None:
    run(scaled())
    assert set(hooks(cloud)) == {f"{NAME}-NTHLifecycleHook"}
    warm = {"warm_hook__enabled": True, "termination_hook__heartbeat_timeout": 120}
    result = run(scaled(**warm))
    assert result.actions == {
        f"AutoscalingLifecycleHook/{NAME}-NTHLifecycleHook": "update",
        f"AutoscalingLifecycleHook/kops-warmpool-{NAME}": "create",
    }
    assert hooks(cloud)[f"{NAME}-NTHLifecycleHook"]["HeartbeatTimeout"] == 120
    assert hooks(cloud)["kops-warmpool"]["DefaultResult"] == "ABANDON"
    calls.clear()
    assert run(scaled(**warm)).actions == {}
    assert calls.of("DescribeLifecycleHooks") == 0
    assert run(scaled()).changes[f"AutoscalingLifecycleHook/kops-warmpool-{NAME}"].keys() == {"enabled"}
    assert set(hooks(cloud)) == {f"{NAME}-NTHLifecycleHook"}
    assert run(scaled()).actions == {}


def test_hooks_without_a_record_are_read_and_nothing_is_written(run, cloud, calls) -> None:
    """As in a cluster that kops has made."""
    run(scaled())
    template = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"][0]["LaunchTemplateId"]
    cloud.client("ec2").delete_tags(Resources=[template], Tags=[{"Key": HOOKS}])
    calls.clear()
    assert run(scaled()).actions == {}
    assert (calls.of("DescribeLifecycleHooks"), calls.writes) == (1, [])


def test_a_hook_that_is_missing_without_a_record_is_made(run, cloud) -> None:
    """A run was killed before the hook, or somebody took hook and record away."""
    run(scaled())
    cloud.client("autoscaling").delete_lifecycle_hook(
        AutoScalingGroupName=NAME, LifecycleHookName=f"{NAME}-NTHLifecycleHook"
    )
    template = cloud.client("ec2").describe_launch_templates()["LaunchTemplates"][0]["LaunchTemplateId"]
    cloud.client("ec2").delete_tags(Resources=[template], Tags=[{"Key": HOOKS}])
    assert run(scaled()).actions == {f"AutoscalingLifecycleHook/{NAME}-NTHLifecycleHook": "create"}
    assert set(hooks(cloud)) == {f"{NAME}-NTHLifecycleHook"}


def test_the_record_is_written_only_when_all_hooks_of_the_group_are_in_place(run, cloud, new_cloud) -> None:
    wanted = Scaled()
    wanted.warm_hook.enabled = True
    run([*wanted.network, wanted.template, wanted.group])
    for hook in (wanted.termination_hook, wanted.warm_hook):
        hook.prepare(cloud)
        assert hook.find(cloud) is None

    def record() -> str:
        return read_note(new_cloud(), wanted.template.id, HOOKS)

    wanted.termination_hook.create(cloud)
    assert record() == ""
    wanted.warm_hook.create(cloud)
    assert record() == wanted.warm_hook._record()


def test_a_change_of_template_tags_leaves_the_record_alone(run, calls) -> None:
    run(scaled())
    run(scaled(template__tags=owned(NAME, team="a")))
    calls.clear()
    run(scaled(template__tags=owned(NAME, team="a")))
    assert calls.of("DescribeLifecycleHooks") == 0


def test_a_warm_pool_is_made(run, cloud) -> None:
    wanted = {
        "warm_pool__enabled": True,
        "warm_pool__min_size": 1,
        "warm_pool__max_size": 3,
        "warm_hook__enabled": True,
    }
    result = run(scaled(**wanted))
    pool = cloud.client("autoscaling").describe_warm_pool(AutoScalingGroupName=NAME)["WarmPoolConfiguration"]
    assert (pool["MinSize"], pool["MaxGroupPreparedCapacity"]) == (1, 3)
    # Instances of the pool must already be held by the hook.
    order = [step.task.key for step in result.plan.steps]
    assert order.index(f"WarmPool/{NAME}") > order.index(f"AutoscalingLifecycleHook/kops-warmpool-{NAME}")


@pytest.mark.parametrize(
    ("described", "wanted", "expected"),
    [
        (None, {"enabled": True}, "create"),
        (None, {"enabled": False}, "nothing"),
        ({"MinSize": 1, "MaxGroupPreparedCapacity": 3}, {"enabled": True, "min_size": 1, "max_size": 3}, "nothing"),
        ({"MinSize": 1, "MaxGroupPreparedCapacity": 3}, {"enabled": True, "min_size": 2, "max_size": 3}, "min_size"),
        ({"MinSize": 1, "MaxGroupPreparedCapacity": -1}, {"enabled": True, "min_size": 1}, "nothing"),
        ({"MinSize": 1, "MaxGroupPreparedCapacity": 3}, {"enabled": True, "min_size": 1}, "max_size"),
        ({"MinSize": 1}, {"enabled": False}, "enabled"),
        ({"MinSize": 1, "Status": "PendingDelete"}, {"enabled": False}, "nothing"),
    ],
)
def test_a_warm_pool_is_compared_with_what_aws_describes(monkeypatch, cloud, described, wanted, expected) -> None:
    group = {NAME: {"AutoScalingGroupName": NAME, "WarmPoolConfiguration": described}}
    monkeypatch.setattr(cloud, "once", lambda read: group)
    pool = WarmPool(NAME, autoscaling_group=Scaled().group, **wanted)
    pool.prepare(cloud)
    actual = pool.find(cloud)
    if expected == "create":
        assert actual is None
    else:
        assert set(differences(pool, actual)) == ({expected} - {"nothing"})


def test_a_warm_pool_goes_and_waits_for_its_group(run, cloud, monkeypatch) -> None:
    from botocore.exceptions import ClientError

    run(scaled(warm_pool__enabled=True, warm_pool__min_size=1))
    off = Scaled().warm_pool
    off.update(cloud, off, {"enabled": None})
    client = cloud.client("autoscaling")
    assert "WarmPoolConfiguration" not in client.describe_warm_pool(AutoScalingGroupName=NAME)

    def refuse(**_given):
        raise ClientError({"Error": {"Code": "ValidationError", "Message": "not yet"}}, "PutWarmPool")

    monkeypatch.setattr(client, "put_warm_pool", refuse)
    with pytest.raises(TryAgainLater, match="takes a warm pool"):
        Scaled().warm_pool.create(cloud)


# -- Terraform ---------------------------------------------------------------------------------------------------------


def test_terraform_of_what_no_golden_case_has() -> None:
    wanted = Scaled()
    wanted.template.spot_price, wanted.template.cpu_credits = "0.05", "unlimited"
    wanted.template.instance_interruption_behavior = "stop"
    wanted.group.capacity_rebalance = True
    wanted.group.tags = owned(NAME, **{"k8s.io/role/control-plane": "1", "k8s.io/role/master": "1"})
    wanted.group.target_groups = [TargetGroup("theirs", arn="arn:x", shared=True)]
    text = TerraformTarget(PROVIDERS[AWS], {"region": "us-test-1"}).render(wanted.own)["kubernetes.tf"].decode()
    assert 'instance_interruption_behavior = "stop"' in text
    assert 'cpu_credits = "unlimited"' in text
    assert re.search(r'target_group_arns += \["arn:x"\]', text)
    assert "master_autoscaling_group_ids" in text
    assert "kops-warmpool" not in text and "warm_pool {" not in text


def test_tags_of_two_roles_are_refused() -> None:
    wanted = Scaled()
    wanted.group.tags = owned(NAME, **{"k8s.io/role/node": "1", "k8s.io/role/bastion": "1"})
    with pytest.raises(KopsError, match="tags of several roles: bastion, node"):
        TerraformTarget(PROVIDERS[AWS], {"region": "us-test-1"}).render([wanted.group])
