# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which groups the cluster autoscaler resizes, in clouds that no case of kops shows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud.cluster_autoscaler import addon, groups
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.components import ClusterAutoscalerConfig
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup


def group(name: str = "nodes", **spec: Any) -> InstanceGroup:
    return codec.from_plain(InstanceGroup, {"metadata": {"name": name}, "spec": {"role": "Node", **spec}})


@pytest.mark.parametrize(
    ("zones", "fewest", "most", "expected"),
    [
        ("a", 1, 10, {"a": "1:10"}),
        ("abc", 1, 3, {"a": "1:1", "b": "0:1", "c": "0:1"}),
        ("abc", 1, 1, {"a": "1:1"}),
    ],
)
def test_sizes_are_spread_over_the_zones_of_google_cloud(
    cluster: Cluster, zones: str, fewest: int, most: int, expected: dict[str, str]
) -> None:
    cluster.metadata.labels.clear()
    paths.set_path(cluster, "spec.cloudProvider.gce.project", "testproject")
    context = AddonContext(
        cluster,
        [group(minSize=fewest, maxSize=most, zones=[f"us-test1-{zone}" for zone in zones])],
    )
    url = "https://www.googleapis.com/compute/v1/projects/testproject/zones/us-test1-{0}/instanceGroups/{0}-nodes-demo"
    assert groups.node_groups(context) == [
        f"{sizes}:{url.format(zone)}-example-com" for zone, sizes in expected.items()
    ]


def test_groups_that_are_not_scaled_are_left_out(cluster: Cluster) -> None:
    context = AddonContext(cluster, [group("fixed", autoscale=False), group("some", minSize=1, maxSize=2)])
    assert groups.node_groups(context) == ["1:2:some.demo.example.com"]


def test_priorities_are_the_users_if_given(cluster: Cluster) -> None:
    context = AddonContext(cluster, [group("b", autoscale=True), group("a", autoscale=True, autoscalePriority=50)])
    config = ClusterAutoscalerConfig()
    assert groups.priorities(context, config) == "0:\n- b.demo.example.com\n50:\n- a.demo.example.com"
    config.custom_priority_expander_config = {"50": [".*spot.*"], "10": ["b.*", "a.*"]}
    assert groups.priorities(context, config) == "10:\n- b.*\n- a.*\n50:\n- .*spot.*"


def test_at_hetzner_it_makes_servers_itself(cluster: Cluster) -> None:
    scaled = group(
        minSize=1,
        maxSize=3,
        machineType="cx22",
        subnets=["hel1"],
        image="ubuntu-26.04",
        taints=["a=b:NoSchedule"],
        cloudLabels={"team": "blue"},
    )
    plain = codec.to_plain(cluster)
    plain["metadata"].pop("labels")
    plain["spec"]["cloudProvider"] = {"hetzner": {}}
    context = AddonContext(codec.from_plain(Cluster, plain), [scaled])
    assert groups.node_groups(context) == ["1:3:cx22:hel1:nodes"]
    made = make_addon(addon.ADDON, context)
    assert made is not None
    configured = next(obj for obj in made.objects if obj["metadata"]["name"] == "cluster-autoscaler-hcloud-config")
    assert json.loads(configured["data"]["cluster-config.json"])["nodeConfigs"]["nodes"] == {
        "labels": {"node-role.kubernetes.io/node": ""},
        "taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}],
        "imagesForArch": {"amd64": "ubuntu-26.04", "arm64": "ubuntu-26.04"},
        "serverLabels": {
            "team": "blue",
            "node-label.kops.k8s.io.node-role.kubernetes.io/node": "",
            "k8s.io/cluster-autoscaler/node-template/taint/a": "b:NoSchedule",
            "kops.k8s.io/instance-role": "Node",
            "kops.k8s.io/cluster": "demo.example.com",
            "kops.k8s.io/instance-group": "nodes",
            "hcloud/node-group": "nodes",
        },
    }
    deployed = next(obj for obj in made.objects if obj["kind"] == "Deployment")["spec"]["template"]
    assert len(deployed["metadata"]["annotations"]["checksum/hcloud-cluster-config"]) == 64
    assert deployed["spec"]["volumes"] == [
        {"name": "hcloud-cluster-config", "configMap": {"name": "cluster-autoscaler-hcloud-config"}}
    ]
