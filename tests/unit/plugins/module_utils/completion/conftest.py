# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small cluster to vary, and a look into what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup

MINIMAL: dict[str, Any] = {
    "metadata": {"name": "minimal.example.com"},
    "spec": {
        "cloudProvider": {"aws": {}},
        "configStore": {"base": "memfs://tests/minimal.example.com"},
        "etcdClusters": [
            {"name": name, "etcdMembers": [{"name": "a", "instanceGroup": "control-plane"}]}
            for name in ("main", "events")
        ],
        "kubernetesVersion": "1.34.0",
        "networking": {
            "cni": {},
            "networkCIDR": "172.20.0.0/16",
            "nonMasqueradeCIDR": "100.64.0.0/10",
            "podCIDR": "100.96.0.0/11",
            "serviceClusterIPRange": "100.64.0.0/13",
            "subnets": [{"name": "us-test-1a", "zone": "us-test-1a", "type": "Public", "cidr": "172.20.32.0/19"}],
            "topology": {"dns": "Public"},
        },
    },
}
IPV6 = {
    "networking.nonMasqueradeCIDR": "::/0",
    "networking.podCIDR": None,
    "networking.serviceClusterIPRange": "fd00:5e4f:ce::/108",
}


@pytest.fixture(name="cluster_with")
def make_cluster():
    """Function: the minimal cluster (hub spelling) with fields below spec set by their dotted paths, None removing."""

    def make(fields: dict[str, Any] | None = None) -> Cluster:
        data = codec.to_plain(codec.from_plain(Cluster, MINIMAL))
        for path, value in (fields or {}).items():
            put(data["spec"], path, value)
        return codec.from_plain(Cluster, data)

    return make


@pytest.fixture(name="group_with")
def make_group():
    """Function: an instance group of a role with fields of its spec set (hub spelling)."""

    def make(role: str, **fields: Any) -> InstanceGroup:
        spec = {"role": role, "subnets": ["us-test-1a"], **fields}
        return codec.from_plain(InstanceGroup, {"metadata": {"name": "group"}, "spec": spec})

    return make


def put(data: dict[str, Any], path: str, value: Any) -> None:
    """Set (or with None remove) what is at a dotted path, making the mappings on the way."""
    *parents, last = path.split(".")
    for key in parents:
        data = data.setdefault(key, {})
    if value is None:
        data.pop(last, None)
    else:
        data[last] = value


def look(data: Any, path: str) -> Any:
    """What is at a dotted path (a number is an index of a list); None where there is nothing."""
    for key in path.split("."):
        members = dict(enumerate(data)) if isinstance(data, list) else data or {}
        data = members.get(int(key) if isinstance(data, list) else key)
    return data
