# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a plan: finds every object, compares, and refuses what cannot be done. It only reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..base.errors import KopsError
from .graph import run_ready_queue
from .plan import Plan, Step
from .plan_data import Action
from .task import Deletion, Lifecycle, Task, adopt, differences, show

CloudT = TypeVar("CloudT")
Progress = Callable[[str], None]


class PlanError(KopsError):
    """Everything that stands in the way of a plan, at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(["the cluster cannot be made as specified:", *(f"- {p}" for p in problems)]))


def make_plan(
    tasks: Mapping[str, Task[CloudT]],
    cloud: CloudT,
    *,
    prune: bool = False,
    for_apply: bool = True,
    explain: Callable[[Exception], str] = str,
    is_denied: Callable[[Exception], bool] = lambda error: False,
) -> Plan:
    """Compare every task with what exists in cloud.

    for_apply: refuse what cannot be done; without it, fields that cannot change in place are differences like others.
    explain: turns a cloud's exception into a sentence. is_denied: whether one says that access is denied, which is a
    warning with lifecycle WarnIfInsufficientAccess. Raises PlanError with all that cannot be done.
    """
    for task in tasks.values():
        task.prepare(cloud)
    plan, problems, lock = Plan(prune=prune), [], threading.Lock()
    steps: dict[str, Step] = {}

    def find(batch: Sequence[Task[CloudT]]) -> None:
        for task in batch:
            step, deletions, warning = _look(task, cloud, is_denied)
            try:
                if for_apply and step.action is not Action.NONE:
                    task.check(cloud, step.actual, step.changes)
            except KopsError as error:
                with lock:
                    problems.append(str(error))
            with lock:
                steps[task.key] = step
                plan.deletions += deletions
                plan.warnings += [warning] if warning else []

    outcome = run_ready_queue(tasks, find)
    problems += [f"{key}: {explain(error)}" for key, error in outcome.failed.items() if isinstance(error, Exception)]
    if problems:
        raise PlanError(sorted(dict.fromkeys(problems)))
    plan.steps = [steps[key] for key in sorted(steps)]
    for step in plan.active():
        step.freeze()
    plan.deletions.sort(key=lambda deletion: (deletion.kind, deletion.item))
    plan.warnings.sort()
    return plan


def look_up(tasks: Iterable[Task[CloudT]], cloud: CloudT, *, explain: Callable[[Exception], str] = str) -> None:
    """Find what a rendering refers to by its identifier: a shared gateway, a hosted zone.

    explain: as in make_plan. Raises PlanError with all that could not be looked at.
    """
    chosen = [task for task in tasks if task.found_before_rendering]
    for task in chosen:
        task.prepare(cloud)
    problems = []
    for task in chosen:
        try:
            actual = task.find(cloud)
        except Exception as error:
            problems.append(f"{task.key}: {explain(error)}")
        else:
            if actual is not None:
                adopt(task, actual)
    if problems:
        raise PlanError(sorted(dict.fromkeys(problems)))


@dataclass
class Compared:
    """What a direct run would find. It is for a target that makes objects in its own way.

    refused: what a direct run refuses. unseen: which objects could not be looked at for want of a permission. found,
    absent: the keys of the tasks whose objects are there, and are not. differing: of those found that a direct run
    would change, with the fields.
    """

    refused: list[KopsError] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    found: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    differing: dict[str, set[str]] = field(default_factory=dict)


def compare(
    tasks: Mapping[str, Task[CloudT]],
    cloud: CloudT,
    *,
    explain: Callable[[Exception], str] = str,
    is_denied: Callable[[Exception], bool] = lambda error: False,
) -> Compared:
    """Compare tasks with what exists, for a target that would make it so in its own way. It only reads.

    That an object must exist before a phase is left out: other targets make the layers below it, too.
    explain, is_denied: as in make_plan. Raises PlanError for all that keeps it from looking, but a permission.
    """
    result = Compared()
    for task in tasks.values():
        task.prepare(cloud)

    def look(batch: Sequence[Task[CloudT]]) -> None:
        for task in batch:
            try:
                actual = task.find(cloud)
            except Exception as error:
                if not is_denied(error):
                    raise
                result.unseen.append(f"{task.key} was not compared with what exists: {explain(error)}")
                continue
            (result.absent if actual is None else result.found).add(task.key)
            if actual is not None:
                adopt(task, actual)
            changes = {} if actual is None else differences(task, actual)
            if changes:
                result.differing[task.key] = set(changes)
            if not task.is_ignored and (actual is None or changes):
                try:
                    task.check(cloud, actual, changes)
                except KopsError as error:
                    result.refused.append(error)

    outcome = run_ready_queue(tasks, look)
    failed = [f"{key}: {explain(error)}" for key, error in outcome.failed.items() if isinstance(error, Exception)]
    if failed:
        raise PlanError(sorted(failed))
    result.refused.sort(key=str)
    result.unseen.sort()
    return result


def _look(
    task: Task[CloudT], cloud: CloudT, is_denied: Callable[[Exception], bool]
) -> tuple[Step, list[Deletion], str]:
    """Find one object and decide; the lifecycle says what may be decided."""
    try:
        actual = task.find(cloud)
    except Exception as error:
        if task.lifecycle is Lifecycle.WARN_IF_INSUFFICIENT_ACCESS and is_denied(error):
            return Step(task, Action.NONE), [], f"{task.key} was not looked at: {error}"
        raise
    if actual is not None:
        adopt(task, actual)
    if task.is_ignored:
        return Step(task, Action.NONE, actual), [], ""
    changes = {} if actual is None else differences(task, actual)
    if task.lifecycle in (Lifecycle.EXISTS_AND_VALIDATES, Lifecycle.EXISTS_AND_WARN_IF_CHANGES):
        return Step(task, Action.NONE, actual), [], _must_exist(task, actual is not None, changes)
    deletions = task.deletions(cloud, actual)
    if actual is None:
        return Step(task, Action.CREATE), deletions, ""
    return Step(task, Action.UPDATE if changes else Action.NONE, actual, changes), deletions, ""


def _must_exist(task: Task[Any], exists: bool, changes: dict[str, Any]) -> str:
    """The warning for an object that this run may not touch; raises KopsError when that is not enough."""
    if not exists:
        raise KopsError("it must exist before this phase; run the phase that creates it first")
    if not changes:
        return ""
    what = ", ".join(
        f"{name} is {show(change.before)}, wanted {show(change.after)}" for name, change in changes.items()
    )
    if task.lifecycle is Lifecycle.EXISTS_AND_VALIDATES:
        raise KopsError(f"it must be as wanted before this phase, but {what}")
    return f"{task.key} differs and is left alone: {what}"
