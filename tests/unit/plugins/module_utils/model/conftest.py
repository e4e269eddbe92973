# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small completed cluster in AWS to vary, and the model of it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import (
    CloudDNSZone,
    CloudNetwork,
    Image,
    InstanceType,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.iam.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws.builders import build
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.tests.support.stored import NAMES, Given

from tests.support.upstream import without_definitions

SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPd1ihgB5TNuxyKWLDuUpTpGSzQ2VSBBEwiyHHfB3Y4T somebody@example.com"

SPEC: dict[str, Any] = {
    "api": {"access": ["0.0.0.0/0"], "dns": {}, "publicName": "api.demo.example.com"},
    "cloudControllerManager": {},
    "cloudProvider": {"aws": {}},
    "configStore": {"base": "s3://store/demo.example.com"},
    "containerd": {"version": "2.1.4", "runc": {"version": "1.3.0"}},
    "dnsZone": "Z1",
    "etcdClusters": [
        {
            "name": name,
            "version": "3.5.21",
            "etcdMembers": [{"name": "a", "instanceGroup": "control-plane", "encryptedVolume": True}],
            "backups": {"backupStore": f"s3://store/demo.example.com/backups/etcd/{name}"},
        }
        for name in ("main", "events")
    ],
    "iam": {"legacy": False},
    "kubeAPIServer": {"serviceAccountIssuer": "https://api.internal.demo.example.com"},
    "kubernetesVersion": "1.34.0",
    "networking": {
        "cni": {},
        "networkCIDR": "172.20.0.0/16",
        "nonMasqueradeCIDR": "100.64.0.0/10",
        "serviceClusterIPRange": "100.64.0.0/13",
        "subnets": [
            {"name": "utility-a", "zone": "us-east-1a", "type": "Utility", "cidr": "172.20.0.0/22"},
            {"name": "a", "zone": "us-east-1a", "type": "Private", "cidr": "172.20.32.0/19"},
        ],
        "topology": {"dns": "Public"},
    },
    "sshAccess": ["10.0.0.0/8"],
}
GROUPS: dict[str, dict[str, Any]] = {
    "control-plane": {"role": "ControlPlane", "minSize": 1, "maxSize": 1, "machineType": "m3.medium"},
    "nodes": {"role": "Node", "minSize": 2, "maxSize": 5, "machineType": "t3.medium"},
}
GROUP_DEFAULTS = {"manager": "CloudGroup", "image": "ubuntu", "subnets": ["a"]}


@dataclass
class Facts:
    """A region with one image, machine types of which some bring disks, and one hosted zone."""

    region: str = "us-east-1"
    hosted_zones: list[CloudDNSZone] = field(default_factory=lambda: [CloudDNSZone("Z1", "example.com")])

    def zones(self) -> list[str]:
        return ["us-east-1a", "us-east-1b"]

    def instance_type(self, name: str) -> InstanceType | None:
        disks = {"m3.medium": ((1, 4),), "i3.big": ((2, 100),), "t3.medium": ()}
        return InstanceType(name, instance_storage=disks[name]) if name in disks else None

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        return None

    def image(self, reference: str) -> Image | None:
        return Image("ami-1", "ubuntu", root_device="/dev/sda1") if reference == "ubuntu" else None

    def network(self, network_id: str) -> CloudNetwork | None:
        return None

    def dns_zones(self) -> list[CloudDNSZone]:
        return self.hosted_zones


def put(data: dict[str, Any], path: str, value: Any) -> None:
    """Set what a dotted path names; None removes it."""
    *parents, last = path.split(".")
    for parent in parents:
        data = data.setdefault(parent, {})
    if value is None:
        data.pop(last, None)
    else:
        data[last] = value


@pytest.fixture(name="context_of")
def make_context():
    """Function: the context of the small cluster, with fields of its spec set by dotted path.

    groups: name -> fields of its spec (hub spelling), over those of the two groups that are always there.
    more: other arguments of ModelContext, and what the store holds.
    """

    def make(
        fields: dict[str, Any] | None = None, groups: dict[str, dict[str, Any]] | None = None, **more: Any
    ) -> ModelContext:
        data = codec.to_plain(codec.from_plain(Cluster, {"metadata": {"name": "demo.example.com"}, "spec": SPEC}))
        for path, value in (fields or {}).items():
            put(data["spec"], path, copy.deepcopy(value))
        wanted = {name: {**GROUP_DEFAULTS, **spec} for name, spec in GROUPS.items()}
        for name, spec in (groups or {}).items():
            wanted[name] = {**GROUP_DEFAULTS, **wanted.get(name, {}), **spec}
        made = [{"metadata": {"name": name}, "spec": spec} for name, spec in wanted.items()]
        arguments: dict[str, Any] = {"facts": Facts(), "ssh_public_keys": [SSH_KEY]}
        stored = {name: more.pop(name) for name in NAMES & more.keys()}
        arguments.update(account=Account("123456789012", "aws"))
        arguments["stored"] = Given(**{"read_upstream": without_definitions, **stored})
        return ModelContext(
            cluster=codec.from_plain(Cluster, data),
            groups=[codec.from_plain(InstanceGroup, group) for group in made],
            **{**arguments, **more},
        )

    return make


@pytest.fixture(name="model")
def make_model(context_of):
    """Function: the tasks of the small cluster, varied as context_of does."""

    def make(*arguments: Any, **more: Any) -> dict[str, Any]:
        return build(context_of(*arguments, **more))

    return make
