# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups: launch templates, autoscaling groups, warm pools, and the queue of terminations."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle
from ansible_collections.kubeops.kops.plugins.module_utils.model.phases import layers

TEMPLATE = "LaunchTemplate/nodes.demo.example.com"
GROUP = "AutoscalingGroup/nodes.demo.example.com"
HANDLER = "cloudProvider.aws.nodeTerminationHandler"


def template(model, **fields):
    return model(groups={"nodes": fields})[TEMPLATE]


def test_template_holds_what_the_cloud_knows_of_the_image(model):
    found = template(model)
    assert (found.image_id, found.root_device_name, found.instance_type) == ("ami-1", "/dev/sda1", "t3.medium")
    assert (found.http_tokens, found.http_put_response_hop_limit) == ("required", 1)


def test_first_of_several_machine_types_counts(model):
    assert template(model, machineType="t3.medium,i3.big").instance_type == "t3.medium"


def test_missing_image_and_machine_type_are_named(model):
    with pytest.raises(KopsError, match="instance group nodes.*image 'none'"):
        template(model, image="none")
    with pytest.raises(KopsError, match="instance group nodes.*'x9.none' in us-east-1"):
        template(model, machineType="x9.none")


def test_disks_of_the_machine_type_follow_those_of_the_user(model):
    volume = {"device": "/dev/xvdz", "size": 20, "type": "gp2", "encrypted": False, "deleteOnTermination": False}
    devices = template(model, machineType="i3.big", volumes=[volume]).block_device_mappings
    assert [device.device_name for device in devices] == ["/dev/xvdz", "/dev/sdc", "/dev/sdd"]
    assert (devices[0].ebs_encrypted, devices[0].ebs_delete_on_termination, devices[0].ebs_volume_iops) == (
        False,
        False,
        None,
    )
    assert devices[2].virtual_name == "ephemeral1"


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ({}, ("gp3", 128, 3000, 125)),
        ({"size": 50, "iops": 100, "throughput": 10}, ("gp3", 50, 3000, 125)),
        ({"iops": 6000, "throughput": 500}, ("gp3", 128, 6000, 500)),
        ({"type": "io2"}, ("io2", 128, 100, None)),
        ({"type": "gp2", "iops": 100}, ("gp2", 128, None, None)),
    ],
)
def test_root_volume(model, volume, expected):
    found = template(model, rootVolume=volume)
    assert (
        found.root_volume_type,
        found.root_volume_size,
        found.root_volume_iops,
        found.root_volume_throughput,
    ) == expected


def test_root_volume_key_counts_only_with_encryption(model):
    assert template(model).root_volume_encryption is True
    assert template(model, rootVolume={"encryptionKey": "k"}).root_volume_kms_key == ""
    assert template(model, rootVolume={"encryption": True, "encryptionKey": "k"}).root_volume_kms_key == "k"
    assert template(model, rootVolume={"encryption": False}).root_volume_encryption is False


def test_addresses_follow_the_subnets(model):
    assert template(model).associate_public_ip is False
    assert template(model, subnets=["utility-a"]).associate_public_ip is True
    assert template(model, subnets=["utility-a"], associatePublicIP=False).associate_public_ip is False


def test_spot_price_is_the_groups_when_types_are_mixed(model):
    assert template(model, maxPrice="0.1").spot_price == "0.1"
    tasks = model(groups={"nodes": {"maxPrice": "0.1", "mixedInstancesPolicy": {"instances": ["i3.big"]}}})
    assert tasks[TEMPLATE].spot_price == ""
    assert tasks[GROUP].mixed_spot_max_price == "0.1"


@pytest.mark.parametrize(
    ("fields", "keys", "expected"),
    [
        ({"sshKeyName": ""}, ["k"], None),
        ({"sshKeyName": "mine"}, [], ("mine", True)),
        ({}, [], None),
    ],
)
def test_key_pair(model, fields, keys, expected):
    tasks = model(fields, ssh_public_keys=keys)
    found = [(task.name, task.shared) for task in tasks.values() if task.kind == "SSHKey"]
    assert found == ([expected] if expected else [])
    assert (tasks[TEMPLATE].ssh_key is None) is (expected is None)


def test_own_instance_profile_is_used(model):
    arn = "arn:aws:iam::123456789012:instance-profile/mine"
    tasks = model(groups={"nodes": {"iam": {"profile": arn}}})
    assert tasks[TEMPLATE].iam_instance_profile is tasks["IAMInstanceProfile/mine"]
    assert tasks["IAMInstanceProfile/mine"].shared is True
    assert "IAMRole/nodes.demo.example.com" not in tasks


def test_an_instance_profile_is_of_one_role(model):
    profile = {"iam": {"profile": "arn:aws:iam::1:instance-profile/mine"}}
    with pytest.raises(KopsError, match="two roles: ControlPlane and Node"):
        model(groups={"nodes": profile, "control-plane": profile})


def test_sizes_and_lifetime(model):
    found = model(groups={"nodes": {"minSize": 0, "maxSize": None, "maxInstanceLifetime": "48h0m0s"}})[GROUP]
    assert (found.min_size, found.max_size, found.max_instance_lifetime) == (0, 2, 172800)


def test_instance_requirements_in_whole_numbers(model):
    policy = {"instanceRequirements": {"cpu": {"min": "2", "max": "8"}, "memory": {"min": "2G"}}}
    found = model(groups={"nodes": {"mixedInstancesPolicy": policy}})[GROUP].instance_requirements
    assert (found.cpu_min, found.cpu_max, found.memory_min, found.memory_max) == (2, 8, 2000, None)
    policy = {"instanceRequirements": {}}
    found = model(groups={"nodes": {"mixedInstancesPolicy": policy}})[GROUP].instance_requirements
    assert (found.cpu_min, found.memory_min) == (0, 0)


def test_external_load_balancers(model):
    arn = "arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/mine/7"
    external = [{"loadBalancerName": "classic"}, {"targetGroupARN": arn}]
    tasks = model(
        groups={
            "nodes": {"externalLoadBalancers": external},
            "more": {"role": "Node", "externalLoadBalancers": external},
        }
    )
    assert tasks[GROUP].load_balancers == ["classic"]
    assert (
        tasks[GROUP].target_groups
        == [tasks["TargetGroup/mine"]]
        == tasks["AutoscalingGroup/more.demo.example.com"].target_groups
    )
    assert (tasks["TargetGroup/mine"].arn, tasks["TargetGroup/mine"].shared) == (arn, True)


def test_no_warm_pool_is_a_pool_that_is_off(model):
    tasks = model()
    assert tasks["WarmPool/nodes.demo.example.com"].enabled is False
    assert tasks["AutoscalingLifecycleHook/kops-warmpool-nodes"].enabled is False
    assert tasks[GROUP].warm_pool is None


def test_group_completes_the_clusters_warm_pool(model):
    general = {"minSize": 3, "enableLifecycleHook": True, "lifecycleHookTimeout": 900}
    tasks = model({"cloudProvider.aws.warmPool": general}, {"nodes": {"warmPool": {"maxSize": 5}}})
    pool = tasks["WarmPool/nodes.demo.example.com"]
    assert (pool.enabled, pool.min_size, pool.max_size) == (True, 3, 5)
    assert tasks["AutoscalingLifecycleHook/kops-warmpool-nodes"].heartbeat_timeout == 900
    assert tasks["AutoscalingLifecycleHook/kops-warmpool-nodes"].enabled is True
    assert "WarmPoolMinSize" in tasks[GROUP].metrics
    assert tasks["WarmPool/control-plane.masters.demo.example.com"].enabled is False


def test_hook_needs_permissions_of_its_role(model):
    pool = {"warmPool": {"enableLifecycleHook": True}}
    policy = model(groups={"nodes": pool})["IAMRolePolicy/nodes.demo.example.com"].policy_document
    assert "autoscaling:CompleteLifecycleAction" in policy


def events(tasks):
    return {task.name.rpartition("-")[2] for task in tasks.values() if task.kind == "EventBridgeRule"}


def test_terminations_are_queued(model):
    tasks = model({HANDLER: {"enabled": True}})
    queue = tasks["SQS/demo-example-com-nth"]
    (statement,) = json.loads(queue.policy)["Statement"]
    assert statement["Resource"] == "arn:aws:sqs:us-east-1:123456789012:demo-example-com-nth"
    assert events(tasks) == {"ASGLifecycle", "SpotInterruption", "InstanceStateChange", "InstanceScheduledChange"}
    hook = tasks["AutoscalingLifecycleHook/nodes-NTHLifecycleHook"]
    assert hook.autoscaling_group is tasks[GROUP]


@pytest.mark.parametrize("handler", [{"enabled": False}, {"enabled": True, "enableSQSTerminationDraining": False}])
def test_no_queue_where_nobody_reads_it(model, handler):
    assert not {task.kind for task in model({HANDLER: handler}).values()} & {"SQS", "EventBridgeRule"}


def test_rebalancing_is_an_event_when_it_is_wanted(model):
    assert "RebalanceRecommendation" in events(model({HANDLER: {"enabled": True, "enableRebalanceDraining": True}}))


def etcd(**member):
    member = {"name": "a", "instanceGroup": "control-plane", **member}
    backups = {"backupStore": "s3://b/main"}
    return {"etcdClusters": [{"name": "main", "version": "3.5.21", "etcdMembers": [member], "backups": backups}]}


def test_volume_is_the_member(model):
    volume = model()["EBSVolume/a.etcd-main.demo.example.com"]
    assert volume.tags["k8s.io/etcd/main"] == "a/a"
    assert volume.tags["KubernetesCluster"] == "demo.example.com"
    assert (volume.availability_zone, volume.size_gb, volume.volume_type) == ("us-east-1a", 20, "gp3")


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ({"volumeType": "io1", "volumeIOPS": 2000, "volumeSize": 20}, "at most 50 for each GB"),
        ({"volumeIOPS": 12000, "volumeSize": 20}, "at most 500 for each GB"),
        ({"volumeThroughput": 1000}, "a quarter of the IOPS"),
        ({"instanceGroup": "none"}, "no instance group 'none'"),
        ({"instanceGroup": None}, "names no instance group"),
    ],
)
def test_impossible_member_is_refused(model, member, text):
    with pytest.raises(KopsError, match=text):
        model(etcd(**member))


def test_a_member_is_in_one_zone(model):
    with pytest.raises(KopsError, match="exactly one zone"):
        model(etcd(), {"control-plane": {"zones": ["us-east-1b"]}})


# -- some groups only, and groups that are gone ----------------------------------------------------------------------

LEFT = "RemovedInstanceGroups/demo.example.com"
BASTIONS = {"bastions": {"role": "Bastion", "machineType": "t3.medium"}}


def test_of_chosen_groups_only_their_own_objects_are_left_out(model):
    groups = {**BASTIONS, "warm": {"role": "Node", "machineType": "t3.medium"}}
    fields = {HANDLER: {"enabled": True, "enableSQSTerminationDraining": True}}
    everything = model(fields, groups)
    chosen = model(fields, groups, chosen=frozenset({"nodes"}))
    own = {"AutoscalingGroup", "LaunchTemplate", "WarmPool", "AutoscalingLifecycleHook", "ContentAddressedFile"}
    missing = {key for key in everything if key not in chosen}
    assert {key.partition("/")[0] for key in missing} == {*own, "RemovedInstanceGroups"}
    assert not any("nodes" in key for key in missing)
    assert {f"AutoscalingGroup/{name}.demo.example.com" for name in ("warm", "control-plane.masters")} <= missing
    assert chosen.keys() <= everything.keys()


def test_what_is_left_of_groups_is_told_from_those_that_are_there(model):
    left = model()[LEFT]
    assert left.groups == ["control-plane", "nodes"]
    assert left.unused_roles == {
        "k8s.io/role/apiserver": "apiservers.demo.example.com",
        "k8s.io/role/bastion": "bastions.demo.example.com",
    }
    assert "k8s.io/role/bastion" not in model(groups=BASTIONS)[LEFT].unused_roles


@pytest.mark.parametrize(
    ("more", "lifecycle", "with_roles"),
    [
        ({}, "Sync", True),
        ({"layers": layers("network")}, "Ignore", False),
        ({"layers": layers("security")}, "Ignore", True),
        ({"layers": layers("cluster")}, "Sync", False),
        ({"lifecycle_overrides": {"AutoscalingGroup": Lifecycle.IGNORE}}, "Ignore", True),
        ({"lifecycle_overrides": {"LaunchTemplate": Lifecycle.IGNORE}}, "Ignore", True),
        ({"lifecycle_overrides": {"RemovedInstanceGroups": Lifecycle.IGNORE}}, "Ignore", True),
        ({"lifecycle_overrides": {"IAMRole": Lifecycle.IGNORE}}, "Sync", False),
    ],
)
def test_what_is_left_is_written_by_the_phase_of_groups(model, more, lifecycle, with_roles):
    left = model(**more)[LEFT]
    assert (left.lifecycle.value, bool(left.unused_roles)) == (lifecycle, with_roles)
