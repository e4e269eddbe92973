# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of instance groups."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.completion.group_defaults import (
    default_machine_type,
    default_subnets,
    group_zones,
)
from ansible_collections.kubeops.kops.plugins.module_utils.completion.instance_group import complete_instance_group
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings

from tests.golden.facts import AWS_IMAGE, update_cluster_facts

from .conftest import IPV6, look

AWS = update_cluster_facts("aws")
CONTROL_PLANE_LABELS = {
    "node-role.kubernetes.io/control-plane": "",
    "kops.k8s.io/kops-controller-pki": "",
    "node.kubernetes.io/exclude-from-external-load-balancers": "",
}


def completed(cluster, group, facts=AWS, **settings):
    done = complete_instance_group(cluster, group, facts=facts, settings=Settings(**settings))
    return codec.to_plain(done)["spec"]


@pytest.mark.parametrize(
    ("role", "sizes", "machine_type", "taints"),
    [
        ("ControlPlane", (1, 1), "m3.medium", ["node-role.kubernetes.io/control-plane=:NoSchedule"]),
        ("APIServer", (2, 2), "m3.medium", ["node-role.kubernetes.io/api-server=:NoSchedule"]),
        ("Node", (2, 2), "t2.medium", None),
        ("Bastion", (1, 1), "t2.micro", None),
    ],
)
def test_defaults_by_role(cluster_with, group_with, role, sizes, machine_type, taints):
    spec = completed(cluster_with(), group_with(role), feature_flags=frozenset({"APIServerNodes"}))
    assert (spec["minSize"], spec["maxSize"]) == sizes
    assert spec["machineType"] == machine_type
    assert spec["image"].startswith("099720109477/ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-")
    assert spec["manager"] == "CloudGroup"
    assert look(spec, "kubelet.taints") == taints


def test_input_is_not_changed(cluster_with, group_with):
    cluster, group = cluster_with(), group_with("Node", nodeLabels={"a": "b"}, kubelet={"taints": ["x=:NoSchedule"]})
    before = codec.to_plain(cluster), codec.to_plain(group)
    completed(cluster, group)
    assert (codec.to_plain(cluster), codec.to_plain(group)) == before


def test_labels_of_cluster_kubelet_role_and_group(cluster_with, group_with):
    cluster = cluster_with({"kubelet.nodeLabels": {"c": "cluster", "k": "cluster", "g": "cluster"}})
    group = group_with("Node", kubelet={"nodeLabels": {"k": "kubelet", "g": "kubelet"}}, nodeLabels={"g": "group"})
    assert completed(cluster, group)["kubelet"]["nodeLabels"] == {
        "c": "cluster",
        # kops merges the group's own kubelet once more after everything else.
        "k": "kubelet",
        "g": "kubelet",
        "node-role.kubernetes.io/node": "",
    }


@pytest.mark.parametrize(
    ("flags", "more"), [((), {}), (("APIServerNodes",), {"node-role.kubernetes.io/api-server": ""})]
)
def test_labels_of_the_control_plane(cluster_with, group_with, flags, more):
    spec = completed(cluster_with(), group_with("ControlPlane"), feature_flags=frozenset(flags))
    assert spec["kubelet"]["nodeLabels"] == {**CONTROL_PLANE_LABELS, **more}


def test_taints_add_up(cluster_with, group_with):
    cluster = cluster_with({"kubelet.taints": ["c=:NoSchedule"], "controlPlaneKubelet.taints": ["p=:NoSchedule"]})
    group = group_with("ControlPlane", taints=["b=:NoSchedule"], kubelet={"taints": ["a=:NoSchedule"], "maxPods": 5})
    kubelet = completed(cluster, group)["kubelet"]
    own = "node-role.kubernetes.io/control-plane=:NoSchedule"
    assert kubelet["taints"] == ["a=:NoSchedule", "b=:NoSchedule", "c=:NoSchedule", own, "p=:NoSchedule"]
    assert kubelet["maxPods"] == 5


@pytest.mark.parametrize(
    ("fields", "role", "expected"),
    [
        ({"kubelet.anonymousAuth": False}, "ControlPlane", False),
        ({"kubelet.anonymousAuth": True}, "Node", False),
        ({}, "Node", None),
    ],
)
def test_anonymous_access_to_kubelets(cluster_with, group_with, fields, role, expected):
    assert look(completed(cluster_with(fields), group_with(role)), "kubelet.anonymousAuth") == expected


GPU = {"nvidiaGPU": {"enabled": True}}


@pytest.mark.parametrize(
    ("for_cluster", "for_group", "machine_type", "expected"),
    [
        (GPU, None, "g4dn.xlarge", True),
        (None, GPU, "g4dn.xlarge", True),
        (GPU, None, "t2.medium", False),
        (None, None, "g4dn.xlarge", False),
    ],
)
def test_gpus_on_aws(cluster_with, group_with, for_cluster, for_group, machine_type, expected):
    cluster = cluster_with({"containerd": for_cluster})
    spec = completed(cluster, group_with("Node", machineType=machine_type, containerd=for_group))
    assert (look(spec, "nodeLabels") == {"kops.k8s.io/gpu": "1"}) is expected
    assert (look(spec, "taints") == ["nvidia.com/gpu:NoSchedule"]) is expected


def test_gpus_on_openstack_are_taken_on_trust(cluster_with, group_with):
    group = group_with("Node", image="i", machineType="m", containerd=GPU, taints=["nvidia.com/gpu=x:NoExecute"])
    spec = completed(cluster_with({"cloudProvider": {"openstack": {}}}), group, update_cluster_facts("openstack"))
    assert spec["nodeLabels"] == {"kops.k8s.io/gpu": "1"}
    assert spec["taints"] == ["nvidia.com/gpu=x:NoExecute"]


def test_gvisor_nodes_are_labelled(cluster_with, group_with):
    gvisor = {"gvisor": {"enabled": True}}
    assert completed(cluster_with(), group_with("Node", containerd=gvisor))["nodeLabels"] == {"kops.k8s.io/gvisor": "1"}
    assert "nodeLabels" not in completed(cluster_with(), group_with("ControlPlane", containerd=gvisor))


def test_karpenter_groups_have_neither_size_nor_machine_type(cluster_with, group_with):
    spec = completed(cluster_with(), group_with("Node", manager="Karpenter"))
    assert not {"minSize", "maxSize", "machineType"} & set(spec)
    assert spec["kubelet"]["taints"] == ["karpenter.sh/unregistered=:NoExecute"]


@pytest.mark.parametrize(
    ("cloud", "role", "machine_type", "image"),
    [
        ("gce", "Bastion", "e2-micro", "ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260615"),
        ("do", "Node", "s-2vcpu-4gb-amd", "ubuntu-24-04-x64"),
        ("azure", "ControlPlane", "Standard_B2s", "Canonical:ubuntu-24_04-lts:server:24.04.202606060"),
        ("hetzner", "Node", "cx23", "ubuntu-24.04"),
        ("scaleway", "Node", "DEV1-M", "ubuntu_noble"),
        ("scaleway", "Bastion", None, "ubuntu_noble"),
        ("linode", "Bastion", "g6-standard-1", "linode/ubuntu24.04"),
    ],
)
def test_defaults_by_cloud(cluster_with, group_with, cloud, role, machine_type, image):
    spec = completed(cluster_with({"cloudProvider": {cloud: {}}}), group_with(role), update_cluster_facts(cloud))
    assert (spec.get("machineType"), spec["image"]) == (machine_type, image)


def test_defaults_on_openstack_and_metal(cluster_with, group_with):
    openstack = cluster_with({"cloudProvider": {"openstack": {}}})
    facts = update_cluster_facts("openstack")
    assert default_machine_type(openstack, group_with("Node"), facts=facts) == "n1-standard-1"
    metal = cluster_with({"cloudProvider": {}})
    metal.metadata.labels["alpha.kops.k8s.io/cloud"] = "metal"
    spec = completed(metal, group_with("Node"), update_cluster_facts("metal"))
    assert (spec.get("machineType"), spec["image"]) == (None, "dummy-metal-image")


def test_image_by_architecture(cluster_with, group_with):
    assert "-arm64-" in completed(cluster_with(), group_with("Node", machineType="m6g.xlarge"))["image"]


ALL_SUBNETS = [
    {"name": kind, "type": kind, "zone": f"zone-{kind}"} for kind in ("Private", "Public", "Utility", "DualStack")
]


@pytest.mark.parametrize(
    ("kinds", "role", "ipv6", "expected"),
    [
        ("Private Public Utility DualStack", "Node", False, ["Private", "Public"]),
        ("Utility DualStack", "Node", False, ["DualStack"]),
        ("Private Public Utility DualStack", "APIServer", True, ["Public", "DualStack"]),
        ("Private Public Utility DualStack", "ControlPlane", False, []),
    ],
)
def test_default_subnets(cluster_with, group_with, kinds, role, ipv6, expected):
    subnets = [subnet for subnet in ALL_SUBNETS if subnet["type"] in kinds.split()]
    cluster = cluster_with({"networking.subnets": subnets, **(IPV6 if ipv6 else {})})
    assert default_subnets(cluster, group_with(role, subnets=[])) == expected


def test_zones_are_those_named_and_those_of_the_subnets(cluster_with, group_with):
    cluster = cluster_with({"networking.subnets": ALL_SUBNETS})
    group = group_with("Node", subnets=["Public", "Private"], zones=["zone-Z", "zone-A"])
    assert group_zones(cluster, group) == ["zone-A", "zone-Private", "zone-Public", "zone-Z"]
    with pytest.raises(ValidationError, match="the cluster has no such subnet"):
        group_zones(cluster, group_with("Node", subnets=["none"]))


@pytest.mark.parametrize(
    ("role", "fields", "path"),
    [
        ("APIServer", {}, "spec.role"),
        ("Scheduler", {}, "spec.role"),
        ("ControlPlane", {"subnets": []}, "spec.subnets"),
        ("Node", {"machineType": "t2.invalidType"}, "spec.machineType"),
        ("Node", {"machineType": "z9.odd"}, "spec.machineType"),
        ("Node", {"machineType": "t2.invalidType", "image": AWS_IMAGE, "containerd": GPU}, "spec.machineType"),
        ("Node", {"machineType": "t2.medium", "tenancy": "dedicated"}, "spec.tenancy"),
    ],
)
def test_refusals(cluster_with, group_with, role, fields, path):
    with pytest.raises(ValidationError, match="instance group group") as raised:
        completed(cluster_with(), group_with(role, **fields))
    assert [error.path for error in raised.value.errors] == [path]


def test_a_cloud_without_a_fitting_machine_or_image_is_an_error(cluster_with, group_with):
    nothing = update_cluster_facts("nothing")
    with pytest.raises(ValidationError, match="spec.machineType"):
        completed(cluster_with(), group_with("Node"), nothing)
    with pytest.raises(ValidationError, match="spec.image"):
        completed(cluster_with({"cloudProvider": {"openstack": {}}}), group_with("Node", machineType="m"), nothing)
