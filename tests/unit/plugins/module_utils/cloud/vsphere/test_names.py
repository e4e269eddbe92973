# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and marks."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import names

CLUSTER = "demo.example.com"


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("nodes-1.demo.example.com", 1),
        ("nodes-12.demo.example.com", 12),
        ("nodes-01.demo.example.com", None),
        ("nodes-x.demo.example.com", None),
        ("more-nodes-1.demo.example.com", None),
        ("nodes-1.x.demo.example.com", None),
        ("nodes-1", None),
    ],
)
def test_number_of_a_place(name: str, number: int | None) -> None:
    assert names.number_of(name, "nodes", CLUSTER) == number


def test_ids_of_tags_are_those_of_their_cluster() -> None:
    assert names.tag_id(CLUSTER) == names.tag_id(CLUSTER) != names.tag_id(f"x.{CLUSTER}")
    assert names.tag_id(CLUSTER).startswith("urn:vmomi:InventoryServiceTag:")
    assert names.category_id(CLUSTER).startswith("urn:vmomi:InventoryServiceCategory:")


def test_rules_of_another_cluster_are_told_apart() -> None:
    assert names.group_of_rule(names.rule("nodes", CLUSTER), CLUSTER) == "nodes"
    assert names.group_of_rule(names.rule("nodes", f"x.{CLUSTER}"), CLUSTER) == ""


def test_descriptions() -> None:
    assert names.said_by(names.described(store="s3://x")) == {"by": "kubeops.kops", "store": "s3://x"}
    for other in ("", "a tag", "[]", '{"by": "others"}'):
        assert names.said_by(other) is None
    assert names.directories({"disks": ["[a] b"]}) == ["[a] b"]
    assert names.directories({}) == names.directories({"disks": "no list"}) == []


def test_disks_that_a_machine_says_it_has() -> None:
    mark = json.dumps([{"uuid": "6000C29A", "etcd": "main", "member": "a", "members": ["a"]}])
    assert names.disks_said(mark, CLUSTER) == {"6000c29a": "a.etcd-main.demo.example.com"}
    for other in ("", "no JSON", "[1]", "[{}]", "{}"):
        assert names.disks_said(other, CLUSTER) == {}
