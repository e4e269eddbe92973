# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes whose answer is lost: what exists is looked at, and only what is not there is written again."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts, graph
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError, apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import (
    AnswerLost,
    Change,
    Deletion,
    Task,
    TryAgainLater,
    Twins,
    computed,
)


class Taken(Exception):
    """The cloud refuses, as there is one of that name."""


class Shelf:
    """A cloud of boxes: (name, size) in the order in which they were made.

    before, after: what happens at writes to come, before and after each is done. late: so many looks show nothing new.
    """

    def __init__(self) -> None:
        self.boxes: list[list[Any]] = []
        self.before: list[Exception | None] = []
        self.after: list[Exception | None] = []
        self.late = 0
        self.writes: list[str] = []
        self.forgotten = 0

    def forget_all(self) -> None:
        self.forgotten += 1

    def named(self, name: str) -> list[list[Any]]:
        if self.late:
            self.late -= 1
            return []
        return [box for box in self.boxes if box[0] == name]

    def write(self, what: str, do: Callable[[], object]) -> None:
        for events, act in ((self.before, do), (self.after, lambda: None)):
            error = events.pop(0) if events else None
            if error is not None:
                raise error
            act()
        self.writes.append(what)


@dataclass(eq=False)
class Box(Task[Any]):
    id: str | None = computed()
    size: int | None = None

    def find(self, cloud: Shelf) -> Box | None:
        found = cloud.named(self.name)
        if len(found) > 1:
            raise Twins("several boxes", [functools.partial(cloud.boxes.remove, box) for box in found[1:]])
        return Box(self.name, id="id", size=found[0][1]) if found else None

    def create(self, cloud: Shelf) -> None:
        cloud.write(f"create {self.name}", lambda: cloud.boxes.append([self.name, self.size]))
        self.id = "id"

    def update(self, cloud: Shelf, actual: Any, changes: dict[str, Change]) -> None:
        cloud.write(f"update {self.name}", lambda: cloud.named(self.name)[0].__setitem__(1, self.size))


class Several(Box):
    def batch_key(self) -> str:
        return "all"

    @classmethod
    def create_many(cls, cloud: Shelf, tasks: Sequence[Box]) -> None:
        cloud.write("create many", lambda: cloud.boxes.extend([task.name, task.size] for task in tasks))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "PATIENCE", 0.6)
    # Several looks have to fit into it, on a busy machine, too.
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.05)


def plan(cloud: Shelf, *tasks: Box) -> Any:
    return make_plan({task.key: task for task in tasks}, cloud)


def apply(made: Any, cloud: Shelf) -> list[str]:
    lines: list[str] = []
    apply_plan(made, cloud, progress=lines.append, is_conflict=lambda error: isinstance(error, Taken))
    return lines


def test_what_was_made_is_not_made_again() -> None:
    cloud, task = Shelf(), Box("a", size=1)
    cloud.after = [AnswerLost("the answer was lost")]
    assert apply(plan(cloud, task), cloud) == ["waiting: Box/a: the answer was lost", "[1/1] created Box/a"]
    assert (cloud.boxes, task.id, cloud.forgotten) == ([["a", 1]], "id", 1)


def test_what_was_not_made_is_made_after_a_while() -> None:
    cloud = Shelf()
    cloud.before = [AnswerLost("lost")]
    apply(plan(cloud, Box("a", size=1)), cloud)
    assert cloud.boxes == [["a", 1]]
    assert cloud.forgotten > 1


def test_what_is_shown_late_is_not_made_again() -> None:
    cloud = Shelf()
    made = plan(cloud, Box("a", size=1))
    cloud.after, cloud.late = [AnswerLost("lost")], 1
    apply(made, cloud)
    assert cloud.boxes == [["a", 1]]


def test_after_a_timeout_what_may_still_be_carried_out_is_awaited_as_long_again() -> None:
    """An overloaded cloud shows it later than it shows what it has made; nothing is there twice."""
    cloud = Shelf()
    made = plan(cloud, Box("a", size=1))
    cloud.before = [AnswerLost("no answer in time", still=60.0)]
    late = threading.Timer(3 * doubts.PATIENCE, cloud.boxes.append, [["a", 1]])
    late.start()
    apply(made, cloud)
    late.join()
    assert (cloud.boxes, cloud.writes) == ([["a", 1]], [])


def test_what_an_update_makes_anew_is_not_made_twice() -> None:
    class Replaced(Box):
        def update(self, cloud: Shelf, actual: Any, changes: dict[str, Change]) -> None:
            cloud.boxes[:] = [box for box in cloud.boxes if box[0] != self.name]
            self.create(cloud)

    cloud = Shelf()
    cloud.boxes = [["a", 1]]
    made = plan(cloud, Replaced("a", size=2))
    cloud.after, cloud.late = [AnswerLost("lost")], 1
    apply(made, cloud)
    assert cloud.boxes == [["a", 2]]


def test_a_change_that_was_made_is_not_made_again() -> None:
    cloud = Shelf()
    cloud.boxes = [["a", 1]]
    cloud.after = [AnswerLost("lost")]
    assert apply(plan(cloud, Box("a", size=2)), cloud)[-1] == "[1/1] changed Box/a"
    assert (cloud.boxes, cloud.writes) == ([["a", 2]], [])
    cloud.before = [AnswerLost("lost")]
    apply(plan(cloud, Box("a", size=3)), cloud)
    assert (cloud.boxes, cloud.writes) == ([["a", 3]], ["update a"])


def test_what_is_there_already_is_made_equal() -> None:
    cloud = Shelf()
    made = plan(cloud, Box("a", size=2))
    cloud.boxes, cloud.before = [["a", 1]], [Taken("a is there")]
    apply(made, cloud)
    assert (cloud.boxes, cloud.writes) == ([["a", 2]], ["update a"])


def test_a_refusal_that_nothing_explains_is_an_error() -> None:
    cloud = Shelf()
    cloud.before = [Taken("there is another a")]
    with pytest.raises(ApplyError, match="Box/a: there is another a"):
        apply(plan(cloud, Box("a", size=2)), cloud)
    cloud.boxes, cloud.before = [["a", 1]], [Taken("as many as may be")]
    with pytest.raises(ApplyError, match="Box/a: as many as may be"):
        apply(plan(cloud, Box("a", size=2)), cloud)
    assert cloud.writes == []


def test_of_a_batch_what_is_missing_is_made() -> None:
    cloud = Shelf()
    made = plan(cloud, *(Several(name, size=1) for name in "abc"))
    cloud.boxes, cloud.before = [["b", 1]], [Taken("b is there")]
    apply(made, cloud)
    assert sorted(cloud.boxes) == [["a", 1], ["b", 1], ["c", 1]]
    assert cloud.writes == ["create many"]


def test_a_twin_of_this_run_is_removed() -> None:
    cloud = Shelf()
    made = plan(cloud, Box("a", size=1))
    cloud.boxes, cloud.after = [["a", 1]], [AnswerLost("lost")]
    apply(made, cloud)
    assert cloud.boxes == [["a", 1]]


def test_a_twin_that_cannot_be_removed_is_named() -> None:
    def refuse() -> None:
        raise PermissionError("no")

    class Stuck(Box):
        def find(self, cloud: Shelf) -> Box | None:
            if len(cloud.named(self.name)) > 1:
                raise Twins("several boxes", [refuse])
            return super().find(cloud)

    cloud = Shelf()
    made = plan(cloud, Stuck("a", size=1))
    cloud.boxes, cloud.after = [["a", 1]], [AnswerLost("lost")]
    with pytest.raises(ApplyError, match="several boxes"):
        apply(made, cloud)


def test_what_is_not_ready_is_waited_for_whoever_made_it() -> None:
    class Slow(Box):
        waits = 2

        def create(self, cloud: Shelf) -> None:
            if self.id is None:
                super().create(cloud)

        def wait(self, cloud: Shelf) -> None:
            Slow.waits -= 1
            if Slow.waits:
                raise TryAgainLater("not ready")

    for after in ([], [AnswerLost("lost")]):
        cloud, Slow.waits = Shelf(), 2
        cloud.after = list(after)
        assert "waiting: Slow/a: not ready" in apply(plan(cloud, Slow("a", size=1)), cloud)
        assert (cloud.boxes, Slow.waits) == ([["a", 1]], 0)


@pytest.mark.parametrize("after", [AnswerLost("lost"), TryAgainLater("not gone")], ids=str)
def test_a_deletion_that_is_not_over_is_made_again(after: TryAgainLater) -> None:
    class Last(Box):
        def deletions(self, cloud: Shelf, actual: Any) -> list[Deletion]:
            stray = functools.partial(cloud.write, "delete", lambda: None)
            return [Deletion(self.key, "Box", "stray", stray)]

    cloud = Shelf()
    cloud.boxes, cloud.after = [["a", 1]], [after]
    assert apply(plan(cloud, Last("a", size=1)), cloud) == ["[1/1] deleted Box stray"]
    assert cloud.writes == ["delete"]
