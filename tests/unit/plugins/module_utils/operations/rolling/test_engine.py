# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine of rolling updates, with a cloud and a cluster that are only remembered."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import DETACHED, WARM, CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.drain import NotDrained
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import (
    Failure,
    Group,
    Validation,
)
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.run import Timing
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import Progress
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.engine import (
    Engine,
    Fleet,
    NotDeregistered,
    Options,
    Stopped,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.plan import Candidate, GroupPlan
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.settings import Limits

QUICK = Timing(wait=0.05, interval=0.001, count=2)


class FakeFleet(Fleet):
    """done: what was asked for, in order. failures: of the cluster, by what was done last. broken: name -> error."""

    def __init__(self, plans: Sequence[GroupPlan]) -> None:
        self.plans = plans
        self.done: list[str] = []
        self.failures: dict[str, list[Failure]] = {}
        self.broken: dict[str, KopsError] = {}
        self.without: list[str] = []
        self.looks = 0
        self.expects_nothing_of: list[set[str]] = []
        self.at_once = self.most_at_once = 0
        self.together = threading.Barrier(1)
        self.lock = threading.Lock()
        self.members = {
            plan.name: [each.machine.name for each in plan.candidates if each.machine.state != DETACHED]
            for plan in plans
        }

    def note(self, what: str, name: str) -> None:
        with self.lock:
            self.done.append(f"{what} {name}")
        if error := self.broken.get(f"{what} {name}"):
            raise error

    def machines(self) -> Mapping[str, Sequence[CloudInstance]]:
        return {plan.name: [each.machine for each in (*plan.warm, *plan.candidates)] for plan in self.plans}

    def look(self, away: Collection[str]) -> tuple[Validation, Sequence[Group]]:
        with self.lock:
            self.looks += 1
            self.expects_nothing_of.append(set(away))
            last = self.done[-1] if self.done else ""
            groups = [
                Group(plan.name, plan.role, len(self.members[plan.name]), tuple(self.members[plan.name]))
                for plan in self.plans
            ]
            return Validation(list(self.failures.get(last, ()))), groups

    def lacking(self, node: str) -> list[str]:
        return self.without

    def taint(self, node: str) -> None:
        self.note("taint", node)

    def cordon(self, node: str) -> None:
        self.note("cordon", node)

    def drain(self, node: str, tell: Progress) -> None:
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        self.together.wait(5)
        with self.lock:
            self.at_once -= 1
        self.note("drain", node)

    def forget(self, node: str) -> None:
        self.note("forget", node)

    def detach(self, machine: CloudInstance) -> None:
        self.note("detach", machine.name)
        self._replaced(machine)

    def deregister(self, machine: CloudInstance) -> None:
        self.note("deregister", machine.name)

    def terminate(self, machine: CloudInstance) -> None:
        self.note("terminate", machine.name)
        self._replaced(machine)

    def replenish(self, group: str) -> None:
        """Its groups keep their numbers by themselves."""

    def _replaced(self, machine: CloudInstance) -> None:
        with self.lock:
            for names in self.members.values():
                if machine.name in names:
                    names[names.index(machine.name)] = f"{machine.name}+"


def candidate(name: str, node: bool = True, state: str = "serving", unfinished: bool = False) -> Candidate:
    return Candidate(CloudInstance(name, "asg", state), ("old",), name if node else "", unfinished)


def group(name: str, role: str, *names: str, surge: int = 0, at_once: int = 1, **more: Any) -> GroupPlan:
    found = tuple(candidate(each) for each in names)
    detached = tuple(reversed(names[len(names) - surge :]))
    return GroupPlan(name, role, Limits(True, surge, at_once), found, detached=detached, **more)


def rolled(*plans: GroupPlan, fleet: FakeFleet | None = None, **options: Any) -> tuple[FakeFleet, list[str], Engine]:
    made = fleet or FakeFleet(plans)
    lines: list[str] = []
    engine = Engine(made, plans, Options(**{"times": QUICK, **options}), lines.append)
    problems = engine.run()
    return made, problems, engine


def results(engine: Engine) -> dict[str, str]:
    return {name: each.result for name, each in engine.records.items()}


def ended(fleet: FakeFleet) -> list[str]:
    return [each.partition(" ")[2] for each in fleet.done if each.startswith("terminate")]


def test_a_worker_step_by_step() -> None:
    fleet, problems, engine = rolled(group("nodes", "Node", "a"))
    assert (problems, results(engine), engine.changed) == ([], {"a": "replaced"}, True)
    assert fleet.done == ["taint a", "cordon a", "deregister a", "drain a", "terminate a", "forget a"]
    # Once before it, twice after it.
    assert fleet.looks == 3
    assert engine.records["a"].as_dict()["seconds"].keys() == {"drain", "validate"}


def test_roles_one_after_the_other_and_bastions_without_a_drain() -> None:
    plans = [
        group("jump", "Bastion", "j"),
        group("cp-a", "ControlPlane", "c1"),
        group("cp-b", "ControlPlane", "c2"),
        group("api", "APIServer", "s"),
        group("nodes", "Node", "n"),
    ]
    fleet, problems, _engine = rolled(*reversed(plans))
    assert (problems, ended(fleet)) == ([], ["j", "c2", "c1", "s", "n"])
    assert "drain j" not in fleet.done


def test_a_surge_starts_others_first() -> None:
    fleet, problems, engine = rolled(group("nodes", "Node", "a", "b", "c", surge=2, at_once=2))
    assert problems == []
    steps = [each for each in fleet.done if each.split()[0] in ("detach", "drain")]
    assert steps[:2] == ["detach c", "detach b"]
    assert {name: each.detached for name, each in engine.records.items()} == {"a": False, "b": True, "c": True}
    assert sorted(ended(fleet)) == ["a", "b", "c"]


def test_what_cannot_be_detached_makes_room_for_the_next_one() -> None:
    plan = group("nodes", "Node", "a", "b", surge=1, at_once=1)
    fleet = FakeFleet([plan])
    fleet.broken["detach b"] = KopsError("it is protected")
    _fleet, problems, engine = rolled(plan, fleet=fleet)
    assert [each for each in fleet.done if each.startswith("detach")] == ["detach b", "detach a"]
    assert (problems, engine.warnings) == ([], ["b cannot be detached: it is protected"])


def test_nothing_is_detached_twice() -> None:
    plan = GroupPlan("nodes", "Node", Limits(True, 1, 1), (candidate("a"), candidate("b", state=DETACHED)), detached=())
    fleet, problems, _engine = rolled(plan)
    assert (problems, [each for each in fleet.done if "detach" in each]) == ([], [])
    assert ended(fleet) == ["a", "b"]


def test_the_first_one_of_a_group_in_which_all_are_old_proves_itself() -> None:
    plan = group("nodes", "Node", "a", "b", "c", at_once=3, alone=True)
    fleet = FakeFleet([plan])
    fleet.failures["forget a"] = [Failure("Node", "new", "not ready", "nodes")]
    _fleet, problems, engine = rolled(plan, fleet=fleet)
    assert (len(problems), results(engine)) == (1, {"a": "replaced", "b": "not started", "c": "not started"})


def test_two_drains_run_at_the_same_time() -> None:
    plan = group("nodes", "Node", "a", "b", at_once=2)
    fleet = FakeFleet([plan])
    fleet.together = threading.Barrier(2)
    _fleet, problems, _engine = rolled(plan, fleet=fleet)
    assert (problems, fleet.most_at_once) == ([], 2)


def test_several_groups_at_the_same_time() -> None:
    plans = [group("nodes-a", "Node", "a"), group("nodes-b", "Node", "b")]
    fleet = FakeFleet(plans)
    fleet.together = threading.Barrier(2)
    _fleet, problems, _engine = rolled(*plans, fleet=fleet, groups_at_once=2)
    assert (problems, sorted(ended(fleet))) == ([], ["a", "b"])


def test_a_cluster_that_is_not_healthy_is_not_touched() -> None:
    plan = group("nodes", "Node", "a")
    fleet = FakeFleet([plan])
    fleet.failures[""] = [Failure("Pod", "dns", "does not run")]
    _fleet, (problem,), engine = rolled(plan, fleet=fleet)
    assert "nodes: before the first instance is replaced" in problem
    assert "Pod dns: does not run" in problem
    assert (fleet.done, results(engine), engine.changed) == ([], {"a": "not started"}, False)
    _fleet, problems, engine = rolled(plan, fleet=fleet, fail_on_validate=False)
    assert (problems, results(engine)) == ([], {"a": "replaced"})
    assert "Pod dns: does not run" in engine.warnings[0]


def test_a_node_that_never_becomes_ready_stops_everything() -> None:
    plans = [group("nodes-a", "Node", "a", "b"), group("nodes-b", "Node", "c")]
    fleet = FakeFleet(plans)
    fleet.failures["forget a"] = [Failure("Node", "new", "is not ready", "nodes-a")]
    _fleet, (problem,), engine = rolled(*plans, fleet=fleet)
    assert "after a was replaced, the cluster is not as it should be" in problem
    assert "Node new: is not ready" in problem
    assert results(engine) == {"a": "replaced", "b": "not started", "c": "not started"}


@pytest.mark.parametrize(
    ("failure", "counts"),
    [
        (Failure("Node", "x", "not ready", "other"), False),
        (Failure("Node", "x", "not ready", "nodes"), True),
        (Failure("Node", "x", "not ready", "cp"), True),
        (Failure("Pod", "dns", "pending"), True),
        # An earlier run has cordoned it, and this one replaces it.
        (Failure("Node", "b", "cordoned", "nodes"), False),
    ],
)
def test_which_failures_count_for_a_group(failure: Failure, counts: bool) -> None:
    plan = GroupPlan("nodes", "Node", Limits(True, 0, 1), (candidate("a"), candidate("b", unfinished=True)))
    fleet = FakeFleet([plan])
    fleet.plans = [plan, group("cp", "ControlPlane"), group("other", "Node")]
    fleet.members |= {"cp": [], "other": []}
    fleet.failures[""] = [failure]
    _fleet, problems, _engine = rolled(plan, fleet=fleet)
    assert bool(problems) is counts


@pytest.mark.parametrize("unhealthy", [True, False])
def test_what_is_replaced_because_it_does_not_work_need_not_work_before(unhealthy: bool) -> None:
    broken = replace(candidate("a", node=False), unhealthy=unhealthy)
    plan = GroupPlan("nodes", "Node", Limits(True, 0, 1), (broken,))
    fleet = FakeFleet([plan])
    fleet.failures[""] = [Failure("Machine", "a", "it has not joined", "nodes")]
    _fleet, problems, engine = rolled(plan, fleet=fleet)
    assert bool(problems) is not unhealthy
    assert results(engine) == {"a": "replaced" if unhealthy else "not started"}


def test_an_instance_that_its_group_still_counts_is_waited_for() -> None:
    """Otherwise a validation could succeed before the cloud has noticed that one is missing."""
    plan = group("nodes", "Node", "a")
    fleet = FakeFleet([plan])
    fleet._replaced = lambda machine: None
    _fleet, (problem,), _engine = rolled(plan, fleet=fleet)
    assert "Machine a: it has ended, and its group does not know that yet" in problem


def test_a_drain_that_cannot_end_stops_its_group_only() -> None:
    """As kops: groups of workers that come after it are updated."""
    plans = [group("nodes-a", "Node", "a", "b"), group("nodes-b", "Node", "c")]
    fleet = FakeFleet(plans)
    fleet.broken["drain a"] = NotDrained("node a is cordoned but not drained; - pod default/kept: budget")
    _fleet, (problem,), engine = rolled(*plans, fleet=fleet)
    assert "instance group nodes-a: " in problem
    assert "pod default/kept" in problem
    assert results(engine) == {"a": "failed", "b": "not started", "c": "replaced"}
    assert "pod default/kept" in engine.records["a"].error
    fleet.done.clear()
    _fleet, problems, engine = rolled(*plans, fleet=fleet, fail_on_drain_error=False)
    assert (problems, set(results(engine).values())) == ([], {"replaced"})
    assert "node a is not drained" in engine.warnings[0]


@pytest.mark.parametrize("what", ["drain c", "deregister c"])
def test_a_control_plane_that_fails_stops_everything(what: str) -> None:
    plans = [group("cp", "ControlPlane", "c"), group("nodes", "Node", "n")]
    fleet = FakeFleet(plans)
    fleet.broken[what] = KopsError("it does not work")
    _fleet, problems, engine = rolled(*plans, fleet=fleet)
    assert (len(problems), results(engine)) == (1, {"c": "failed", "n": "not started"})


def test_an_instance_that_load_balancers_still_use_stops_everything() -> None:
    plans = [group("nodes-a", "Node", "a"), group("nodes-b", "Node", "b")]
    fleet = FakeFleet(plans)
    fleet.broken["deregister a"] = NotDeregistered("a is still in the load balancer")
    _fleet, problems, engine = rolled(*plans, fleet=fleet, fail_on_drain_error=False)
    assert problems == ["instance group nodes-a: a is still in the load balancer"]
    assert results(engine) == {"a": "failed", "b": "not started"}


def test_a_control_plane_stays_while_etcd_has_no_member_to_spare() -> None:
    plans = [group("cp", "ControlPlane", "c"), group("nodes", "Node", "n")]
    fleet = FakeFleet(plans)
    fleet.without = ["etcd cluster main has no member to spare"]
    _fleet, (problem,), engine = rolled(*plans, fleet=fleet, fail_on_validate=False)
    assert "etcd cluster main has no member to spare" in problem
    assert fleet.done == ["taint c"]
    assert results(engine) == {"c": "failed", "n": "not started"}


def test_a_member_of_etcd_that_fails_during_the_drain_is_noticed() -> None:
    class Failing(FakeFleet):
        def lacking(self, node: str) -> list[str]:
            return ["etcd cluster main has no member to spare"] if "drain c" in self.done else []

    plans = [group("cp", "ControlPlane", "c"), group("nodes", "Node", "n")]
    fleet, (problem,), engine = rolled(*plans, fleet=Failing(plans))
    assert "etcd cluster main has no member to spare" in problem
    assert (ended(fleet), results(engine)) == ([], {"c": "failed", "n": "not started"})


def test_the_only_api_server_stays_in_its_load_balancer() -> None:
    fleet, problems, _engine = rolled(
        group("cp", "ControlPlane", "c"), group("nodes", "Node", "n"), deregister_servers=False
    )
    assert (problems, [each for each in fleet.done if "deregister" in each]) == ([], ["deregister n"])


def test_without_the_api_nothing_is_drained_or_validated() -> None:
    fleet, problems, _engine = rolled(group("nodes", "Node", "a", "b"), cloud_only=True)
    assert (problems, fleet.done, fleet.looks) == ([], ["terminate a", "terminate b"], 0)


def test_warm_pools_are_deleted_and_what_is_gone_is_left_out() -> None:
    plan = group("nodes", "Node", "a", warm=(candidate("w", node=False, state=WARM),))
    fleet = FakeFleet([plan])
    fleet.machines = lambda: {"nodes": [CloudInstance("w", "asg", WARM)]}
    _fleet, problems, engine = rolled(plan, fleet=fleet)
    assert (problems, fleet.done, engine.changed) == ([], ["terminate w"], True)
    assert results(engine) == {"w": "deleted", "a": "gone"}


def test_the_first_worker_is_watched_before_the_next_one() -> None:
    plans = [group("nodes-a", "Node", "a"), group("nodes-b", "Node", "b")]
    fleet, problems, _engine = rolled(*plans, hold=0.02, groups_at_once=2)
    assert (problems, ended(fleet)) == ([], ["a", "b"])
    assert fleet.done.index("terminate a") < fleet.done.index("taint b")
    fleet = FakeFleet(plans)
    looks = fleet.look

    def fails_later(away: Collection[str]) -> tuple[Validation, Sequence[Group]]:
        found, groups = looks(away)
        return (Validation([Failure("Pod", "app", "crashes")]) if fleet.looks > 5 else found), groups

    fleet.look = fails_later
    _fleet, (problem,), engine = rolled(*plans, fleet=fleet, hold=1, groups_at_once=2)
    assert "did not stay as it should be after a" in problem
    assert results(engine) == {"a": "replaced", "b": "not started"}


# -- instances that fail ---------------------------------------------------------------------------------------------


def test_what_fails_of_those_that_are_replaced_is_not_waited_for() -> None:
    """Their static pods and their pods of DaemonSets, too: the failure names the node."""
    plan = GroupPlan("cp", "ControlPlane", Limits(True, 0, 1), (replace(candidate("a"), unhealthy=True),))
    fleet = FakeFleet([plan])
    fleet.failures[""] = [
        Failure("Node", "a", "has no pod kube-scheduler", "cp", "a"),
        Failure("Pod", "kube-system/cilium-1", "is not ready", "", "a"),
    ]
    _fleet, problems, engine = rolled(plan, fleet=fleet)
    assert (problems, results(engine)) == ([], {"a": "replaced"})
    # Nothing is expected of it until it has ended, and all of its replacement.
    assert fleet.expects_nothing_of == [{"a"}, set(), set()]


def test_another_that_fails_is_waited_for() -> None:
    plan = GroupPlan("cp", "ControlPlane", Limits(True, 0, 1), (replace(candidate("a"), unhealthy=True),))
    fleet = FakeFleet([plan])
    fleet.failures[""] = [Failure("Node", "b", "has no pod kube-scheduler", "cp", "b")]
    _fleet, (problem,), engine = rolled(plan, fleet=fleet)
    assert "Node b: has no pod kube-scheduler" in problem
    assert results(engine) == {"a": "not started"}


@pytest.mark.parametrize("role", ["ControlPlane", "Node"])
def test_each_of_a_repair_is_tried(role: str) -> None:
    plans = [group("one", role, "a", "b", "c"), group("two", role, "d")]
    fleet = FakeFleet(plans)
    fleet.broken["terminate a"] = KopsError("it is protected")
    fleet.failures["forget b"] = [Failure("Node", "b+", "is not ready", "one")]
    _fleet, (problem,), engine = rolled(*plans, fleet=fleet, validate_first=False, each_is_tried=True)
    assert "it is protected" in problem
    assert "after b was replaced, the cluster is not as it should be" in problem
    assert results(engine) == {"a": "failed", "b": "replaced", "c": "replaced", "d": "replaced"}
    assert {name: bool(each.error) for name, each in engine.records.items()} == {
        "a": True,
        "b": True,
        "c": False,
        "d": False,
    }


def test_a_repair_ends_when_another_run_has_its_lease() -> None:
    plan = group("nodes", "Node", "a", "b")
    fleet = FakeFleet([plan])
    fleet.broken["drain a"] = Stopped("the lease is lost")
    _fleet, problems, engine = rolled(plan, fleet=fleet, each_is_tried=True)
    assert problems == ["instance group nodes: the lease is lost"]
    assert results(engine) == {"a": "failed", "b": "not started"}


class Dwindling(FakeFleet):
    """Instances of a cloud that starts no others by itself."""

    def _replaced(self, machine: CloudInstance) -> None:
        with self.lock:
            for names in self.members.values():
                if machine.name in names:
                    names.remove(machine.name)

    def replenish(self, group: str) -> None:
        self.note("replenish", group)
        planned = next(len(plan.candidates) for plan in self.plans if plan.name == group)
        with self.lock:
            present = self.members[group]
            present += [f"new-{len(self.done)}"] * (planned - len(present))

    def look(self, away: Collection[str]) -> tuple[Validation, Sequence[Group]]:
        found, groups = super().look(away)
        lacking = [
            Failure("InstanceGroup", plan.name, "it lacks an instance", plan.name)
            for plan in self.plans
            if len(self.members[plan.name]) < len(plan.candidates)
        ]
        return Validation([*found.failures, *lacking]), groups


def test_successors_are_asked_for() -> None:
    """After each instance that ends or is detached, and when its Node is gone, whose name may come back."""
    plan = group("nodes", "Node", "a", "b", surge=1)
    fleet, problems, _engine = rolled(plan, fleet=Dwindling([plan]))
    assert problems == []
    assert [
        each for each in fleet.done if each.partition(" ")[0] in ("detach", "terminate", "forget", "replenish")
    ] == [
        "detach b",
        "replenish nodes",
        *("terminate a", "forget a", "replenish nodes"),
        *("terminate b", "forget b", "replenish nodes"),
    ]


def test_no_successor_of_what_is_deleted_for_good() -> None:
    plan = group("nodes", "Node", "a", replaced=False)
    fleet, _problems, _engine = rolled(plan, fleet=Dwindling([plan]))
    assert "terminate a" in fleet.done
    assert "replenish nodes" not in fleet.done


def test_a_successor_that_cannot_be_started() -> None:
    plan = group("nodes", "Node", "a")
    fleet = Dwindling([plan])
    fleet.broken["replenish nodes"] = KopsError("no capacity")
    _fleet, problems, engine = rolled(plan, fleet=fleet)
    assert "no capacity" in "".join(problems)
    assert engine.records["a"].result == "failed"
