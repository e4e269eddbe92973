# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A valid cluster and a valid group for each cloud; tests change a few fields and look at the problems found."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import clouds, codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import Image, InstanceType
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry

SUBNET = {"name": "a", "type": "Public", "zone": "us-east-1a", "cidr": "172.20.32.0/19"}
CLUSTER = {
    "metadata": {"name": "demo.example.com"},
    "spec": {
        "kubernetesVersion": "1.34.0",
        "cloudProvider": {"aws": {}},
        "etcdClusters": [
            {"name": name, "etcdMembers": [{"name": "a", "instanceGroup": "control-plane-a"}]}
            for name in ("main", "events")
        ],
        "networking": {
            "networkCIDR": "172.20.0.0/16",
            "nonMasqueradeCIDR": "100.64.0.0/10",
            "subnets": [SUBNET],
            "cni": {},
        },
    },
}
# What a cluster on another cloud has instead.
CLOUDS = {
    "aws": {},
    "ipv6": {"spec": {"networking": {"nonMasqueradeCIDR": "::/0"}}},
    "gce": {
        "spec": {
            "cloudProvider": {"aws": None, "gce": {"project": "demo"}},
            "networking": {
                "networkCIDR": None,
                "nonMasqueradeCIDR": None,
                "subnets": [{"name": "a", "type": "Public", "region": "us-test1"}],
            },
        }
    },
    "openstack": {"spec": {"cloudProvider": {"aws": None, "openstack": {"router": {"externalNetwork": "out"}}}}},
    "azure": {
        "spec": {
            "cloudProvider": {"aws": None, "azure": {}},
            "networking": {"subnets": [{**SUBNET, "region": "eastus"}], "topology": {"dns": "None"}},
        }
    },
    "do": {
        "spec": {
            "cloudProvider": {"aws": None, "do": {}},
            "networking": {"networkCIDR": None, "subnets": [{**SUBNET, "region": "nyc1"}]},
        }
    },
    "linode": {
        "spec": {
            "cloudProvider": {"aws": None, "linode": {}},
            "networking": {
                "networkCIDR": "10.0.0.0/8",
                "subnets": [{**SUBNET, "cidr": "10.11.0.0/16", "region": "us-east"}],
            },
        }
    },
    "hetzner": {"spec": {"cloudProvider": {"aws": None, "hetzner": {}}, "networking": {"networkCIDR": None}}},
    "scaleway": {"spec": {"cloudProvider": {"aws": None, "scaleway": {}}, "networking": {"networkCIDR": None}}},
    "vsphere": {"spec": {"cloudProvider": {"aws": None, "vsphere": {}}, "networking": {"networkCIDR": None}}},
    "metal": {
        "metadata": {"labels": {"alpha.kops.k8s.io/cloud": "metal"}},
        "spec": {"cloudProvider": {"aws": None}, "networking": {"networkCIDR": None}},
    },
}
GROUP = {
    "metadata": {"name": "nodes"},
    "spec": {
        "role": "Node",
        "image": "ami-1",
        "machineType": "t3.medium",
        "minSize": 1,
        "maxSize": 2,
        "subnets": ["a"],
        "manager": "CloudGroup",
    },
}
CONTROL_PLANE = {"metadata": {"name": "control-plane-a"}, "spec": {"role": "ControlPlane", "maxSize": 1}}


def merged(base, change):
    """base with change over it; None removes a key."""
    result = copy.deepcopy(base)
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def make_cluster(change=None, cloud="aws"):
    return codec.from_plain(Cluster, merged(merged(CLUSTER, CLOUDS[cloud]), change or {}))


def make_group(change=None, role="Node"):
    base = merged(GROUP, CONTROL_PLANE) if role == "ControlPlane" else GROUP
    return codec.from_plain(InstanceGroup, merged(base, change or {}))


def names(errors):
    """The problems as kops' tests write them, sorted, each as often as it was found."""
    return sorted(f"{error.type}::{error.path}" for error in errors)


@dataclass
class Facts:
    """A small AWS region."""

    region: str = "us-east-1"
    types: dict = field(
        default_factory=lambda: {
            "t3.medium": InstanceType("t3.medium"),
            "m5.large": InstanceType("m5.large"),
            "m6g.large": InstanceType("m6g.large", architectures=("arm64",)),
            "g4dn.xlarge": InstanceType("g4dn.xlarge", gpu=True),
            "g5.xlarge": InstanceType("g5.xlarge", gpu=True),
        }
    )

    def zones(self):
        return ["us-east-1a", "us-east-1b"]

    def instance_type(self, name):
        return self.types.get(name)

    def image(self, reference):
        return {"ami-1": Image("ami-1", "one"), "ami-arm": Image("ami-arm", "arm", "arm64")}.get(reference)


@pytest.fixture
def facts():
    return Facts()


@pytest.fixture
def new_cluster():
    """make_cluster(change, cloud)."""
    return make_cluster


@pytest.fixture
def new_group():
    """make_group(change, role)."""
    return make_group


@pytest.fixture
def judge():
    """The problems of a changed spec, on a cloud, as Type::path."""

    def run(spec, cloud="aws", **how):
        return names(entry.validate_cluster(make_cluster({"spec": spec}, cloud), **{"strict": False, **how}))

    return run


@pytest.fixture
def judge_networking(judge):
    """The same for a change of spec.networking; paths are given without it."""

    def run(networking, cloud="aws", **how):
        found = judge({"networking": networking}, cloud, **how)
        return [problem.replace("::spec.networking.", "::") for problem in found]

    return run


@pytest.fixture
def judge_group(facts):
    """The problems of a changed group by itself, on AWS with facts, as Type::path."""

    def run(spec, role="Node", cloud="aws", strict=True):
        group = make_group({"spec": spec}, role)
        known = facts if cloud == "aws" else None
        return names(entry.validate_instance_group(group, known, strict, cloud=clouds.CLOUDS[cloud]))

    return run


@pytest.fixture
def judge_in_cluster():
    """The problems of a changed group within a changed cluster, as Type::path."""

    def run(spec, cluster=None, role="Node", cloud="aws"):
        change = {"zones": ["us-test1-a"], **spec} if cloud == "gce" else spec
        group = make_group({"spec": change}, role)
        return names(
            entry.cross_validate_instance_group(group, make_cluster({"spec": cluster or {}}, cloud), None, True)
        )

    return run
