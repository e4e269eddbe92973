# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies a plan: each step the moment that what it refers to is done, and an account of what was not done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.errors import KopsError
from .doubts import Doubts, Remembering
from .graph import FIRST_PAUSE, LONGEST_PAUSE, TASK_DEADLINE, Outcome, run_ready_queue
from .plan import Plan, Step
from .plan_data import Action
from .plan_text import LISTED, WIDE
from .task import Deletion, Task, TryAgainLater

Progress = Callable[[str], None]

VERBS = {Action.CREATE: "created", Action.UPDATE: "changed"}


STOPPED = "some objects could not be made as wanted; what is done stays, and running again continues:"


class ApplyError(KopsError):
    """An apply that stopped: what failed and why, and what was not started. Running again continues.

    head: the line above them.
    """

    def __init__(self, failed: dict[str, str], not_started: Sequence[str], head: str = STOPPED) -> None:
        self.failed, self.not_started = failed, list(not_started)
        lines = [head]
        by_reason: dict[str, list[str]] = {}
        for key, reason in failed.items():
            by_reason.setdefault(reason, []).append(key)
        lines += [f"- {_named(keys)}: {reason}" for reason, keys in by_reason.items()]
        if not_started:
            lines.append(f"not started: {_named(not_started)}")
        super().__init__("\n".join(lines))


def _named(keys: Sequence[str]) -> str:
    """The objects; of many, some of each kind and how many there are, as in the text of a plan."""
    if len(keys) <= WIDE:
        return ", ".join(keys)
    by_kind: dict[str, list[str]] = {}
    for key in sorted(keys):
        by_kind.setdefault(key.partition("/")[0], []).append(key)
    shown = [
        f"{', '.join(of_kind[:LISTED])}" + (f" and {len(of_kind) - LISTED} more" if len(of_kind) > LISTED else "")
        for of_kind in by_kind.values()
    ]
    return f"{len(keys)} objects: {'; '.join(shown)}"


@dataclass
class _Counter:
    total: int
    done: int = 0


def apply_plan(
    plan: Plan,
    cloud: Remembering,
    *,
    progress: Progress = lambda line: None,
    explain: Callable[[Exception], str] = str,
    is_conflict: Callable[[Exception], bool] = lambda error: False,
    deadline: float = TASK_DEADLINE,
    guard: Callable[[], None] = lambda: None,
) -> None:
    """Carry out a plan with cloud, then its deletions.

    progress: gets one line for each object done. guard: called before each object is written; raises if nothing more
    may be. is_conflict: whether an error says that what is to be made is there already.
    What tasks remark is added to the warnings of the plan.
    Raises ApplyError; the plan's finished part stays finished.
    """
    steps = {step.task.key: step for step in plan.steps}
    doubts = Doubts(cloud, is_conflict)
    counter, lock = _Counter(total=len(plan.active()) + len(plan.due_deletions())), threading.Lock()

    def report(what: str, verb: str) -> None:
        with lock:
            counter.done += 1
            progress(f"[{counter.done}/{counter.total}] {verb} {what}")

    def remark(task: Task[Any]) -> None:
        found = task.remarks()
        with lock:
            plan.warnings += found
            for each in found:
                progress(f"{task.key}: {each}")

    def work(batch: Sequence[Task[Any]]) -> None:
        if any(steps[task.key].action is not Action.NONE for task in batch):
            guard()
        doubts.carry_out([steps[task.key] for task in batch])
        for task in batch:
            if steps[task.key].action is not Action.NONE:
                report(task.key, VERBS[steps[task.key].action])
                remark(task)

    outcome = run_ready_queue(
        {key: step.task for key, step in steps.items()},
        work,
        batch=lambda task: task.batch_key() if steps[task.key].action is Action.CREATE else None,
        deadline=deadline,
        on_retry=lambda task, reason: progress(f"waiting: {task.key}: {reason}"),
    )
    _raise_for(outcome, steps, explain)
    _delete(plan, report, explain, guard, deadline)


def _raise_for(outcome: Outcome[Task[Any]], steps: dict[str, Step], explain: Callable[[Exception], str]) -> None:
    if not outcome.failed:
        return
    for error in outcome.failed.values():
        if not isinstance(error, Exception):
            raise error
    failed = {
        key: (f"not ready within the deadline: {error}" if isinstance(error, TryAgainLater) else explain(error))
        for key, error in sorted(outcome.failed.items())
        if isinstance(error, Exception)
    }
    pending = [key for key in outcome.not_started if steps[key].action is not Action.NONE]
    raise ApplyError(failed, pending)


def _delete(
    plan: Plan,
    report: Callable[[str, str], None],
    explain: Callable[[Exception], str],
    guard: Callable[[], None],
    deadline: float,
) -> None:
    failed = {}
    for deletion in plan.due_deletions():
        try:
            _run(deletion, guard, time.monotonic() + deadline)
        except Exception as error:
            failed[f"{deletion.kind} {deletion.item}"] = explain(error)
        else:
            report(f"{deletion.kind} {deletion.item}", "deleted")
    if failed:
        raise ApplyError(failed, [])


def _run(deletion: Deletion, guard: Callable[[], None], end: float) -> None:
    """Carry out a deletion: again where it is not over, or nobody knows, since what is gone already is no error."""
    pause = FIRST_PAUSE
    while True:
        guard()
        try:
            return deletion.run()
        except TryAgainLater:
            if time.monotonic() > end:
                raise
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
