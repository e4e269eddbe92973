# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference of a new cluster: rules by subject. Whole clusters are compared in tests/golden."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.draft import Settled
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.read import read_options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.specification import new_cluster
from ansible_collections.kubeops.kops.tests.support.create import BASE, Facts


def create(settled=None, flags=(), **values):
    settings = Settings(feature_flags=Settings().feature_flags | set(flags))
    options = read_options({**BASE, **values}, settings.feature_flags)
    return new_cluster(options, facts=Facts(), settings=settings, settled=settled)


def by_name(new):
    return {group.metadata.name: group.spec for group in new.groups}


def test_nodes_are_shared_out_with_the_remainder_first():
    groups = by_name(create(zones=["us-east-1a", "us-east-1b", "us-east-1c"], node_count=5))
    assert [groups[f"nodes-us-east-1{zone}"].min_size for zone in "abc"] == [2, 2, 1]


def test_control_plane_repeats_zones_with_numbers():
    groups = by_name(create(zones=["us-east-1a", "us-east-1b"], control_plane_count=3))
    assert [name for name in groups if name.startswith("control-plane")] == [
        "control-plane-us-east-1a-1",
        "control-plane-us-east-1b-1",
        "control-plane-us-east-1a-2",
    ]


def test_several_machine_types_mix_on_aws():
    spec = by_name(create(node_size=["m5.large", "m5a.large"]))["nodes-us-east-1a"]
    assert spec.machine_type == "m5.large"
    assert spec.mixed_instances_policy.instances == ["m5.large", "m5a.large"]


def test_image_goes_by_the_architecture_of_the_machine_type():
    groups = by_name(create(node_size=["m6g.large"]))
    assert "arm64" in groups["nodes-us-east-1a"].image
    assert "amd64" in groups["control-plane-us-east-1a"].image


def test_network_of_a_shared_subnet_is_looked_up():
    networking = create(zones=["us-east-1a", "us-east-1b"], subnets=["subnet-a", "subnet-b"]).cluster.spec.networking
    assert networking.network_id == "vpc-1"
    assert {subnet.name: subnet.id for subnet in networking.subnets} == {
        "us-east-1a": "subnet-a",
        "us-east-1b": "subnet-b",
    }


def test_private_ipv6_has_three_subnets_a_zone():
    subnets = create(ipv6=True, networking="calico").cluster.spec.networking.subnets
    assert [(subnet.type, subnet.ipv6_cidr) for subnet in subnets] == [
        ("Private", "/64#0"),
        ("DualStack", "/64#1"),
        ("Utility", "/64#2"),
    ]


def test_unset_comes_before_set():
    spec = create(
        networking="calico", unset=["cluster.spec.kubelet"], set=["cluster.spec.kubelet.maxPods=50"]
    ).cluster.spec
    assert (spec.kubelet.max_pods, spec.kubelet.anonymous_auth) == (50, None)


def test_calico_bpf_turns_kube_proxy_off_unless_it_was_set():
    bpf = "cluster.spec.networking.calico.bpfEnabled=true"
    assert create(networking="calico", set=[bpf]).cluster.spec.kube_proxy.enabled is False
    assert create(networking="calico").cluster.spec.kube_proxy is None


def test_ssh_key_is_read_from_its_file(tmp_path):
    file = tmp_path / "id.pub"
    file.write_text("ssh-ed25519 AAAA me\n")
    assert create(ssh_public_key=str(file)).ssh_public_keys == ["ssh-ed25519 AAAA me"]
    assert create(ssh_public_key="ssh-ed25519 AAAA me").ssh_public_keys == ["ssh-ed25519 AAAA me"]
    with pytest.raises(ValidationError, match="ssh_public_key: cannot read"):
        create(ssh_public_key=str(tmp_path / "none"))


def test_what_a_channel_answered_once_is_kept():
    first = create(kubernetes_version="1.34.2", image="ami-old", node_size=["m5.large"])
    settled = Settled(first.cluster, first.groups)
    again = create(settled)
    assert again.cluster.spec.kubernetes_version == "1.34.2"
    assert by_name(again)["nodes-us-east-1a"].machine_type == "m5.large"
    assert by_name(again)["nodes-us-east-1a"].image == "ami-old"
    assert by_name(create(settled, image="ami-new"))["nodes-us-east-1a"].image == "ami-new"


@pytest.mark.parametrize("path", ["cluster.spec.networkin=1", "cluster.spec.kubelet.maxPods=many"])
def test_set_of_what_is_no_field(path):
    with pytest.raises(KopsError):
        create(set=[path])


def test_even_number_of_etcd_members():
    with pytest.raises(KopsError, match="(?i)odd"):
        create(zones=["us-east-1a", "us-east-1b"], control_plane_count=2)


def test_addons_of_a_file(tmp_path):
    file = tmp_path / "addon.yaml"
    file.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n")
    new = create(flags=["ClusterAddons"], add=[str(file)])
    assert [(item.kind, item.name) for item in new.additional_objects] == [("ConfigMap", "one")]
    with pytest.raises(ValidationError, match="add: cannot be read"):
        create(flags=["ClusterAddons"], add=[str(tmp_path / "none.yaml")])


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({"zones": ["us-east-1a", "us-east-1x"]}, {"NotFound::zones"}),
        ({"network_id": "vpc-2", "subnets": ["subnet-a"]}, {"NotFound::network_id"}),
        ({"network_id": "vpc-1", "subnets": ["subnet-x"]}, {"NotFound::subnets"}),
        ({"subnets": ["subnet-x"]}, {"NotFound::subnets"}),
        ({"subnets": ["subnet-a", "subnet-a2"]}, {"Invalid::subnets"}),
    ],
)
def test_the_cloud_has_no_such(values, fields):
    with pytest.raises(ValidationError) as caught:
        create(**values)
    assert {f"{error.type}::{error.path}" for error in caught.value.errors} == fields


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"zones": ["us-east-1a", "us-east-1a"]}, "zones"),
        ({"control_plane_zones": ["us-east-1a", "us-east-1b", "us-east-1a"]}, "control_plane_zones"),
    ],
)
def test_a_repeated_zone_that_gives_a_group_twice_is_refused(values, path):
    with pytest.raises(ValidationError) as caught:
        create(**values)
    assert [(error.type, error.path) for error in caught.value.errors] == [("Duplicate", path)]


def test_a_repeated_zone_without_groups_by_zone_is_taken():
    zones = ["us-east-1a", "us-east-1a"]
    new = create(zones=zones, instance_manager="karpenter", discovery_store="s3://public/discovery")
    assert list(by_name(new)) == ["control-plane-us-east-1a", "nodes"]
    assert len(new.cluster.spec.networking.subnets) == 1
