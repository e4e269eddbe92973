# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where users reach the API: which address is a virtual one, and the URL."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.kube_apiserver import KubeAPIServerConfig
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.api_endpoint import (
    api_server,
    unclear,
    virtual_address,
    without_api,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import Host

HOSTS = [Host("cp1", address="10.0.0.1"), Host("w1", address="fd00::2"), Host("lost", error="cannot be reached")]


def cluster(public_name: str | None, port: int | None = None) -> Cluster:
    made = Cluster()
    made.spec.api.public_name = public_name
    if port:
        made.spec.kube_api_server = KubeAPIServerConfig(secure_port=port)
    return made


@pytest.mark.parametrize(
    ("public_name", "expected"),
    [
        (None, ""),
        ("", ""),
        ("api.example.com", ""),
        ("10.0.0.1", ""),
        ("fd00:0::2", ""),
        ("10.0.0.100", "10.0.0.100"),
        ("fd00:0::100", "fd00::100"),
    ],
)
def test_an_address_that_no_host_has_is_virtual(public_name: str | None, expected: str) -> None:
    assert virtual_address(cluster(public_name), HOSTS) == expected


def test_users_are_not_sent_to_hosts_without_api_server() -> None:
    group = {role: InstanceGroup(spec=InstanceGroupSpec(role=role)) for role in ("ControlPlane", "APIServer", "Node")}
    assigned = {
        role.lower(): (group[role], [Host(role, address=f"10.0.0.{index}")]) for index, role in enumerate(group, 1)
    }
    for public_name in ("10.0.0.1", "10.0.0.2", "10.0.0.100", "api.example.com", None):
        assert list(without_api(cluster(public_name), assigned)) == []
    (told,) = without_api(cluster("10.0.0.3"), assigned)
    assert told.startswith("Node: has the address 10.0.0.3, at which users are to reach the API (spec.api.publicName)")


def test_hosts_whose_address_nobody_knows() -> None:
    assert list(unclear("", HOSTS)) == []
    assert list(unclear("10.0.0.100", HOSTS)) == [
        "lost: set its variable kops_address: 10.0.0.100 (spec.api.publicName) may be its address"
    ]


@pytest.mark.parametrize(
    ("public_name", "port", "expected"),
    [
        ("api.example.com", None, "https://api.example.com"),
        ("fd00::100", 6443, "https://[fd00::100]:6443"),
        (None, 443, "https://10.0.0.1"),
    ],
)
def test_url(public_name: str | None, port: int | None, expected: str) -> None:
    assert api_server(cluster(public_name, port), ["10.0.0.1", "10.0.0.2"]) == expected


def test_without_anything_there_is_no_url() -> None:
    assert api_server(cluster(None)) == ""
