# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups as objects of Karpenter where no case of kops has them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.aws.karpenter.addon import ADDON
from ansible_collections.kubeops.kops.plugins.module_utils.addons.launch import Disk, Launch
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup

from .conftest import Make

CAPACITY = "karpenter.sh/capacity-type"


def launch(spec: dict[str, Any], **more: Any) -> Launch:
    group = codec.from_plain(InstanceGroup, {"metadata": {"name": "fast"}, "spec": {"role": "Node", **spec}})
    known: dict[str, Any] = {
        "image_owner": "self",
        "image_name": "mine",
        "public_address": False,
        "root_volume": Disk("/dev/xvda", 128, "gp3", encrypted=True, iops=3000, throughput=125),
        "owned": {"KubernetesCluster": "demo.example.com"},
        "tags": {},
        "node_labels": {},
        "security_group": "nodes.demo.example.com",
        "instance_profile": "nodes.demo.example.com",
        "user_data": "#!/bin/bash",
    }
    return Launch(group, **{**known, **more})


def node_class(make: Make, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    return make(ADDON, launches=lambda: [launch(spec, **more)])["EC2NodeClass fast"]["spec"]


def node_pool(make: Make, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    return make(ADDON, launches=lambda: [launch(spec, **more)])["NodePool fast"]["spec"]


def required(pool: dict[str, Any]) -> dict[str, list[str]]:
    return {each["key"]: each["values"] for each in pool["template"]["spec"]["requirements"]}


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("ami-1", {"id": "ami-1"}),
        ("ssm:/aws/service/x", {"ssmParameter": "/aws/service/x"}),
        ("mine", {"name": "mine", "owner": "self"}),
    ],
)
def test_images_are_selected_as_they_are_given(make: Make, image: str, expected: dict[str, str]) -> None:
    assert node_class(make, {"image": image})["amiSelectorTerms"] == [expected]


def test_security_groups_can_be_others(make: Make) -> None:
    terms = node_class(make, {"securityGroupOverride": "sg-1", "additionalSecurityGroups": ["sg-2"]})
    assert terms["securityGroupSelectorTerms"] == [{"id": "sg-1"}, {"id": "sg-2"}]


def test_tags_and_labels_that_karpenter_sets_itself_are_left_to_it(make: Make) -> None:
    tags = {"": "x", "a": "b", "kubernetes.io/cluster/demo.example.com": "owned", "karpenter.sh/nodepool": "x"}
    assert node_class(make, {}, tags=tags)["tags"] == {"a": "b"}
    labels = {
        "plain": "1",
        CAPACITY: "spot",
        "karpenter.sh/initialized": "true",
        "x.karpenter.k8s.aws/y": "1",
        "kubernetes.io/hostname": "x",
    }
    template = node_pool(make, {}, node_labels=labels)["template"]
    assert template["metadata"] == {"labels": {"plain": "1", CAPACITY: "spot"}}
    assert "metadata" not in node_pool(make, {})["template"]


def test_machine_types_are_all_that_the_group_names(make: Make) -> None:
    spec = {"machineType": "t3.large,t3.medium", "mixedInstancesPolicy": {"instances": ["m5.large", "t3.medium"]}}
    assert required(node_pool(make, spec))["node.kubernetes.io/instance-type"] == ["m5.large", "t3.large", "t3.medium"]
    assert "node.kubernetes.io/instance-type" not in required(node_pool(make, {}))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["on-demand"]),
        ({"maxPrice": "0.1"}, ["spot"]),
        ({"mixedInstancesPolicy": {"onDemandAboveBase": 50}}, ["on-demand", "spot"]),
        ({"mixedInstancesPolicy": {"onDemandAboveBase": 100}}, ["on-demand"]),
    ],
)
def test_spot_is_used_where_the_group_says_so(make: Make, spec: dict[str, Any], expected: list[str]) -> None:
    assert required(node_pool(make, spec))[CAPACITY] == expected


def test_what_karpenter_has_by_itself_is_left_to_it(make: Make) -> None:
    assert not {"metadataOptions", "detailedMonitoring", "kubelet"} & node_class(make, {}).keys()
    watched = node_class(make, {"detailedInstanceMonitoring": True}, has_ipv6=True)
    assert watched["metadataOptions"] == {"httpProtocolIPv6": "enabled"}
    assert watched["detailedMonitoring"] is True


def test_sizes_and_taints_are_those_of_the_group(make: Make) -> None:
    pool = node_pool(make, {"minSize": 0, "maxSize": 3, "taints": ["a=b:NoSchedule", "c:NoExecute"]})
    assert "replicas" not in pool
    assert pool["limits"] == {"nodes": "3"}
    taints = [{"key": "a", "value": "b", "effect": "NoSchedule"}, {"key": "c", "effect": "NoExecute"}]
    assert pool["template"]["spec"]["taints"] == taints
    assert node_pool(make, {"minSize": 2})["replicas"] == 2


def test_only_clusters_with_ipv6_only_ask_their_own_dns(make: Make) -> None:
    def policy(network: str) -> str:
        objects = make(ADDON, {"spec.networking": {"nonMasqueradeCIDR": network}})
        return objects["Deployment karpenter"]["spec"]["template"]["spec"]["dnsPolicy"]

    assert (policy("100.64.0.0/10"), policy("::/0")) == ("Default", "ClusterFirst")
