# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups, alone and within their cluster."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.instance_group.in_cluster import (
    effective_warm_pool,
)

PROFILE = "arn:aws:iam::123456789012:instance-profile"
TARGET_GROUP = "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup"


@pytest.mark.parametrize(
    ("spec", "role", "expected"),
    [
        ({}, "Node", []),
        ({}, "ControlPlane", []),
        ({"role": "Bastion"}, "Node", []),
        ({"role": "APIServer"}, "Node", []),
        ({"role": ""}, "Node", ["Required::spec.role"]),
        ({"role": "Etcd"}, "Node", ["NotSupported::spec.role"]),
        ({"subnets": []}, "ControlPlane", ["Required::spec.subnets"]),
        ({"subnets": []}, "Node", []),
        ({"minSize": 2, "maxSize": 2}, "ControlPlane", ["Invalid::spec.maxSize", "Invalid::spec.minSize"]),
        ({"minSize": 5}, "Node", ["Forbidden::spec.maxSize"]),
        ({"minSize": None}, "Node", ["Forbidden::spec.minSize"]),
        ({"maxSize": None}, "Node", ["Forbidden::spec.maxSize"]),
        ({"minSize": None, "maxSize": None, "manager": "Karpenter"}, "Node", []),
        ({"image": None, "machineType": None}, "Node", ["Forbidden::spec.image"]),
        ({"tenancy": "dedicated"}, "Node", []),
        ({"tenancy": "shared"}, "Node", ["NotSupported::spec.tenancy"]),
        ({"containerd": {"gvisor": {"enabled": True}}}, "Node", []),
        ({"containerd": {"gvisor": {"enabled": True}}}, "ControlPlane", ["Forbidden::spec.containerd.gvisor"]),
        ({"containerd": {"gvisor": {"enabled": False}}}, "ControlPlane", []),
        ({"rootVolume": {"iops": -1}}, "Node", ["Invalid::spec.rootVolume.iops"]),
        ({"rootVolume": {"throughput": -1}}, "Node", ["Invalid::spec.rootVolume.throughput"]),
        ({"volumes": [{"device": "/dev/xvdd", "size": 1}]}, "Node", []),
        ({"volumes": [{}]}, "Node", ["Invalid::spec.volumes[0].size", "Required::spec.volumes[0].device"]),
        ({"volumeMounts": [{"device": "/dev/x", "filesystem": "xfs", "path": "/x"}]}, "Node", []),
        (
            {"volumeMounts": [{}]},
            "Node",
            [
                "NotSupported::spec.volumeMounts[0].filesystem",
                "Required::spec.volumeMounts[0].device",
                "Required::spec.volumeMounts[0].filesystem",
                "Required::spec.volumeMounts[0].path",
            ],
        ),
        *(({"iam": {"profile": f"{PROFILE}/{name}"}}, "Node", []) for name in ("S3Access", "has/path/S3Access")),
        ({"iam": {"profile": PROFILE.replace("aws", "aws-cn") + "/x"}}, "Node", []),
        *(
            ({"iam": {"profile": bad}}, "Node", ["Invalid::spec.iam.profile"])
            for bad in ("42", "arn:aws:iam::1:group/x")
        ),
        *(({"nodeLabels": {label: "x"}}, "Node", []) for label in ("foo", "a.b.c", "a.b.c/foo")),
        ({"nodeLabels": {"a.b/c/d": "x"}}, "Node", ["Invalid::spec.nodeLabels"]),
        *(({"cloudLabels": {label: "x"}}, "Node", []) for label in ("k8s.io/cluster-autoscaler/x", "Bill", "a.b/c/d")),
        *(
            ({"cloudLabels": {label: "x"}}, "Node", [f"Forbidden::spec.cloudLabels.{label}"])
            for label in ("KubernetesCluster", "Name", "kubernetes.io/cluster/x", "k8s.io/role/x", "kops.k8s.io/x")
        ),
        ({"cloudLabels": {"kops.k8s.io/instancegroup": "nodes"}}, "Node", []),
        (
            {"cloudLabels": {"kops.k8s.io/instancegroup": "x"}},
            "Node",
            ["Invalid::spec.cloudLabels.kops.k8s.io/instancegroup"],
        ),
        ({"taints": ["a.b/gpu:NoSchedule", "a.b/gpu:NoExecute", "a=b:NoSchedule", "c=:NoExecute"]}, "Node", []),
        ({"taints": ["a:NoSchedule", "a:NoSchedule"]}, "Node", ["Duplicate::spec.taints[1]"]),
        ({"taints": ["a:b:c", "a=b=c:d"]}, "Node", ["Invalid::spec.taints[0]", "Invalid::spec.taints[1]"]),
        ({"externalLoadBalancers": [{"targetGroupARN": f"{TARGET_GROUP}/x/1"}]}, "Node", []),
        ({"externalLoadBalancers": [{"loadBalancerName": "x"}]}, "Node", []),
        (
            {"externalLoadBalancers": [{"loadBalancerName": "x", "targetGroupARN": f"{TARGET_GROUP}/x/1"}]},
            "Node",
            ["TooMany::spec.externalLoadBalancers[0]"],
        ),
        (
            {"externalLoadBalancers": [{"loadBalancerName": "x" * 33}]},
            "Node",
            ["Invalid::spec.externalLoadBalancers[0].loadBalancerName"],
        ),
        *(
            (
                {"externalLoadBalancers": [{"targetGroupARN": bad}]},
                "Node",
                ["Invalid::spec.externalLoadBalancers[0].targetGroupARN"],
            )
            for bad in (
                "foo",
                f"{TARGET_GROUP}/x",
                TARGET_GROUP.replace("targetgroup", "loadbalancer") + "/x/1",
                f"{TARGET_GROUP}/{'x' * 33}/1",
            )
        ),
    ],
)
def test_alone(judge_group, spec, role, expected):
    assert judge_group(spec, role) == expected


def test_incomplete_groups_may_lack_sizes_and_image(judge_group):
    assert judge_group({"minSize": None, "maxSize": None, "image": None, "machineType": None}, strict=False) == []


def test_name_is_needed(new_group):
    errors = entry.validate_instance_group(new_group({"metadata": {"name": ""}}))
    assert [f"{error.type}::{error.path}" for error in errors] == ["Required::metadata.name"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"zones": ["us-test1-a"]}, []),
        ({}, ["Required::spec.zones"]),
        ({"zones": ["us-test1-a"], "gcpProvisioningModel": "SPOT"}, []),
        ({"zones": ["us-test1-a"], "gcpProvisioningModel": "spot"}, ["NotSupported::spec.gcpProvisioningModel"]),
    ],
)
def test_on_gce(judge_group, spec, expected):
    assert judge_group(spec, cloud="gce") == expected


@pytest.mark.parametrize(
    ("spec", "cloud", "expected"),
    [
        ({}, "aws", []),
        ({"subnets": ["a", "z"]}, "aws", ["NotFound::spec.networking.subnets[1]"]),
        ({"role": "APIServer"}, "aws", []),
        ({"role": "APIServer"}, "gce", []),
        ({"role": "APIServer"}, "do", ["Forbidden::spec.role"]),
        *(({"rootVolume": {"type": good}}, "aws", []) for good in ("standard", "gp3", "gp2", "io1", "io2")),
        *(({"rootVolume": {"type": bad}}, "aws", ["NotSupported::spec.rootVolume.type"]) for bad in ("st1", "sc1")),
        ({"rootVolume": {"type": "pd-ssd"}}, "gce", []),
        ({"volumes": [{"device": "/dev/x", "size": 1}]}, "aws", []),
        ({"volumes": [{"device": "/dev/x", "size": 1}]}, "openstack", ["Forbidden::spec.volumes"]),
        ({"warmPool": {}}, "aws", []),
        ({"warmPool": {}, "maxPrice": "0.1"}, "aws", ["Forbidden::spec.warmPool"]),
        ({"warmPool": {"maxSize": 0}, "maxPrice": "0.1"}, "aws", []),
        ({"warmPool": {}, "role": "Bastion"}, "aws", ["Forbidden::spec.warmPool"]),
        ({"warmPool": {"minSize": -1}}, "aws", ["Invalid::spec.warmPool.minSize"]),
        ({"warmPool": {"minSize": 3, "maxSize": 1}}, "aws", ["Invalid::spec.warmPool.maxSize"]),
        ({"warmPool": {"maxSize": -1}}, "aws", ["Invalid::spec.warmPool.maxSize"]),
    ],
)
def test_within_the_cluster(judge_in_cluster, spec, cloud, expected):
    assert judge_in_cluster(spec, cloud=cloud) == expected


def test_api_servers_need_dns_on_aws(judge_in_cluster):
    none = {"networking": {"topology": {"dns": "None"}}}
    assert judge_in_cluster({"role": "APIServer"}, none) == ["Forbidden::spec.role"]
    assert judge_in_cluster({"role": "APIServer"}, none, cloud="gce") == []


def test_control_plane_has_a_member_in_every_etcd_cluster(judge_in_cluster):
    assert judge_in_cluster({}, role="ControlPlane") == []
    etcds = [
        {"name": name, "etcdMembers": [{"name": "a", "instanceGroup": group}]}
        for name, group in (("main", "control-plane-a"), ("events", "control-plane-b"))
    ]
    assert judge_in_cluster({}, {"etcdClusters": etcds}, role="ControlPlane") == ["Forbidden::spec.metadata.name"]


@pytest.mark.parametrize(
    ("own", "shared", "role", "minimum", "maximum", "hook"),
    [
        (None, None, "Node", None, 0, None),
        (None, {"minSize": 1, "maxSize": 2}, "Node", 1, 2, None),
        (None, {"minSize": 1, "maxSize": 2}, "ControlPlane", None, 0, None),
        ({"minSize": 3}, {"minSize": 1, "maxSize": 4, "enableLifecycleHook": True}, "Node", 3, 4, True),
        ({"maxSize": 3}, {"minSize": 1, "maxSize": 4}, "Node", 1, 3, None),
        ({"maxSize": 3}, None, "Node", None, 3, None),
    ],
)
def test_effective_warm_pool(new_cluster, new_group, own, shared, role, minimum, maximum, hook):
    cluster = new_cluster({"spec": {"cloudProvider": {"aws": {"warmPool": shared}}}})
    pool = effective_warm_pool(new_group({"spec": {"warmPool": own}}, role), cluster)
    assert (pool.min_size, pool.max_size, pool.enable_lifecycle_hook) == (minimum, maximum, hook)


@pytest.mark.parametrize(
    ("spec", "cloud", "expected"),
    [
        *(({"image": good}, "aws", []) for good in ("ami-1", "ssm:/x", "name", "owner/name", "owner/a/b-*", " ")),
        *(
            ({"image": bad}, "aws", ["Invalid::spec.image"])
            for bad in ("https://example.com/x", "ssm:", "/name", "owner/")
        ),
        ({"image": "ami-1"}, "gce", ["Forbidden::spec.manager"]),
        ({"role": "APIServer"}, "aws", ["Forbidden::spec.role"]),
        ({"maxSize": 0}, "aws", ["Invalid::spec.maxSize"]),
        ({"maxSize": -1}, "aws", ["Invalid::spec.maxSize"]),
        ({"minSize": 0}, "aws", ["Invalid::spec.minSize"]),
        ({"minSize": -1}, "aws", ["Invalid::spec.minSize"]),
        ({"minSize": 4, "maxSize": 4}, "aws", []),
    ],
)
def test_karpenter(judge_in_cluster, spec, cloud, expected):
    change = {"manager": "Karpenter", "minSize": None, "maxSize": None, **spec}
    assert judge_in_cluster(change, cloud=cloud) == expected


@pytest.mark.parametrize(
    ("gates", "allowed"),
    [
        (None, True),
        ("", True),
        ("NodeRepair=false,StaticCapacity=true", True),
        ("StaticCapacity=false, StaticCapacity = True", True),
        ("NodeRepair=true", False),
        (" ", False),
        ("StaticCapacity", False),
        ("StaticCapacity=true,StaticCapacity=false", False),
    ],
)
def test_static_capacity_of_karpenter(judge_in_cluster, gates, allowed):
    change = {"manager": "Karpenter", "minSize": 4, "maxSize": None}
    found = judge_in_cluster(change, {"karpenter": {"featureGates": gates}})
    assert found == ([] if allowed else ["Forbidden::spec.minSize"])
