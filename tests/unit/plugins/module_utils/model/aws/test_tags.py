# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of objects and of instance groups."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.model.aws import tags

NAME = "nodes.demo.example.com"


def of_nodes(context, features=frozenset()):
    return tags.of_instance_group(context.cluster, context.group("nodes"), NAME, features)


def test_owned_objects_carry_name_cluster_and_labels(context_of):
    context = context_of({"cloudLabels": {"team": "blue"}})
    assert tags.of_object(context.cluster, "x") == {
        "Name": "x",
        "KubernetesCluster": "demo.example.com",
        "kubernetes.io/cluster/demo.example.com": "owned",
        "team": "blue",
    }


def test_shared_objects_are_only_marked(context_of):
    context = context_of({"cloudLabels": {"team": "blue"}})
    assert tags.of_object(context.cluster, "x", shared=True) == {"kubernetes.io/cluster/demo.example.com": "shared"}


def test_group_labels_go_before_cluster_labels_but_not_before_the_system(context_of):
    context = context_of(
        {"cloudLabels": {"team": "blue", "cost": "1"}},
        groups={"nodes": {"cloudLabels": {"team": "red", "kops.k8s.io/instancegroup": "mine"}}},
    )
    found = of_nodes(context)
    assert (found["team"], found["cost"], found["kops.k8s.io/instancegroup"]) == ("red", "1", "nodes")
    assert found["k8s.io/role/node"] == "1"


def test_autoscaler_learns_labels_and_taints(context_of):
    context = context_of(
        groups={"nodes": {"nodeLabels": {"disk": "ssd"}, "taints": ["a=b:NoSchedule", "c:NoExecute", "d"]}}
    )
    found = of_nodes(context)
    assert found["k8s.io/cluster-autoscaler/node-template/label/disk"] == "ssd"
    assert found["k8s.io/cluster-autoscaler/node-template/taint/a"] == "b:NoSchedule"
    assert found["k8s.io/cluster-autoscaler/node-template/taint/c"] == ":NoExecute"
    assert "k8s.io/cluster-autoscaler/node-template/taint/d" not in found


def test_termination_handler_marks_its_groups_in_queue_mode(context_of):
    handler = {"enabled": True, "managedASGTag": "handled"}
    assert of_nodes(context_of({"cloudProvider.aws.nodeTerminationHandler": handler}))["handled"] == ""
    handler = {**handler, "enableSQSTerminationDraining": False}
    assert "handled" not in of_nodes(context_of({"cloudProvider.aws.nodeTerminationHandler": handler}))
