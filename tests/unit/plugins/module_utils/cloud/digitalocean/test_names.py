# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and tags are kops' own, and the mark tells clusters apart that kops cannot."""

from __future__ import annotations

import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names

NAME = "demo.example.com"


def test_names_and_tags_of_kops() -> None:
    """pkg/model/domodel, pkg/model/master_volumes.go and pkg/model/names.go."""
    assert names.vpc(NAME) == "vpc-demo-example-com"
    assert names.api(NAME) == "api-demo-example-com"
    assert names.cluster_tag(NAME) == "KubernetesCluster:demo-example-com"
    assert names.control_plane_tag(NAME) == "KubernetesCluster-Master:demo-example-com"
    assert names.ssh_key("aa:bb", NAME) == "kubernetes.demo.example.com-aa:bb"
    assert names.etcd_volume("main", "etcd-1", NAME) == "kops-etcd-1-etcd-main-demo-example-com"
    assert names.etcd_tags("main", "etcd-1", NAME)[:3] == [
        "etcdCluster-main:etcd-1",
        "k8s-index:etcd-1",
        "KubernetesCluster:demo-example-com",
    ]


def test_a_volume_has_at_most_64_characters() -> None:
    long = names.etcd_volume("events", "etcd-1", "a-name-that-is-rather-long.of-a-department.example.com")
    assert long == "kops-etcd-1-etcd-events-a-name-that-is-rather-long-of-a-departme"
    assert len(long) == 64


def test_the_mark_tells_names_apart_and_is_a_tag() -> None:
    alike = {names.mark_tag(each) for each in (NAME, "demo-example.com", "demo.example-com")}
    assert len(alike) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9:_-]{1,255}", each) for each in alike)
    assert names.is_mark(names.mark(NAME))
    assert not names.is_mark("a VPC of mine")


@pytest.mark.parametrize(
    ("tags", "value"),
    [
        (["kops-instancegroup:nodes"], "nodes"),
        (["KOPS-InstanceGroup:nodes", "kops-instancegroup:more"], "nodes"),
        (["kops-instancegroup-x:nodes", "kops-instancegroup"], None),
        (["kops-instancegroup:a:b"], "a:b"),
        (None, None),
    ],
)
def test_what_an_object_says_in_a_tag(tags: list[str] | None, value: str | None) -> None:
    assert names.value_of({"tags": tags}, names.GROUP) == value
