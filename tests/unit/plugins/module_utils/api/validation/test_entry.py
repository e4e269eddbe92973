# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public functions: everything at once, and messages that say what is allowed."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError


def paths(errors):
    return sorted(f"{error.type}::{error.path}" for error in errors)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("v1.33.2", []),
        ("https://storage.example.com/release/v1.35.0-alpha.1/", []),
        (None, ["Required::spec.kubernetesVersion"]),
        ("newest", ["Invalid::spec.kubernetesVersion"]),
    ],
)
def test_kubernetes_version(judge, version, expected):
    assert judge({"kubernetesVersion": version}) == expected


def test_all_problems_at_once(judge):
    found = judge({"updatePolicy": "x", "sshAccess": ["x"], "iam": {"legacy": True}, "etcdClusters": []})
    assert found == [
        "Forbidden::spec.iam.legacy",
        "Invalid::spec.sshAccess[0]",
        "NotSupported::spec.updatePolicy",
        "Required::spec.etcdClusters",
    ]


@pytest.mark.parametrize("label", ["Name", "KubernetesCluster", "kubernetes.io/cluster/x", "kops.k8s.io/x"])
def test_reserved_cloud_labels(judge, label):
    assert judge({"cloudLabels": {label: "x", "Team": "y"}}) == [f"Forbidden::spec.cloudLabels.{label}"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"updatePolicy": "Extern"}, "must be one of automatic, external; did you mean external?"),
        (
            {"networking": {"subnets": [{"name": "a", "type": "privat", "zone": "us-east-1a"}]}},
            "must be one of Public, Private, DualStack, Utility; did you mean Private?",
        ),
        ({"sshAccess": ["10.0.0.1/8"]}, "has bits set beyond the prefix; did you mean 10.0.0.0/8?"),
        ({"networking": {"topology": {"dns": "Public"}, "networkID": "v"}}, None),
    ],
)
def test_messages(new_cluster, spec, message):
    errors = entry.validate_cluster(new_cluster({"spec": spec}), strict=False)
    assert [error.message for error in errors] == ([message] if message else [])


def test_raise_for(new_cluster):
    entry.raise_for([], "cluster demo.example.com")
    errors = entry.validate_cluster(new_cluster({"spec": {"updatePolicy": "x", "sshAccess": ["y"]}}), strict=False)
    with pytest.raises(ValidationError) as caught:
        entry.raise_for(errors, "cluster demo.example.com")
    assert caught.value.errors == errors
    text = str(caught.value)
    assert text.startswith("cluster demo.example.com: 2 problems:\n- ")
    assert "- spec.updatePolicy: must be one of automatic, external ('x')" in text


def in_zones(*zones):
    return {"spec": {"networking": {"subnets": [{"name": zone, "type": "Public", "zone": zone} for zone in zones]}}}


@pytest.mark.parametrize(
    ("change", "cloud", "where"),
    [
        ({}, "aws", []),
        (in_zones("us-east-1a", "us-east-1b"), "aws", []),
        (in_zones(), "aws", [""]),
        (in_zones(""), "aws", ["[0].zone"]),
        (in_zones("a"), "aws", ["[0].zone"]),
        (in_zones("us-east-1a", "eu-west-1a"), "aws", ["[1].zone"]),
        (in_zones("us-east-1a", "us-east-1f"), "aws", ["[1].zone"]),
        ({"spec": {"networking": {"subnets": [{"name": "a", "id": "subnet-1"}]}}}, "aws", [""]),
        ({}, "gce", []),
        ({"spec": {"networking": {"subnets": [{"name": "a"}]}}}, "gce", [""]),
        ({}, "hetzner", []),
    ],
)
def test_location(new_cluster, facts, change, cloud, where):
    errors = entry.validate_location(new_cluster(change, cloud), facts)
    assert paths(errors) == [f"Other::spec.networking.subnets{place}" for place in where]


def test_project_on_gce(new_cluster):
    errors = entry.validate_location(new_cluster({"spec": {"cloudProvider": {"gce": {"project": ""}}}}, "gce"))
    assert [error.path for error in errors] == ["spec.cloudProvider.gce.project"]


def test_unknown_zone_lists_the_zones_of_the_region(new_cluster, facts):
    cluster = new_cluster(in_zones("us-east-1q"))
    (error,) = entry.validate_cluster(cluster, strict=False, facts=facts)
    assert error.message.startswith("does not exist in region us-east-1, which has us-east-1a, us-east-1b")
    assert error.value == "us-east-1q"
    assert entry.validate_cluster(cluster, strict=False) == []


def test_deep(new_cluster, new_group, facts):
    groups = [new_group(role="ControlPlane"), new_group()]
    assert entry.deep_validate(new_cluster(), groups, strict=False, facts=facts) == []


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ([], "has no instance groups"),
        (["Node"], "role ControlPlane"),
        (["ControlPlane"], "role Node"),
    ],
)
def test_deep_needs_both_kinds_of_groups(new_cluster, new_group, roles, message):
    groups = [new_group(role=role) for role in roles]
    (error,) = entry.deep_validate(new_cluster(), groups, strict=False)
    assert (error.type, error.path) == ("Other", "")
    assert message in error.message


def test_deep_names_the_group_of_each_problem(new_cluster, new_group):
    bad = {"spec": {"updatePolicy": "x"}}
    groups = [new_group(bad, "ControlPlane"), new_group({**bad, "metadata": {"name": "more"}})]
    errors = entry.deep_validate(new_cluster(bad), groups, strict=False)
    assert [error.path for error in errors] == ["spec.updatePolicy"] * 3
    assert [error.message.partition(": ")[0] for error in errors[1:]] == [
        "instance group control-plane-a",
        "instance group more",
    ]


SCHEDULER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (SCHEDULER, []),
        ({**SCHEDULER, "clientConnection": {"qps": 1}}, []),
        (
            {**SCHEDULER, "clientConnection": {"kubeconfig": "/x"}},
            ["Invalid::addons.kind=KubeSchedulerConfiguration.clientConnection.kubeconfig"],
        ),
        (
            {**SCHEDULER, "metadata": {"name": "a"}, "clientConnection": "x"},
            ["Invalid::addons.kind=KubeSchedulerConfiguration.name=a.clientConnection.kubeconfig"],
        ),
        ({"apiVersion": "v1", "kind": "ConfigMap", "clientConnection": {"kubeconfig": "/x"}}, []),
    ],
)
def test_additional_objects(data, expected):
    assert paths(entry.validate_additional_objects([data])) == expected
