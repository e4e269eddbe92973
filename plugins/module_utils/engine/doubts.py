# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes of which nobody knows whether they were carried out: the answer was lost, or says that it is there already.

The next attempt begins with a look at what exists. What is there as wanted was our own write; what is there in part is
completed; only what stays away for some seconds is written again, since a cloud may show late what it has just made.
After a timeout it stays away longer: a cloud that is overloaded may still be about to make it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from .plan import Step
from .plan_data import Action
from .task import AnswerLost, Twins, adopt, differences

# Seconds that a cloud may take to show what it has made.
PATIENCE = 5.0


class Remembering(Protocol):
    """A cloud, as far as this file needs it."""

    def forget_all(self) -> None:
        """Read everything anew the next time."""


@dataclass
class _Doubt:
    """until: the moment at which what was written is shown. refusal: that it was refused as there already."""

    until: float
    refusal: Exception | None = None


class Doubts:
    """Carries out steps of a plan, and remembers which of them are in doubt. Safe for threads: each has its own steps.

    is_conflict: whether an error says that what is to be made is there already.
    """

    def __init__(self, cloud: Remembering, is_conflict: Callable[[Exception], bool]) -> None:
        self._cloud, self._is_conflict = cloud, is_conflict
        self._doubts: dict[str, _Doubt] = {}

    def carry_out(self, steps: Sequence[Step]) -> None:
        """Make the objects of steps as wanted. Raises AnswerLost while a step is in doubt; else what a task raises."""
        left = [step for step in self._as_it_is(steps) if step.action is not Action.NONE]
        try:
            _write(left, self._cloud)
        except AnswerLost as error:
            self._doubt(left, None, error.still)
            raise
        except Exception as error:
            if not self._is_conflict(error):
                raise
            self._doubt(left, error)
            raise AnswerLost(f"looking whether this is what was just made ({error})") from error
        for step in steps:
            if step.action is Action.CREATE:
                step.task.wait(self._cloud)

    def _doubt(self, steps: Sequence[Step], refusal: Exception | None, still: float = 0.0) -> None:
        until = time.monotonic() + still + PATIENCE
        self._doubts.update({step.task.key: _Doubt(until, refusal) for step in steps})

    def _as_it_is(self, steps: Sequence[Step]) -> list[Step]:
        """The steps, compared with what exists by now if they are in doubt. Raises a refusal that nothing explains."""
        doubts = [self._doubts.get(step.task.key) for step in steps]
        found = [self._compare(step) if doubt else step for step, doubt in zip(steps, doubts)]
        refusals = []
        for before, now, doubt in zip(steps, found, doubts):
            if doubt is None or now.action is not before.action:
                continue
            # It is not there: an update, too, makes anew what it has removed.
            if now is before or doubt.refusal is not None:
                if time.monotonic() < doubt.until:
                    raise AnswerLost("looking whether it was made, and it is not shown yet")
                refusals.append(doubt.refusal)
        if len(refusals) == len(steps) and refusals[0] is not None:
            raise refusals[0]
        for before, now in zip(steps, found):
            if now is not before and now.action is Action.UPDATE:
                now.task.check(self._cloud, now.actual, now.changes)
        return found

    def _compare(self, step: Step) -> Step:
        task = step.task
        self._cloud.forget_all()
        try:
            actual = task.find(self._cloud)
        except Twins as twins:
            # Of what was not there when the plan was made, this run has made all.
            if step.action is not Action.CREATE or not _removed(twins):
                raise
            self._cloud.forget_all()
            actual = task.find(self._cloud)
        if actual is None:
            return step
        adopt(task, actual)
        changes = differences(task, actual)
        return Step(task, Action.UPDATE if changes else Action.NONE, actual, changes)


def _removed(twins: Twins) -> bool:
    """Remove what is spare; False if there is nothing, or that is refused."""
    try:
        for remove in twins.spare:
            remove()
    except AnswerLost:
        raise
    except Exception:
        # That there are twins says more, and which.
        return False
    return bool(twins.spare)


def _write(steps: Sequence[Step], cloud: Remembering) -> None:
    new = [step for step in steps if step.action is Action.CREATE]
    if len(new) > 1:
        type(new[0].task).create_many(cloud, [step.task for step in new])
    elif new:
        new[0].task.create(cloud)
    for step in steps:
        if step.action is Action.UPDATE:
            step.task.update(cloud, step.actual, step.changes)
