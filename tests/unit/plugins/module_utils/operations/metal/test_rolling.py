# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of a rolling update of hosts, and which groups it leaves alone."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster, ClusterSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import RollingUpdate
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import Host
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.rolling import batches, is_disabled


def cluster(rolling: RollingUpdate | None = None) -> Cluster:
    return Cluster(metadata=ObjectMeta(name="demo"), spec=ClusterSpec(rolling_update=rolling))


def group(name: str, role: str, count: int, rolling: RollingUpdate | None = None) -> tuple[InstanceGroup, list[Host]]:
    spec = InstanceGroupSpec(role=role, rolling_update=rolling)
    hosts = [Host(f"{name}{index + 1}") for index in range(count)]
    return InstanceGroup(metadata=ObjectMeta(name=name), spec=spec), hosts


def names(found: list[list[Host]]) -> list[list[str]]:
    return [[host.name for host in turn] for turn in found]


def test_bastions_then_control_planes_one_at_a_time_then_nodes() -> None:
    several = RollingUpdate(max_unavailable=2)
    assigned = [
        group("nodes", "Node", 3, several),
        group("b", "ControlPlane", 1),
        group("a", "ControlPlane", 2, several),
        group("jump", "Bastion", 1),
        group("api", "APIServer", 1),
    ]
    assert names(batches(cluster(), assigned)) == [
        ["jump1"],
        ["a1"],
        ["a2"],
        ["b1"],
        ["api1"],
        ["nodes1", "nodes2"],
        ["nodes3"],
    ]


@pytest.mark.parametrize(
    ("unavailable", "sizes"),
    [(None, [1] * 7), (3, [3, 3, 1]), ("30%", [2, 2, 2, 1]), ("1%", [1] * 7), (0, [1] * 7), ("100%", [7])],
)
def test_as_many_at_a_time_as_may_be_unavailable(unavailable: int | str | None, sizes: list[int]) -> None:
    found = batches(cluster(RollingUpdate(max_unavailable=unavailable)), [group("nodes", "Node", 7)])
    assert list(map(len, found)) == sizes


@pytest.mark.parametrize(
    ("general", "own", "disabled"),
    [(None, None, False), (None, False, True), (False, None, True), (False, True, False), (True, False, True)],
)
def test_groups_whose_updates_are_disabled_are_left_alone(
    general: bool | None, own: bool | None, disabled: bool
) -> None:
    whole = cluster(RollingUpdate(drain_and_terminate=general))
    nodes = group("nodes", "Node", 1, RollingUpdate(drain_and_terminate=own))
    assert is_disabled(whole, nodes[0]) is disabled
    assert names(batches(whole, [nodes])) == ([] if disabled else [["nodes1"]])
