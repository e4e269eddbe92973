# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, labels, annotations."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.names import validate_instance_group_name
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.syntax import is_dns_subdomain


@pytest.mark.parametrize(
    ("metadata", "cloud", "expected"),
    [
        ({}, "aws", []),
        ({"name": "demo"}, "aws", ["Invalid::metadata.name"]),
        ({"name": "demo", "annotations": {"kops.kubernetes.io/management": "imported"}}, "aws", []),
        ({"name": "demo"}, "azure", []),
        ({"name": ""}, "aws", ["Required::metadata.name"]),
        ({"name": "Demo.example.com"}, "aws", ["Invalid::metadata.name"]),
        ({"name": "a..b"}, "aws", ["Invalid::metadata.name"]),
        ({"name": "x" * 24 + ".linode.de"}, "linode", ["Invalid::metadata.name"]),
        ({"name": "x" * 24 + ".linode.de"}, "aws", []),
        ({"namespace": "default"}, "aws", ["Forbidden::metadata.namespace"]),
        ({"generation": -1}, "aws", ["Invalid::metadata.generation"]),
        ({"labels": {"example.com/a": "b", "c": ""}}, "aws", []),
        ({"labels": {"/a": "b"}}, "aws", ["Invalid::metadata.labels"]),
        ({"labels": {"a": "b c"}}, "aws", ["Invalid::metadata.labels"]),
        ({"labels": {"a b": "-"}}, "aws", ["Invalid::metadata.labels", "Invalid::metadata.labels"]),
        ({"annotations": {"Example.com/A": "any text"}}, "aws", []),
        ({"annotations": {"a b": "any text"}}, "aws", ["Invalid::metadata.annotations"]),
        ({"annotations": {"a": "x" * 300_000}}, "aws", ["Invalid::metadata.annotations"]),
    ],
)
def test_cluster_metadata(new_cluster, metadata, cloud, expected):
    errors = entry.validate_cluster(new_cluster({"metadata": metadata}, cloud), strict=False)
    assert sorted(f"{error.type}::{error.path}" for error in errors) == expected


@pytest.mark.parametrize("name", ["nodes", "nodes-us-east-1a", "nodes.example.com", "nodes1", "1"])
def test_good_group_names(name):
    assert validate_instance_group_name(name, "name") == []


@pytest.mark.parametrize(
    "name",
    ["", None, "..", "../x", "a/../b", "a/b", "a\\b", "/etc/passwd", ".a", "a.", "Nodes", "a b", "a\x00", "a" * 254],
)
def test_bad_group_names(name):
    assert [error.path for error in validate_instance_group_name(name, "name")] == ["name"]


@pytest.mark.parametrize("name", ["test.-", "!", "-", "a_b", "a.\n"])
def test_not_dns(name):
    assert not is_dns_subdomain(name)
