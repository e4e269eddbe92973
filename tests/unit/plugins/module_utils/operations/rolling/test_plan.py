# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of rolling updates: what needs one and why, in which order, how many at a time."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster, ClusterSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import RollingUpdate
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import DETACHED, WARM, CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.etcd import lacking
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.plan import (
    GroupPlan,
    Wish,
    plan,
    text_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.settings import Limits, limits

OLD = "launch template version 1, not 2"


def cluster(rolling: RollingUpdate | None = None) -> Cluster:
    return Cluster(metadata=ObjectMeta(name="demo"), spec=ClusterSpec(rolling_update=rolling))


def group(name: str = "nodes", role: str = "Node", rolling: RollingUpdate | None = None, **spec: Any) -> InstanceGroup:
    return InstanceGroup(
        metadata=ObjectMeta(name=name), spec=InstanceGroupSpec(role=role, rolling_update=rolling, **spec)
    )


def old(*names: str, **more: Any) -> list[CloudInstance]:
    return [CloudInstance(name, "asg", outdated=OLD, **more) for name in names]


def fresh(*names: str, **more: Any) -> list[CloudInstance]:
    return [CloudInstance(name, "asg", **more) for name in names]


def planned(
    machines: list[CloudInstance], nodes: Any = None, rolling: RollingUpdate | None = None, **wish: Any
) -> GroupPlan:
    (found,) = plan(cluster(), [group(rolling=rolling)], {"nodes": machines}, nodes or {}, Wish(**wish))
    return found


def order(found: GroupPlan) -> list[str]:
    return [each.machine.name for each in found.candidates]


# kops' TestSettings (settings_test.go), and what its engine makes of them.
@pytest.mark.parametrize(
    ("surge", "unavailable", "count", "expected"),
    [
        (None, None, 10, (1, 1)),
        (0, None, 10, (0, 1)),
        (2, None, 10, (2, 2)),
        (None, 2, 10, (1, 3)),
        (0, 3, 10, (0, 3)),
        (0, 0, 10, (0, 1)),
        ("21%", None, 10, (3, 3)),
        ("1%", None, 10, (1, 1)),
        (0, "29%", 10, (0, 2)),
        (0, "1%", 10, (0, 1)),
        ("100%", "100%", 4, (4, 8)),
        # 0% of anything is no surge, and then something must be allowed to be away.
        ("0%", None, 10, (0, 1)),
    ],
)
def test_numbers_and_shares(surge: Any, unavailable: Any, count: int, expected: tuple[int, int]) -> None:
    settings = RollingUpdate(max_surge=surge, max_unavailable=unavailable)
    assert limits(cluster(settings), group(), count, surge=1) == Limits(True, *expected)
    assert limits(cluster(), group(rolling=settings), count, surge=1) == Limits(True, *expected)
    assert limits(cluster(settings), group(role="ControlPlane"), count, surge=1) == Limits(True, 0, 1)


def test_a_group_says_more_than_its_cluster_field_by_field() -> None:
    general = RollingUpdate(max_surge=3, max_unavailable=2, drain_and_terminate=False)
    assert limits(cluster(general), group(rolling=RollingUpdate(max_surge=0)), 5, surge=1) == Limits(False, 0, 2)
    own = RollingUpdate(drain_and_terminate=True, max_unavailable=0)
    assert limits(cluster(general), group(rolling=own), 5, surge=1) == Limits(True, 3, 3)
    # Where nothing can be started in addition, as on hosts of an inventory.
    assert limits(cluster(general), group(), 5, surge=0) == Limits(False, 0, 2)


def test_what_is_as_it_should_be_is_not_replaced() -> None:
    assert plan(cluster(), [group()], {"nodes": fresh("a", "b")}, {"a": {}}, Wish()) == []


@pytest.mark.parametrize(
    ("machine", "node", "force", "reasons"),
    [
        (old("a")[0], {}, False, (OLD,)),
        (fresh("a")[0], {"needs_update": True}, False, ("its node has the annotation kops.k8s.io/needs-update",)),
        (
            fresh("a", state=DETACHED)[0],
            {},
            False,
            ("it was taken out of its group",),
        ),
        (
            fresh("a")[0],
            {"cordoned_for_update": "2026-05-08T12:00:00Z"},
            False,
            ("an earlier rolling update has cordoned its node at 2026-05-08T12:00:00Z",),
        ),
        (fresh("a")[0], {}, True, ("force was given",)),
        (old("a")[0], {}, True, (OLD,)),
        (
            old("a")[0],
            {"needs_update": True},
            False,
            (OLD, "its node has the annotation kops.k8s.io/needs-update"),
        ),
    ],
)
def test_reasons(machine: CloudInstance, node: dict[str, Any], force: bool, reasons: tuple[str, ...]) -> None:
    found = planned([machine], {"a": node}, force=force)
    assert found.candidates[0].reasons == reasons
    assert found.candidates[0].node == "a"


def test_a_node_may_have_the_name_of_an_address() -> None:
    found = planned(old("i-1", by_address="ip-10-0-0-1") + old("i-2"), {"ip-10-0-0-1": {}})
    assert [each.node for each in found.candidates] == ["ip-10-0-0-1", ""]


def test_roles_in_order_and_control_planes_one_at_a_time() -> None:
    groups = [
        group("nodes-b"),
        group("nodes-a"),
        group("api", "APIServer"),
        group("cp-b", "ControlPlane", RollingUpdate(max_unavailable=3)),
        group("cp-a", "ControlPlane"),
        group("jump", "Bastion"),
    ]
    machines = {str(each.metadata.name): old(f"{each.metadata.name}-1", f"{each.metadata.name}-2") for each in groups}
    found = plan(cluster(), groups, machines, {}, Wish())
    assert [each.name for each in found] == ["jump", "cp-a", "cp-b", "api", "nodes-a", "nodes-b"]
    assert {each.limits for each in found if each.role == "ControlPlane"} == {Limits(True, 0, 1)}
    only = plan(cluster(), groups, machines, {}, Wish(chosen=frozenset({"api", "cp-b"})))
    assert [each.name for each in only] == ["cp-b", "api"]


def test_the_last_ones_are_detached_and_drained_last() -> None:
    """As kops' prioritizeUpdate: what is detached keeps the number of nodes until the end."""
    found = planned(old("a", "b", "c", "d"), rolling=RollingUpdate(max_surge=2))
    assert (order(found), found.detached) == (["a", "b", "c", "d"], ("d", "c"))
    # One is detached already: it counts.
    found = planned([*old("a", state=DETACHED), *old("b", "c", "d")], rolling=RollingUpdate(max_surge=2))
    assert (order(found), found.detached) == (["b", "c", "d", "a"], ("d",))
    found = planned([*old("a"), *fresh("b")], rolling=RollingUpdate(max_surge=5))
    assert found.detached == ("a",)
    assert planned(old("a", "b"), surge=0).detached == ()


def test_what_an_earlier_run_has_begun_comes_first() -> None:
    assert order(planned(old("a", "b", "c"), {"c": {"cordoned_for_update": "then"}})) == ["c", "a", "b"]


def test_what_serves_nobody_comes_next() -> None:
    nodes = {"a": {"ready": "True"}, "b": {"ready": "Unknown"}, "d": {"ready": "True", "cordoned_for_update": "now"}}
    found = planned(old("a", "b", "c", "d"), nodes)
    assert [(each.machine.name, each.unhealthy) for each in found.candidates] == [
        ("d", False),
        ("b", True),
        ("c", True),
        ("a", False),
    ]
    # Without the API, nothing is known of nodes.
    assert not any(each.unhealthy for each in planned(old("a", "b"), {}).candidates)


def test_warm_pools_are_only_deleted() -> None:
    found = planned([*old("w", state=WARM), *fresh("x", state=WARM), *fresh("a")])
    assert ([each.machine.name for each in found.warm], found.candidates) == (["w"], ())


def test_a_group_in_which_nothing_is_as_it_should_be_begins_with_one() -> None:
    assert planned(old("a", "b")).alone
    assert not planned([*old("a"), *fresh("b")]).alone
    assert not planned(fresh("a", "b"), force=True).alone


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (group(rolling=RollingUpdate(drain_and_terminate=False)), "drainAndTerminate is false"),
        (group(manager="Karpenter"), "Karpenter"),
    ],
)
def test_groups_that_are_left_alone_are_named(left: InstanceGroup, why: str) -> None:
    (found,) = plan(cluster(), [left], {"nodes": old("a")}, {}, Wish())
    assert (why in found.left_alone, found.detached) == (True, ())
    assert "a" in text_of([found])[0].split()


def test_no_more_than_so_many() -> None:
    groups = [group("nodes-a"), group("nodes-b"), group("off", rolling=RollingUpdate(drain_and_terminate=False))]
    machines = {"nodes-a": old("a1", "a2"), "nodes-b": old("b1", "b2"), "off": old("o")}
    found = plan(cluster(), groups, machines, {}, Wish(most=3))
    assert [order(each) for each in found] == [["a1", "a2"], ["b1"], ["o"]]
    # What is detached is one of those that are replaced.
    assert [each.detached for each in found] == [("a2",), ("b1",), ()]
    assert [order(each) for each in plan(cluster(), groups[:2], machines, {}, Wish(most=1))] == [["a1"]]


def test_the_plan_as_text_and_as_data() -> None:
    nodes = {"ip-1": {}}
    (found,) = plan(
        cluster(),
        [group()],
        {"nodes": [*old("i-1", by_address="ip-1"), *old("i-2"), *old("w", state=WARM)]},
        nodes,
        Wish(),
    )
    assert text_of([found]) == [
        "instance group nodes (Node): 3 instances to replace",
        f"   w of the warm pool is deleted: {OLD}",
        "   i-2 is detached, so that another one starts before the first is drained",
        f" 1 i-1 (node ip-1): {OLD}",
        f" 2 i-2: {OLD}",
    ]
    assert found.as_dict() == {
        "instance_group": "nodes",
        "role": "Node",
        "instances": [
            {"instance": "i-1", "node": "ip-1", "reasons": [OLD]},
            {"instance": "i-2", "node": "", "reasons": [OLD]},
        ],
        "warm": [{"instance": "w", "node": "", "reasons": [OLD]}],
        "detached": ["i-2"],
        "at_once": 1,
        "left_alone": "",
    }


@pytest.mark.parametrize(
    ("size", "members", "why"),
    [
        (1, {"a": True}, ""),
        (1, {"a": False}, ""),
        (3, {"a": True, "b": True, "c": True}, ""),
        # The one that goes may be what is broken.
        (3, {"a": False, "b": True, "c": True}, ""),
        (3, {"a": True, "b": True, "c": False}, "of its 2 other members 1 is healthy; not healthy: c"),
        (3, {"a": True, "b": True}, "of its 2 other members 1 is healthy"),
        (3, {}, "of its 2 other members none is healthy"),
        (5, {"a": True, "b": True, "c": True, "d": True, "e": False}, "3 are healthy; not healthy: e"),
    ],
)
def test_etcd_must_have_a_member_to_spare(size: int, members: dict[str, bool], why: str) -> None:
    found = lacking({"main": size}, {"main": members}, "a")
    assert len(found) == bool(why)
    assert all(why in each for each in found)


def test_the_group_of_a_control_plane_that_fails_comes_first() -> None:
    """A group for each zone: those before it in the alphabet would wait for it in vain."""
    groups = [group(f"cp-{zone}", "ControlPlane") for zone in "abc"] + [group("apps"), group("jump", "Bastion")]
    machines = {"cp-a": old("a"), "cp-b": old("b"), "cp-c": old("c"), "apps": old("n"), "jump": old("j")}
    nodes: dict[str, Any] = {name: {"ready": "True", "failing": []} for name in "abcn"}
    nodes["c"]["failing"] = ["has no pod kube-scheduler"]
    nodes["n"]["ready"] = "False"
    found = plan(cluster(), groups, machines, nodes, Wish())
    assert [each.name for each in found] == ["jump", "cp-c", "cp-a", "cp-b", "apps"]
    assert [each.unhealthy for made in found for each in made.candidates] == [False, True, False, False, True]
    # It takes the place of others under a limit.
    limited = plan(cluster(), groups[:3], machines, nodes, Wish(most=1))
    assert [each.name for each in limited] == ["cp-c"]
    # An interrupted run has begun with it.
    nodes["c"] = {"ready": "True"}
    nodes["b"] = {"ready": "True", "cordoned_for_update": "2026-05-08T12:00:00Z"}
    assert [each.name for each in plan(cluster(), groups[:3], machines, nodes, Wish())] == ["cp-b", "cp-a", "cp-c"]
