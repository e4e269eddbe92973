# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine against a small cloud of dictionaries: planning, ordering, retrying, failing, continuing."""

from __future__ import annotations

import functools
import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError, apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.graph import FIRST_PAUSE
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action, entry_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import (
    PlanError,
    compare,
    make_plan,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import (
    Change,
    Deletion,
    Lifecycle,
    Task,
    TryAgainLater,
    computed,
    internal,
    secret,
    unordered,
)


class Cloud:
    """Boxes by name; `writes` is what was asked of it, in order."""

    def __init__(self) -> None:
        self.boxes: dict[str, dict[str, Any]] = {}
        self.writes: list[str] = []
        self.failures: dict[str, list[Exception]] = {}
        self.lock = threading.Lock()

    def write(self, verb: str, name: str) -> None:
        with self.lock:
            if self.failures.get(name):
                raise self.failures[name].pop(0)
            self.writes.append(f"{verb} {name}")


@dataclass(eq=False)
class Box(Task):
    id: str | None = computed()
    size: int | None = None
    colour: str | None = None
    lid: str | None = secret()
    inside: Box | None = None
    beside: list[Box] | None = unordered()
    stray: bool = internal(False)

    immutable = frozenset({"colour"})

    def find(self, cloud: Cloud) -> Box | None:
        box = cloud.boxes.get(self.name)
        return Box(name=self.name, **box) if box else None

    def create(self, cloud: Cloud) -> None:
        cloud.write("create", self.name)
        self.id = f"id-{self.name}"
        cloud.boxes[self.name] = {
            "id": self.id,
            "size": self.size,
            "colour": self.colour,
            "lid": self.lid,
            "inside": self.inside,
            "beside": self.beside,
        }

    def update(self, cloud: Cloud, actual: Box, changes: dict[str, Change]) -> None:
        cloud.write("update", self.name)
        cloud.boxes[self.name].update({name: change.after for name, change in changes.items()})

    def deletions(self, cloud: Cloud, actual: Box | None) -> list[Deletion]:
        if not actual or "stray" not in cloud.boxes:
            return []
        run = functools.partial(cloud.write, "delete", "stray")
        return [Deletion(self.key, "Box", "stray", run, deferred=self.stray, reason="nobody wants it")]


def by_key(*tasks: Task) -> dict[str, Task]:
    return {task.key: task for task in tasks}


def test_creates_in_order_then_changes_nothing() -> None:
    cloud = Cloud()
    outer = Box("outer", size=3)
    inner = Box("inner", size=1, inside=outer, beside=[outer])
    tasks = by_key(inner, outer)
    plan = make_plan(tasks, cloud)
    assert cloud.writes == []
    assert [step.action for step in plan.steps] == [Action.CREATE, Action.CREATE]
    apply_plan(plan, cloud)
    assert cloud.writes == ["create outer", "create inner"]
    outer_again = Box("outer", size=3)
    again = make_plan(by_key(outer_again, Box("inner", size=1, inside=outer_again, beside=[outer_again])), cloud)
    assert not again.changed


def test_a_change_is_shown_and_only_it_is_written() -> None:
    cloud = Cloud()
    apply_plan(make_plan(by_key(Box("a", size=1), Box("b", size=1)), cloud), cloud)
    plan = make_plan(by_key(Box("a", size=2), Box("b", size=1)), cloud)
    assert plan.as_data() == [entry_of("Box", "a", Action.UPDATE, {"size": 1}, {"size": 2})]
    assert "~ Box/a\n    size  1 -> 2\n" in plan.text()
    assert plan.summary() == {"create": 0, "update": 1, "delete": 0, "keep": 0, "unchanged": 1}
    cloud.writes.clear()
    apply_plan(plan, cloud)
    assert cloud.writes == ["update a"]


def test_plan_id_binds_to_what_would_be_done() -> None:
    # Ids that were approved with an earlier release hold.
    assert make_plan(by_key(Box("a", size=1)), Cloud()).id == "8087ef42b4f764d3"
    first = make_plan(by_key(Box("a", size=1)), Cloud())
    assert first.id == make_plan(by_key(Box("a", size=1)), Cloud()).id
    assert first.id != make_plan(by_key(Box("a", size=2)), Cloud()).id
    assert make_plan(by_key(Box("a", lid="x")), Cloud()).id != make_plan(by_key(Box("a", lid="y")), Cloud()).id


def test_secrets_are_in_no_form_of_a_plan() -> None:
    plan = make_plan(by_key(Box("a", lid="hunter2")), Cloud())
    assert "hunter2" not in plan.text() + str(plan.as_data()) + str(plan.diff())


def test_all_immutable_changes_are_refused_before_anything_is_written() -> None:
    cloud = Cloud()
    apply_plan(make_plan(by_key(Box("a", colour="red"), Box("b", colour="red")), cloud), cloud)
    cloud.writes.clear()
    with pytest.raises(PlanError) as refused:
        make_plan(by_key(Box("a", colour="blue"), Box("b", colour="green"), Box("c")), cloud)
    assert "Box/a" in str(refused.value)
    assert "Box/b" in str(refused.value)
    assert "red -> blue" in str(refused.value)
    assert cloud.writes == []


def test_a_failure_stops_new_starts_and_names_everything() -> None:
    cloud = Cloud()
    cloud.failures["base"] = [RuntimeError("no room")]
    base = Box("base")
    top = Box("top", inside=base)
    with pytest.raises(ApplyError) as stopped:
        apply_plan(make_plan(by_key(base, top), cloud), cloud)
    assert stopped.value.failed == {"Box/base": "no room"}
    assert stopped.value.not_started == ["Box/top"]
    apply_plan(make_plan(by_key(base, top), cloud), cloud)
    assert cloud.writes == ["create base", "create top"]


def test_a_stopped_apply_of_many_objects_is_told_in_few_lines() -> None:
    cloud = Cloud()
    cloud.failures["base"] = [RuntimeError("no room")]
    base = Box("base")
    many = [Box(f"box-{number:03d}", inside=base) for number in range(100)]
    with pytest.raises(ApplyError) as stopped:
        apply_plan(make_plan(by_key(base, *many), cloud), cloud)
    assert len(stopped.value.not_started) == 100
    assert str(stopped.value).splitlines()[1:] == [
        "- Box/base: no room",
        "not started: 100 objects: Box/box-000, Box/box-001, Box/box-002, Box/box-003, Box/box-004 and 95 more",
    ]


def test_objects_that_failed_for_one_reason_are_one_line() -> None:
    error = ApplyError({"Box/a": "denied", "Box/b": "no room", "Box/c": "denied"}, [])
    assert str(error).splitlines()[1:] == ["- Box/a, Box/c: denied", "- Box/b: no room"]


def test_a_guard_is_asked_before_each_write() -> None:
    cloud = Cloud()
    apply_plan(make_plan(by_key(Box("base")), cloud), cloud)
    base = Box("base")
    low = Box("low", inside=base)
    top = Box("top", inside=low)

    def guard() -> None:
        if "create low" in cloud.writes:
            raise KopsError("the lease was lost")

    with pytest.raises(ApplyError) as stopped:
        apply_plan(make_plan(by_key(base, low, top), cloud), cloud, guard=guard)
    assert stopped.value.failed == {"Box/top": "the lease was lost"}
    assert cloud.writes == ["create base", "create low"]


def test_what_tasks_remark_of_what_was_done_is_a_warning() -> None:
    @dataclass(eq=False, repr=False)
    class Odd(Box):
        def remarks(self) -> list[str]:
            return [f"{self.name} is {'there' if self.id else 'planned'}, and odd"]

    cloud, lines = Cloud(), []
    plan = make_plan(by_key(Odd("a"), Box("b")), cloud)
    assert plan.warnings == []
    apply_plan(plan, cloud, progress=lines.append)
    assert plan.warnings == ["a is there, and odd"]
    assert "Odd/a: a is there, and odd" in lines
    # Of what is as it should be, nothing is done.
    again = make_plan(by_key(Odd("a")), cloud)
    apply_plan(again, cloud)
    assert again.warnings == []


def test_not_ready_is_tried_again() -> None:
    cloud = Cloud()
    cloud.failures["a"] = [TryAgainLater("still pending"), TryAgainLater("still pending")]
    lines: list[str] = []
    apply_plan(make_plan(by_key(Box("a")), cloud), cloud, progress=lines.append)
    assert cloud.writes == ["create a"]
    # Two attempts wait for the same reason: that is one line.
    assert lines == ["waiting: Box/a: still pending", "[1/1] created Box/a"]


def test_those_that_wait_look_at_the_same_moments() -> None:
    """So that they share what they read."""
    looks: dict[str, list[float]] = {"a": [], "b": []}

    class Slow(Box):
        def wait(self, cloud: Cloud) -> None:
            # They begin to wait one after the other.
            time.sleep(0.2 if self.name == "b" and not looks["b"] else 0)
            looks[self.name].append(time.monotonic())
            if len(looks[self.name]) < 3:
                raise TryAgainLater("not ready")

    cloud = Cloud()
    apply_plan(make_plan(by_key(Slow("a"), Slow("b")), cloud), cloud)
    apart = [(b - a) % FIRST_PAUSE for a, b in zip(looks["a"][1:], looks["b"][1:])]
    # Else they would stay as far apart as they began.
    assert all(min(each, FIRST_PAUSE - each) < 0.15 for each in apart)


def test_not_ready_has_a_deadline() -> None:
    cloud = Cloud()
    cloud.failures["a"] = [TryAgainLater("still pending")] * 100
    started = time.monotonic()
    with pytest.raises(ApplyError, match="not ready within the deadline"):
        apply_plan(make_plan(by_key(Box("a")), cloud), cloud, deadline=0.6)
    assert time.monotonic() - started < 30


def test_ready_tasks_of_a_batch_are_created_together() -> None:
    calls: list[list[str]] = []

    class Many(Box):
        def batch_key(self) -> str:
            return "all"

        @classmethod
        def create_many(cls, cloud: Cloud, tasks: Any) -> None:
            calls.append(sorted(task.name for task in tasks))

    cloud = Cloud()
    apply_plan(make_plan(by_key(*(Many(name) for name in "abc")), cloud), cloud)
    assert calls == [["a", "b", "c"]]
    assert cloud.writes == []


def test_a_circle_is_named() -> None:
    a, b = Box("a"), Box("b")
    a.inside, b.inside = b, a
    with pytest.raises(KopsError, match="wait for each other"):
        make_plan(by_key(a, b), Cloud())


def test_a_reference_out_of_the_model_is_named() -> None:
    with pytest.raises(KopsError, match="Box/a refers to Box/b"):
        make_plan(by_key(Box("a", inside=Box("b"))), Cloud())


@pytest.mark.parametrize(
    ("lifecycle", "size", "expected"),
    [
        (Lifecycle.IGNORE, 2, ""),
        (Lifecycle.EXISTS_AND_WARN_IF_CHANGES, 1, ""),
        (Lifecycle.EXISTS_AND_WARN_IF_CHANGES, 2, "left alone"),
    ],
)
def test_lifecycles_that_only_look(lifecycle: Lifecycle, size: int, expected: str) -> None:
    cloud = Cloud()
    apply_plan(make_plan(by_key(Box("a", size=1)), cloud), cloud)
    plan = make_plan(by_key(Box("a", size=size, lifecycle=lifecycle)), cloud)
    assert not plan.changed
    assert expected in "".join(plan.warnings)
    assert bool(plan.warnings) == bool(expected)


def test_an_object_that_may_not_be_read_is_a_warning_where_its_lifecycle_says_so() -> None:
    class Locked(Box):
        def find(self, cloud: Cloud) -> Box | None:
            raise PermissionError("no key")

    def is_denied(error: Exception) -> bool:
        return isinstance(error, PermissionError)

    box = Locked("a", lifecycle=Lifecycle.WARN_IF_INSUFFICIENT_ACCESS)
    plan = make_plan(by_key(box), Cloud(), is_denied=is_denied)
    assert (plan.changed, plan.warnings) == (False, ["Locked/a was not looked at: no key"])
    for tasks, denied in ((by_key(box), lambda error: False), (by_key(Locked("a")), is_denied)):
        with pytest.raises(PlanError, match="no key"):
            make_plan(tasks, Cloud(), is_denied=denied)


@pytest.mark.parametrize("exists", [True, False])
def test_exists_and_validates_refuses(exists: bool) -> None:
    cloud = Cloud()
    if exists:
        apply_plan(make_plan(by_key(Box("a", size=1)), cloud), cloud)
    with pytest.raises(PlanError, match="must be as wanted" if exists else "must exist"):
        make_plan(by_key(Box("a", size=2, lifecycle=Lifecycle.EXISTS_AND_VALIDATES)), cloud)


@pytest.mark.parametrize(("deferred", "prune", "deleted"), [(False, False, 1), (True, False, 0), (True, True, 1)])
def test_deferred_deletions_wait_for_pruning(deferred: bool, prune: bool, deleted: int) -> None:
    cloud = Cloud()
    apply_plan(make_plan(by_key(Box("a")), cloud), cloud)
    cloud.boxes["stray"] = {"id": "x"}
    cloud.writes.clear()
    plan = make_plan(by_key(Box("a", stray=deferred)), cloud, prune=prune)
    mark, action = ("-", "delete") if deleted else ("=", "keep")
    assert f"{mark} Box/stray  (nobody wants it)" in plan.text()
    (entry,) = plan.as_data()
    assert (entry["kind"], entry["name"], entry["action"]) == ("Box", "stray", action)
    assert ("Box/stray" in plan.diff()["before"]) == bool(deleted)
    apply_plan(plan, cloud)
    assert len(cloud.writes) == deleted


def test_what_changes_of_that_which_instances_start_from_is_pending() -> None:
    """New objects and those as they should be are not, nor is what no instance is started from."""

    class Mould(Box):
        starts_instances = True

        def consequence(self, actual: Any, changes: dict[str, Change]) -> str:
            return "another size" if "size" in changes else ""

    cloud = Cloud()
    made = [Mould("large", size=1), Mould("full", size=1), Mould("same", size=1), Box("plain", size=1)]
    first = make_plan(by_key(*made), cloud)
    assert first.pending() == {}
    apply_plan(first, cloud)
    changed = [Mould("large", size=2), Mould("full", size=1, lid="gold"), Mould("same", size=1), Box("plain", size=2)]
    again = make_plan(by_key(*changed, Mould("new")), cloud)
    assert again.pending() == {"large": "another size", "full": ""}


def test_what_a_direct_run_refuses_is_told_for_other_targets_too() -> None:
    """Each refusal, and what nobody may look at; a phase's layers below it are no reason."""

    class Denied(Exception):
        pass

    class Locked(Box):
        def find(self, cloud: Cloud) -> Box | None:
            raise Denied("you may not")

    class Full(Box):
        def check(self, cloud: Cloud, actual: Any, changes: dict[str, Change]) -> None:
            raise KopsError(f"{self.key} is full" if actual else f"{self.key} is missing")

    cloud = Cloud()
    made = [Box(name, size=1, colour="red") for name in ("a", "b", "c", "d")]
    apply_plan(make_plan(by_key(*made), cloud), cloud)
    cloud.writes.clear()
    below = Box("below", lifecycle=Lifecycle.EXISTS_AND_VALIDATES)
    wanted = by_key(
        Box("a", size=2, colour="blue"),
        Box("b", size=2, colour="red"),
        Box("c", size=1, colour="blue", lifecycle=Lifecycle.IGNORE),
        Full("d", size=2),
        Full("new"),
        Locked("e"),
        below,
    )
    there = compare(wanted, cloud, is_denied=lambda error: isinstance(error, Denied))
    assert [type(each).__name__ for each in there.refused] == ["ImmutableField", "KopsError", "KopsError"]
    assert [str(each) for each in there.refused] == [
        "Box/a exists and cannot be changed in place (colour: red -> blue)",
        "Full/d is full",
        "Full/new is missing",
    ]
    assert there.found == {"Box/a", "Box/b", "Box/c", "Full/d"}
    assert there.absent == {"Full/new", "Box/below"}
    assert there.differing.keys() == {"Box/a", "Box/b", "Box/c", "Full/d"}
    assert there.differing["Box/a"] == {"size", "colour"}
    assert there.unseen == ["Locked/e was not compared with what exists: you may not"]
    assert cloud.writes == []
    with pytest.raises(PlanError, match="Locked/e: you may not"):
        compare(by_key(Locked("e")), cloud)
