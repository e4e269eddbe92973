# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is refused of a specification for vSphere."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.etcd import EtcdClusterSpec, EtcdMemberSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.model.vsphere.limits import LONGEST_GROUP, refused

GROUP = "control-plane-a"


def specified(name: str = "demo.example.com", api: str = "10.0.0.100", **values: Any) -> tuple[Cluster, InstanceGroup]:
    cluster, group = Cluster(), InstanceGroup()
    cluster.metadata.name, cluster.spec.api.public_name = name, api
    members = [EtcdMemberSpec(name="a", instance_group=GROUP)]
    cluster.spec.etcd_clusters = [EtcdClusterSpec(name="main", etcd_members=members)]
    group.metadata.name = values.pop("group", GROUP)
    given = {"role": "ControlPlane", "machine_type": "2cpu-4gb", "min_size": 1, "max_size": 1, **values}
    for key, value in given.items():
        setattr(group.spec, key, value)
    return cluster, group


def problems(**values: Any) -> list[str]:
    cluster, group = specified(**values)
    return [each.path for each in refused(cluster, [group])]


def test_what_can_be_made_is_not_refused() -> None:
    assert problems() == []
    assert problems(group="a" * LONGEST_GROUP, role="Node", name="d") == []
    # It is completed later.
    assert problems(machine_type=None, min_size=None, max_size=None) == []


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"api": ""}, "spec.api.publicName"),
        ({"api": "api.example.com"}, "spec.api.publicName"),
        ({"machine_type": "t3.medium"}, "spec.machineType"),
        ({"machine_type": "0cpu-4gb"}, "spec.machineType"),
        ({"role": "Bastion"}, "spec.role"),
        ({"role": "Node", "group": "nodes.a"}, "metadata.name"),
        ({"role": "Node", "min_size": -1}, "spec.minSize"),
        # Each machine of a control plane is one member of etcd.
        ({"max_size": 2}, "spec.maxSize"),
        ({"min_size": 2, "max_size": None}, "spec.minSize"),
    ],
)
def test_what_cannot_be_made_is_refused(values: dict[str, Any], path: str) -> None:
    assert problems(**values) == [path]


def test_long_names_are_refused() -> None:
    assert problems(group="a" * (LONGEST_GROUP + 1), role="Node", name="d") == ["metadata.name"]
    assert problems(name="d" * 81) == ["metadata.name", "metadata.name"]


def test_all_is_said_at_once() -> None:
    assert len(problems(api="", machine_type="huge", min_size=3, max_size=3)) == 4
